/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes that are a shared library out of a wheel: releases in the cache, symbols, outputs.
 * Internal to the targets layer. */
#ifndef QDIFF_NATIVE_H
#define QDIFF_NATIVE_H

#include "qdiff/arena.h"
#include "qdiff/status.h"
#include "qdiff/target.h"

/* The targets that are made of this. */
extern const struct qd_target qd_tract_target, qd_openvino_target;

/* Where a release is: <cache>/<name>/<version>/<file>. */
struct qd_native {
    const char *name; /* of the target and of its folder in the cache */
    const char *file; /* the library, as a pattern of glob(3) */
};

extern const struct qd_native qd_native_tract, qd_native_openvino;

/* The releases in the cache, newest first, NULL-terminated, in the arena. None is no error. NO_MEMORY. */
enum qd_status qd_native_versions(const struct qd_native *native, struct qd_arena *arena,
                                  const char *const **versions, struct qd_error *error);

/* Chooses the release asked for, or the newest ("" asks for none), into `version`. `releases` are those that are set
 * up, newest first, NULL-terminated. UNUSABLE names them, the runtime (`what`) and the command `setup`. */
enum qd_target_status qd_native_choose(const char *const *releases, const char *what,
                                       const char *setup, const char *asked, char version[32],
                                       struct qd_target_message *message);

/* A function of the library: its name and where in the adapter's struct its pointer goes. */
struct qd_native_symbol {
    const char *name;
    size_t offset;
};

/* Chooses the release asked for, or the newest ("" asks for none), into `version`; opens its library,
 * which stays; fills `functions` with `count` symbols. UNUSABLE with the reason. */
enum qd_target_status qd_native_open(const struct qd_native *native, const char *asked,
                                     char version[32], const struct qd_native_symbol *symbols,
                                     size_t count, void *functions,
                                     struct qd_target_message *message);

/* What the runtime has for an output: copied into qdiff's buffer where type and shape are those
 * expected, else described there. `data` has `size` bytes. REJECTED for more dimensions than qdiff has. */
enum qd_target_status qd_native_give(int32_t data_type, size_t rank, const int64_t *dims,
                                     const void *data, size_t size, struct qd_target_tensor *output,
                                     struct qd_target_message *message);

#endif
