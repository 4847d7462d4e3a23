/* The feature table of the generated QDQMovement cases, for their generator and the test that measures
 * the coverage. */
#ifndef QDIFF_FAMILIES_QDQ_MOVEMENT_H
#define QDIFF_FAMILIES_QDQ_MOVEMENT_H

#include "qdiff/covering.h"

extern const struct qd_factor_table qd_qdq_movement_table;

#endif
