/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a network while its units run: each is kept from the unit that gives it to the last one that reads
 * it. */
#ifndef QDIFF_REPORTS_KEPT_VALUES_H
#define QDIFF_REPORTS_KEPT_VALUES_H

#include "qdiff/units.h"

/* QD_SOURCE(NAME, word): where a value comes from. */
#define QD_SOURCE_LIST(QD_SOURCE)     \
    QD_SOURCE(NONE, "nowhere")        \
    QD_SOURCE(GIVEN, "given")         \
    QD_SOURCE(DRAWN, "drawn")         \
    QD_SOURCE(REFERENCE, "reference") \
    QD_SOURCE(TARGET, "target")

#define QD_SOURCE_ENUM(name, word) QD_SOURCE_##name,
enum qd_source { QD_SOURCE_LIST(QD_SOURCE_ENUM) };
#undef QD_SOURCE_ENUM

struct qd_kept_value {
    struct qd_tensor tensor; /* source NONE: nothing */
    enum qd_source source;
    bool from_target; /* it, or something that it was computed from, came from a target */
    bool folded;      /* computed from constants alone */
    size_t last_unit; /* the last unit that has to do with it */
};

struct qd_kept_values {
    size_t count, bytes, most_bytes; /* bytes that are kept, and the most that were */
    struct qd_kept_value *items;     /* per value of the network */
};

/* NO_MEMORY. The arena keeps the list, not the tensors: clear. */
enum qd_status qd_kept_values_init(struct qd_kept_values *kept, const struct qd_network *network,
                                   const struct qd_unit *units, size_t unit_count,
                                   struct qd_arena *arena, struct qd_error *error);
void qd_kept_values_clear(struct qd_kept_values *kept);

/* Keeps a copy of the tensor. NO_MEMORY. */
enum qd_status qd_kept_values_put(struct qd_kept_values *kept, int value,
                                  const struct qd_tensor *tensor, enum qd_source source,
                                  bool from_target, bool folded, struct qd_error *error);

/* Forgets what no unit after this one has to do with. */
void qd_kept_values_forget(struct qd_kept_values *kept, const struct qd_network *network,
                           const struct qd_unit *unit, size_t number);

#endif
