/* SPDX-License-Identifier: Apache-2.0 */
/* Building models in memory: what generators, importers and mutators use to make an ONNX ModelProto.
 *
 * A builder collects values and nodes in an arena; qd_build_finish serialises, decodes again through the same
 * hostile-input path as a file, and gives a case. Errors are remembered: the first one is returned by finish, so
 * that building reads as a list of facts. */
#ifndef QDIFF_BUILD_H
#define QDIFF_BUILD_H

#include "qdiff/case.h"

struct qd_builder;

/* A builder importing `opset` of the default domain (and com.microsoft 1 when a node of it is added). NULL only
 * when out of memory. ir_version is the least that allows the opset and its types (documented in build.c). */
struct qd_builder *qd_build_begin(struct qd_arena *arena, int64_t opset);

/* A graph input that is fed with *tensor at run time, and an initializer. Names are unique, not "". */
void qd_build_input(struct qd_builder *builder, const char *name, const struct qd_tensor *tensor);
/* The first, with axis i declared without a number, as N, M, ..., if bit i of `open_axes` is set. Of such a model
 * inferred outputs are declared with their rank alone. */
void qd_build_open_input(struct qd_builder *builder, const char *name,
                         const struct qd_tensor *tensor, uint32_t open_axes);
void qd_build_initializer(struct qd_builder *builder, const char *name,
                          const struct qd_tensor *tensor);

/* An initializer or, when `as_input` is true, a run-time input. */
void qd_build_tensor(struct qd_builder *builder, const char *name, const struct qd_tensor *tensor,
                     bool as_input);

/* A node: `inputs` and `outputs` are comma-separated value names; an empty name is an absent optional one
 * ("x,x_scale,,w"). domain "" or "com.microsoft". Attributes follow for the node added last. */
void qd_build_node(struct qd_builder *builder, const char *domain, const char *op_type,
                   const char *inputs, const char *outputs);
void qd_build_attr_int(struct qd_builder *builder, const char *name, int64_t value);
void qd_build_attr_float(struct qd_builder *builder, const char *name, float value);
void qd_build_attr_string(struct qd_builder *builder, const char *name, const char *value);
void qd_build_attr_ints(struct qd_builder *builder, const char *name, const int64_t *values,
                        size_t count);
void qd_build_attr_floats(struct qd_builder *builder, const char *name, const float *values,
                          size_t count);
void qd_build_attr_tensor(struct qd_builder *builder, const char *name,
                          const struct qd_tensor *tensor);

/* A graph output; dtype as the op's text gives it, NONE: nothing is declared. rank −1: no shape is declared. */
void qd_build_output(struct qd_builder *builder, const char *name, enum qd_dtype dtype, int rank,
                     const int64_t *dims);

/* The same for an output whose shape, and with NONE type, is what the reference gives it: the case is built twice, and
 * evaluated in between. A case that the reference does not take keeps the output
 * as it is declared. At most QD_BUILD_MAX_INFERRED. */
#define QD_BUILD_MAX_INFERRED 32
void qd_build_output_inferred(struct qd_builder *builder, const char *name, enum qd_dtype dtype);

/* Of a case of the quantizer role: what a tool is asked (case.h). Borrowed until finish. */
void qd_build_request(struct qd_builder *builder, const uint8_t *request, size_t size);

/* What comes before the case. Borrowed until finish. */
void qd_build_steps(struct qd_builder *builder, const struct qd_case_step *steps, size_t count);

/* Metadata of the case. All strings are copied. */
void qd_build_tag(struct qd_builder *builder, const char *tag);
void qd_build_origin(struct qd_builder *builder, const char *spec, const char *issue,
                     const char *note);
void qd_build_seed(struct qd_builder *builder, uint64_t seed, const char *generator);
void qd_build_must_reject(struct qd_builder *builder, const char *rule, const char *twin);

/* Serialises and decodes. `id` gets "/hash8" of model and inputs appended when hashed is true. */
enum qd_status qd_build_finish(struct qd_builder *builder, const char *id, bool hashed,
                               struct qd_case *kase, struct qd_error *error);

#endif
