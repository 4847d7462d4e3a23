/* SPDX-License-Identifier: Apache-2.0 */
/* reproduce.py: a case as one script that needs nothing but NumPy and ONNX Runtime. */
#ifndef QDIFF_REPORTS_BUNDLE_H
#define QDIFF_REPORTS_BUNDLE_H

#include "qdiff/evaluated.h"

/* Writes <path>/reproduce.py: model, inputs and expected outputs in base64, and the few lines that run and compare
 * them, code by code, or with the ends of what is right where several answers are. `target` is the id of the target
 * that it names and whose optimization level it takes ("ort@1.26.0[opt=none,threads=1]"; "": any). UNSUPPORTED: types
 * smaller than a byte, several answers in a type that NumPy lacks, names with quotes. */
enum qd_status qd_bundle_write(const struct qd_evaluated *evaluated, const char *target,
                               const char *path, struct qd_arena *arena, struct qd_error *error);

#endif
