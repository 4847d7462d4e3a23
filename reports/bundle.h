/* reproduce.py: a case as one script that needs nothing but NumPy and ONNX Runtime. */
#ifndef QDIFF_REPORTS_BUNDLE_H
#define QDIFF_REPORTS_BUNDLE_H

#include "evaluated.h"

/* Writes the script: model, inputs and expected outputs in base64, and the few lines that run and compare them, code by code.
 * UNSUPPORTED for types smaller than a byte and for outputs with several admissible answers. */
enum qd_status qd_bundle_write(const struct qd_evaluated *evaluated, const char *path,
                               struct qd_arena *arena, struct qd_error *error);

#endif
