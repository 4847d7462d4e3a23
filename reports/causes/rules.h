/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that a target does not check anywhere, apart from checks that single operators lack. */
#ifndef QDIFF_REPORTS_RULES_H
#define QDIFF_REPORTS_RULES_H

#include "causes/causes.h"

/* Sets the key of each member whose basis is RULE, as a pattern of rules: the kind of rule, the part after the
 * last "-" ("*-shape", of all operators), if nine tenths of the operators that have such must-reject cases, three
 * at least, do not refuse half of them or more; else the same of the rule without its operator (a star,
 * "/pads-negative"); else the rule ("QLinearConv/bias-shape"). NO_MEMORY only. */
enum qd_status qd_rules_settle(struct qd_causes *causes, struct qd_error *error);

#endif
