/* SPDX-License-Identifier: Apache-2.0 */
/* A quantizer target: a tool that chooses scales, zero points and axes. It takes a float model, what is known of its
 * tensors' ranges, and options, and gives a quantized model, or, if the tool has another kind of graph, the parameters
 * of every edge. Quantizers are workers (targets/process/worker.proto, message Quantize); what they answer is hostile
 * and only its form is checked here: whether the model is valid and right is for the checks of the quantizer role. */
#ifndef QDIFF_QUANTIZER_H
#define QDIFF_QUANTIZER_H

#include "qdiff/session.h"

enum qd_quantizer_scheme {
    QD_QUANTIZER_STATIC, /* activations have constant parameters, from ranges or calibration tensors */
    QD_QUANTIZER_DYNAMIC /* activations are quantized at run time */
};
enum qd_quantizer_format { QD_QUANTIZER_QDQ, QD_QUANTIZER_QOPERATOR };

/* Zero is the tool's default everywhere. */
struct qd_quantizer_options {
    enum qd_quantizer_scheme scheme;
    enum qd_quantizer_format format;
    int32_t activation_type, weight_type; /* onnx.TensorProto.DataType of the codes */
    bool per_channel;                     /* weights: one scale for each output channel */
    bool reduce_range;                    /* weights in 7 bits */
    bool symmetric_activations, symmetric_weights;
    bool
        restricted_asymmetric; /* zero points of activations snapped to the least or the middle code */
    /* NULL-terminated lists, NULL: none. */
    const char *const *exclude; /* names of nodes to leave in float */
    const char *const *ops;     /* op_types to quantize; none: all that the tool can */
    const char *const *extra;   /* "key=value" of the tool's own, passed on as they are */
};

/* What was observed of a tensor of the float model: finite or not, in order or not, as the caller says. */
struct qd_quantizer_range {
    const char *tensor;
    float min, max;
};

/* A case of the quantizer role carries one (case.h): encode writes ranges and options as the message Quantize of
 * worker.proto, request_of reads them. A static request without ranges is calibrated with the case's inputs. */
struct qd_quantizer_request {
    const uint8_t *model; /* serialised onnx.ModelProto */
    size_t model_size;
    /* For STATIC either ranges of every tensor that may be quantized, or calibration runs. */
    size_t range_count;
    const struct qd_quantizer_range *ranges;
    size_t calibration_count,
        input_count; /* input_count: tensors a run, the graph's inputs in order */
    const struct qd_tensor *const *calibrations;
    struct qd_quantizer_options options;
};

enum qd_status qd_quantizer_request_encode(const struct qd_quantizer_request *request,
                                           struct qd_arena *arena, uint8_t **bytes, size_t *size,
                                           struct qd_error *error);

/* USAGE: a case of the kernel role; MALFORMED: bytes that are no request. Model and inputs stay the case's. */
enum qd_status qd_quantizer_request_of(const struct qd_case *kase, struct qd_arena *arena,
                                       struct qd_quantizer_request *request,
                                       struct qd_error *error);

/* Returns why a range is invalid: "nan", "upside-down" or "infinite", the first
 * of these that occurs; NULL if all are valid. */
const char *qd_quantizer_unfit_range(const struct qd_quantizer_request *request);

/* Whether a range is invalid. A tool has to refuse it, or give parameters that do not depend on it: it may have
 * observed another tensor, or left this one in float. An answer with a finding is then of the class accepts-invalid. */
bool qd_quantizer_must_refuse(const struct qd_quantizer_request *request);

/* Puts in the place of each option that the tool does not have, by a quantizer's words, the first value that it has, or
 * the default; whether there was one. */
bool qd_quantizer_fit(const char *const *words, struct qd_quantizer_options *options);

/* QD_QUANTIZED(NAME, word, meaning) */
#define QD_QUANTIZED_LIST(QD_QUANTIZED)                                                     \
    QD_QUANTIZED(MODEL, "model", "the tool gave a quantized model")                         \
    QD_QUANTIZED(EDGES, "edges", "the tool gave the parameters of every edge")              \
    QD_QUANTIZED(REJECTED, "rejected", "the tool refused the model, ranges or options")     \
    QD_QUANTIZED(CRASHED, "crash", "the tool fell over: an exception, or its process died") \
    QD_QUANTIZED(HANG, "hang", "no answer within the time limit")                           \
    QD_QUANTIZED(OOM, "oom", "the tool used up its memory limit")                           \
    QD_QUANTIZED(SKIPPED, "skipped", "the worker declined the request because of an issue")
#define QD_QUANTIZED_ENUM(name, word, meaning) QD_QUANTIZED_##name,
enum qd_quantized { QD_QUANTIZED_LIST(QD_QUANTIZED_ENUM) QD_QUANTIZED_COUNT };
#undef QD_QUANTIZED_ENUM
const char *qd_quantized_word(enum qd_quantized outcome);

/* What one consumer of a tensor of the float model sees of it. */
struct qd_quantizer_edge {
    const char *tensor;   /* name in the float model */
    const char *consumer; /* name of the node that reads it; "": as its producer gives it */
    uint32_t input;       /* which of the consumer's inputs */
    int32_t data_type;    /* onnx.TensorProto.DataType of the codes; 0: it stays in float */
    int64_t quant_min, quant_max;
    size_t
        count; /* scales and zero points: 1, or one for each index of axis; 0 where it stays in float */
    const float *scales;
    const int64_t *zero_points;
    int64_t axis;
    uint64_t group; /* edges that share one observer have one number; 0: nothing is known */
};

/* Everything lives in the caller's arena. */
struct qd_quantizer_answer {
    enum qd_quantized outcome;
    int signal;           /* CRASHED: of the process, else 0 */
    char message[1024];   /* the tool's own words, "" if none */
    const uint8_t *model; /* MODEL: serialised onnx.ModelProto, not looked at yet */
    size_t model_size;
    size_t edge_count; /* EDGES */
    const struct qd_quantizer_edge *edges;
    const char *const
        *ignored;   /* options the worker says its release does not know; NULL-terminated */
    double seconds; /* wall time of the request */
};

/* Whether the tool was not asked, which says nothing about it: skipped by the worker, or refused at the stage "options"
 * (the tool has no such option) or "import" (the worker cannot put the model into the tool's form). */
bool qd_quantizer_declined(const struct qd_quantizer_answer *answer);

struct qd_quantizer;

/* Opens a quantizer by the name of its target ("ort-quant@1.31.1",
 * "./mine.py"). USAGE: no such target, or not a worker;
 * UNUSABLE: not set up (with the command that does), or it is no quantizer. */
enum qd_status qd_quantizer_open(const struct qd_target_name *name,
                                 const struct qd_session_options *options,
                                 struct qd_quantizer **quantizer, struct qd_error *error);
const struct qd_target_info *qd_quantizer_info(const struct qd_quantizer *quantizer);
const char *qd_quantizer_id(const struct qd_quantizer *quantizer);

/* Words of Options (worker.proto) that it passes to its tool, some with values ("scheme=0"), NULL-terminated. */
const char *const *qd_quantizer_words(const struct qd_quantizer *quantizer);

/* Quantizes. Whatever the tool does is an outcome, not an error. LIMIT: a request of more than 1 GiB; UNUSABLE: the
 * worker says so, or cannot be started again; NO_MEMORY, IO. */
enum qd_status qd_quantizer_run(struct qd_quantizer *quantizer,
                                const struct qd_quantizer_request *request, struct qd_arena *arena,
                                struct qd_quantizer_answer *answer, struct qd_error *error);

void qd_quantizer_close(struct qd_quantizer *quantizer);

#endif
