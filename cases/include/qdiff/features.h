/* SPDX-License-Identifier: Apache-2.0 */
/* Feature ids: one list, used by filters, capabilities, expectation rows and counters.
 *
 * Features are facts derived from the case itself (model and inputs), never claims of its author: an imported
 * model has them as well as a generated one. */
#ifndef QDIFF_FEATURES_H
#define QDIFF_FEATURES_H

#include "qdiff/case.h"

/* A set of features: bit i is row i of features.def (at most 96 rows), bit 96 + n says opset>=n, n from 1 to 31. */
struct qd_features {
    uint64_t bits[2];
};

enum qd_feature {
#define QD_FEATURE(name, word, meaning) QD_FEATURE_##name,
#include "qdiff/features.def"
#undef QD_FEATURE
    QD_FEATURE_COUNT,
    QD_FEATURE_OPSET = 96 /* + n: the model's opset of the default domain is n or newer */
};

void qd_case_features(const struct qd_case *kase, struct qd_features *features);

/* The features of one node of a graph as if it were a case of its own: its types and attributes, not those of its
 * neighbours. Facts about tensors that other nodes compute (ranks, elements) are not known. */
void qd_node_features(const struct qd_case *kase, const struct qd_node *node,
                      struct qd_features *features);

/* The type of a value by what the model says alone, which holds for graphs that do not evaluate too; NONE where it does
 * not say. */
enum qd_dtype qd_case_dtype(const struct qd_case *kase, int value);
/* The same of a value that the node, one of the case's graph, reads or computes; faster. */
enum qd_dtype qd_node_dtype(const struct qd_case *kase, const struct qd_node *node, int value);

/* Whether the page of the node's operator says scalar of this operand, which is no quantization parameter: a bound of
 * Clip, the value of Pad, each of Range. */
bool qd_operand_is_scalar(const struct qd_node *node, size_t index);

bool qd_features_has(const struct qd_features *features, enum qd_feature feature);
/* Whether of both the same is known before the run: parameters, weights, controls, shapes. */
bool qd_features_same_known(const struct qd_features *a, const struct qd_features *b);
/* Whether both have the same types, as far as words tell. */
bool qd_features_same_types(const struct qd_features *a, const struct qd_features *b);
const char *qd_feature_word(enum qd_feature feature);
const char *qd_feature_meaning(enum qd_feature feature);
/* The feature of a word, "opset>=21" included; false if there is none. */
bool qd_feature_find(const char *word, enum qd_feature *feature);
/* The features in "a,b,c"; words that are none, of another version perhaps, are left out. */
struct qd_features qd_features_parse(const char *words);
/* "a,b,c,opset>=21" into text: of the opsets only the newest; returns text. */
const char *qd_features_describe(const struct qd_features *features, char *text, size_t size);

#endif
