/* SPDX-License-Identifier: Apache-2.0 */
/* Values that nodes move there and back. Internal to the cases layer. */
#ifndef QDIFF_CASES_MOVED_BACK_H
#define QDIFF_CASES_MOVED_BACK_H

#include "qdiff/case.h"

/* The value that this one equals because nodes moved it there and back: two Transpose, each the other's inverse, or
 * three; two Reshape of which the second gives a tensor that the case holds its own shape; a Split and the Concat of
 * its outputs. QD_NO_VALUE if it is not such a one. */
int qd_moved_back(const struct qd_case *kase, int value);

#endif
