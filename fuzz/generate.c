/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "generate_parts.h"
#include "qdiff/open_axis.h"
#include "qdiff/sequence.h"

/* --- Making a case ---------------------------------------------------------------------------- */

/* What a fuzzer's case says of itself: its numbers are not the suite's any more. */
static const struct qd_case anonymous = {
    .id = "fuzz",
    .op = "",
    .rule = "",
    .twin = "",
    .issue = "",
    .symptom = "",
    .spec = "",
    .note = "",
    .generator = "",
};

/* Of the cases, as of the suite's, which have such twins; two in three can have one. */
#define ONE_OPEN_IN 8
#define ONE_AFTER_STEPS_IN 16
#define ONE_KEPT_IN 2 /* of those that have it already */

struct work {
    const struct qd_mutation *mutation;
    struct qd_random *random;
    struct qd_arena *arena;
    struct qd_error *error;
};

static bool one_in(struct work *w, int64_t n)
{
    return qd_random_range(w->random, 1, n) == 1;
}

/* What comes before it goes, and axes are closed: finish() draws that anew. */
static enum qd_status begin(struct work *w, const struct qd_case *kase, struct qd_case_edit *edit)
{
    enum qd_status status = qd_case_edit_begin(kase, w->arena, edit, w->error);
    if (status == QD_OK)
        edit->metadata = anonymous;
    for (size_t i = 0; status == QD_OK && i < edit->value_count; i++)
        edit->values[i].open_axes = 0;
    return status;
}

static bool is_open(const struct qd_case *kase)
{
    uint32_t open = 0;
    for (size_t i = 0; i < kase->graph->input_count; i++)
        open |= qd_graph_open_axes(&kase->graph->values[kase->graph->inputs[i]]);
    return open != 0;
}

/* Outputs that no node computes, or that are there twice, go: what a target does with them is no operator's doing. */
static size_t keep_outputs(struct qd_case_edit *edit)
{
    size_t kept = 0;
    for (size_t i = 0; i < edit->output_count; i++) {
        bool again = false;
        for (size_t j = 0; j < kept; j++)
            again = again || edit->outputs[j] == edit->outputs[i];
        if (!again && qd_case_edit_producer(edit, edit->outputs[i]))
            edit->outputs[kept++] = edit->outputs[i];
    }
    edit->output_count = kept;
    return kept;
}

/* An axis is told no length, if that is right; the lengths that it has first are drawn. */
static void open_axis(struct work *w, struct qd_case *kase)
{
    struct qd_other_lengths lengths = {
        .work = QD_FUZZ_WORK, .count = (size_t)qd_random_range(w->random, 1, QD_MAX_OTHER_LENGTHS)};
    struct qd_case opened;
    struct qd_error error;
    bool made;
    for (size_t i = 0; i < lengths.count; i++) {
        lengths.at[i].times = qd_random_range(w->random, 0, 3);
        lengths.at[i].plus = qd_random_range(w->random, -1, lengths.at[i].times == 0 ? 17 : 1);
    }
    lengths.turned = qd_random_range(w->random, 0, 3) == 0;
    if (qd_case_open_axis(kase, &lengths, w->random, w->arena, &made, &opened, &error) == QD_OK &&
        made)
        *kase = opened;
}

static void put_after_steps(struct work *w, struct qd_case *kase)
{
    struct qd_case after;
    struct qd_error error;
    const char *word;
    if (qd_case_put_after_steps(kase, w->random, w->arena, &word, &after, &error) == QD_OK && word)
        *kase = after;
}

/* Whether the reference takes it, within the limit of a fuzzer's case. */
static bool is_quick(struct work *w, const struct qd_case *kase)
{
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_error error;
    return qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase->graph, kase->inputs, NULL, w->arena,
                                    values, &error) == QD_OK;
}

/* The edited case, made of `from` unless that is NULL; now and then it comes after other shapes or
 * other steps. */
static enum qd_status finish(struct work *w, struct qd_case_edit *edit, const struct qd_case *from,
                             struct qd_case *kase)
{
    if (keep_outputs(edit) == 0)
        return qd_fail(w->error, QD_UNSUPPORTED, "no output is computed");
    enum qd_status status = qd_case_edit_finish(edit, anonymous.id, false, kase, w->error);
    bool had_open = from && is_open(from), had_steps = from && from->step_count > 0 && !had_open;
    bool open = one_in(w, had_open ? ONE_KEPT_IN : ONE_OPEN_IN);
    bool after = !open && one_in(w, had_steps ? ONE_KEPT_IN : ONE_AFTER_STEPS_IN);
    if (status != QD_OK || !(open || after) || !is_quick(w, kase))
        return status;
    if (open)
        open_axis(w, kase);
    else
        put_after_steps(w, kase);
    return QD_OK;
}

/* A graph of appended blocks, on nothing but a tensor of codes. */
static void begin_chain(struct work *w, struct qd_case_edit *edit)
{
    static const enum qd_dtype types[] = {QD_U8, QD_S8};
    int64_t dims[] = {1, qd_random_range(w->random, 1, 4), qd_random_range(w->random, 1, 17)};
    struct qd_tensor *codes = qd_arena_alloc(w->arena, sizeof *codes);
    if (!codes || qd_tensor_init(codes, w->arena, QD_RANDOM_PICK(w->random, types), 3, dims,
                                 w->error) != QD_OK)
        return;
    edit->node_count = edit->value_count = 0;
    edit->opset = 13 + qd_random_range(w->random, 0, 1) * 8;
    edit->outputs[0] = qd_case_edit_add_value(edit, codes, true);
    edit->output_count = 1;
}

static void grow(struct work *w, struct qd_case_edit *edit)
{
    if (one_in(w, 3))
        begin_chain(w, edit);
    for (int64_t blocks = qd_random_range(w->random, 1, 4); blocks > 0; blocks--)
        qd_mutate_append(edit, w->random);
}

static void splice_stock(struct work *w, struct qd_case_edit *edit)
{
    struct qd_case_edit other;
    if (begin(w, qd_stock_pick(w->mutation, w->random), &other) == QD_OK)
        qd_mutate_splice(edit, &other, w->random);
}

enum qd_status qd_generate_case(const struct qd_mutation *mutation, struct qd_random *random,
                                struct qd_arena *arena, struct qd_case *kase,
                                struct qd_error *error)
{
    struct work w = {mutation, random, arena, error};
    struct qd_case_edit edit;
    enum qd_status status = begin(&w, qd_stock_pick(mutation, random), &edit);
    if (status != QD_OK)
        return status;
    if (one_in(&w, 8))
        grow(&w, &edit);
    else if (one_in(&w, 16))
        splice_stock(&w, &edit);
    else if (one_in(&w, 4))
        qd_mutate_structure(mutation, &edit, random);
    status = qd_mutate_numbers(mutation->numbers, &edit, random, error);
    return status == QD_OK ? finish(&w, &edit, NULL, kase) : status;
}

/* --- Mutating bytes --------------------------------------------------------------------------- */

/* Encodes the case into out; 0 when it does not fit. */
static size_t write_case(struct work *w, const struct qd_case *kase, uint8_t *out, size_t capacity)
{
    uint8_t *bytes;
    size_t size;
    if (qd_case_encode(kase, w->arena, &bytes, &size, w->error) != QD_OK || size > capacity)
        return 0;
    memcpy(out, bytes, size);
    return size;
}

#define ATTEMPTS 16 /* to generate a case that fits */

static size_t write_generated(struct work *w, uint8_t *out, size_t capacity)
{
    size_t size = 0;
    for (int attempt = 0; size == 0 && attempt < ATTEMPTS; attempt++) {
        struct qd_case kase;
        qd_arena_reset(w->arena);
        if (qd_generate_case(w->mutation, w->random, w->arena, &kase, w->error) == QD_OK)
            size = write_case(w, &kase, out, capacity);
    }
    return size;
}

static enum qd_status change(struct work *w, struct qd_case_edit *edit)
{
    bool structural = one_in(w, 2);
    for (int64_t n = structural ? qd_random_range(w->random, 1, 3) : 0; n > 0; n--)
        qd_mutate_structure(w->mutation, edit, w->random);
    if (one_in(w, 24))
        splice_stock(w, edit);
    if (structural && w->mutation->numbers == QD_NUMBERS_SOLVED && one_in(w, 4))
        return QD_OK; /* the numbers that were solved for the old structure */
    return qd_mutate_numbers(w->mutation->numbers, edit, w->random, w->error);
}

/* FNV-1a of the bytes: what they choose where they are no case. */
static uint64_t hash(const uint8_t *bytes, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

size_t qd_mutate_case(const struct qd_mutation *mutation, struct qd_arena *arena, uint8_t *data,
                      size_t size, size_t capacity, uint64_t seed)
{
    struct qd_error error;
    struct qd_random random = qd_random_seed("mutate", seed);
    struct work w = {mutation, &random, arena, &error};
    struct qd_case kase, made;
    struct qd_case_edit edit;
    size_t written = 0;
    qd_arena_reset(arena);
    if (!one_in(&w, 4) && qd_case_decode(data, size, arena, &kase, &error) == QD_OK &&
        begin(&w, &kase, &edit) == QD_OK && change(&w, &edit) == QD_OK &&
        finish(&w, &edit, &kase, &made) == QD_OK)
        written = write_case(&w, &made, data, capacity);
    if (written > 0)
        return written;
    random = qd_random_seed("generate", seed ^ hash(data, size));
    return write_generated(&w, data, capacity);
}

/* Tensors of the same type and role as ones of `other` take their elements, over and over. */
static void exchange_numbers(struct work *w, struct qd_case_edit *edit,
                             const struct qd_case_edit *other)
{
    for (size_t v = 0; v < edit->value_count; v++) {
        const struct qd_tensor *old = edit->values[v].tensor, *from = NULL;
        for (size_t u = 0; old && u < other->value_count; u++) {
            const struct qd_tensor *t = other->values[u].tensor;
            bool scalar = t && t->count == 1;
            if (t && t->dtype == old->dtype && t->count > 0 && scalar == (old->count == 1) &&
                (!from || one_in(w, 2)))
                from = t;
        }
        struct qd_tensor *copy = from ? qd_case_edit_copy_tensor(edit, old) : NULL;
        for (int64_t i = 0; copy && i < copy->count; i++)
            qd_tensor_set(copy, i, qd_tensor_get(from, i % from->count));
        if (copy && copy->dtype != QD_S64) /* shapes and axes stay */
            edit->values[v].tensor = copy;
    }
}

size_t qd_cross_cases(const struct qd_mutation *mutation, struct qd_arena *arena, const uint8_t *a,
                      size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t capacity,
                      uint64_t seed)
{
    struct qd_error error;
    struct qd_random random = qd_random_seed("cross", seed);
    struct work w = {mutation, &random, arena, &error};
    struct qd_case first, second, made;
    struct qd_case_edit edit, other;
    size_t written = 0;
    qd_arena_reset(arena);
    if (qd_case_decode(a, a_size, arena, &first, &error) == QD_OK &&
        qd_case_decode(b, b_size, arena, &second, &error) == QD_OK &&
        begin(&w, &first, &edit) == QD_OK && begin(&w, &second, &other) == QD_OK) {
        if (one_in(&w, 2) || !qd_mutate_splice(&edit, &other, &random))
            exchange_numbers(&w, &edit, &other);
        if (finish(&w, &edit, &first, &made) == QD_OK)
            written = write_case(&w, &made, out, capacity);
    }
    if (written > 0)
        return written;
    random = qd_random_seed("generate", seed ^ hash(a, a_size) ^ hash(b, b_size));
    return write_generated(&w, out, capacity);
}
