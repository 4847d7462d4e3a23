/* SPDX-License-Identifier: Apache-2.0 */
/* qdiff's plug-in ABI: what a shared library implements to be tested. This header stands alone.
 *
 * A plug-in exports one function, `qd_target_entry`, that returns a table of functions. qdiff calls them from one
 * thread, by default in a forked worker process with a time and a memory limit:
 *
 *     open → describe → { prepare → run … run → release } … → close
 *
 * Several targets may be open and several models prepared at a time, and a model may be released without a run.
 *
 * Ownership: whoever makes a thing frees it. qdiff owns models, inputs and output buffers; the plug-in owns what
 * open and prepare give. No pointer that qdiff passes may be kept after the call returns.
 * An answer follows from the model and the inputs alone, whatever ran or was loaded before.
 * Statuses are answers, not crashes: a model the target refuses is QD_TARGET_REJECTED with the target's own words.
 *
 * Build:  cc -std=c11 -shared -fPIC -I<prefix>/include example.c -o libexample.so -lm
 * Check:  qdiff check-target ./libexample.so
 * Gate:   qdiff run --target ./libexample.so --expectations mine.tsv */
#ifndef QDIFF_TARGET_H
#define QDIFF_TARGET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QD_TARGET_ABI 1
#define QD_TARGET_MAX_RANK 8

enum qd_target_status {
    QD_TARGET_OK = 0,
    QD_TARGET_REJECTED = 1,  /* the target refuses this model or these inputs */
    QD_TARGET_NO_MEMORY = 2, /* the target ran out of memory on this case */
    QD_TARGET_UNUSABLE =
        3, /* the target does not work here at all (library missing, wrong version) */
    QD_TARGET_SKIPPED =
        4 /* the target declines this case because of a known issue: the message has the address */
};

/* The target's own words. text is NUL-terminated and may be cut at its end. */
struct qd_target_message {
    char text[1024];
};

/* A tensor: dense, row-major, little endian; bytes exactly as ONNX's raw_data (4-bit types packed two to a byte,
 * first element in the low half; 2-bit types four to a byte). */
struct qd_target_tensor {
    const char *name;  /* of the graph input or output */
    int32_t data_type; /* ONNX TensorProto.DataType */
    uint32_t rank;     /* ≤ QD_TARGET_MAX_RANK */
    int64_t dims[QD_TARGET_MAX_RANK];
    void *data;
    size_t size; /* bytes at data */
};

/* What the target can do, declared before any case is run. A case is skipped (and counted, with the reason)
 * only if no row allows it; a refusal of anything a row allows is a finding. Of several nodes each must be allowed by
 * itself: its features are those of its own operands and attributes, and multi-node, qdq, after-steps, open-shape,
 * batch, empty, non-finite and extreme-data those of the case. */
struct qd_target_capability {
    const char *
        op; /* op_type, "com.microsoft:op_type", or "*"; "com.microsoft:" allows nothing, it says that this
                     * domain's page is the target's own: to refuse what the page has is then wrong, else advisory */
    const char
        *needs; /* comma-separated features that the row is limited to, NULL or "": no limit */
    const char *excludes; /* comma-separated features the target does not have, NULL or "": none */
    const char *reason;   /* for the summary: why what is excluded is excluded; may name an issue */
};

struct qd_target_info {
    const char *name;     /* "ort" */
    const char *version;  /* "1.31.1" */
    const char *settings; /* canonical "opt=all,threads=1", "" if none */
    size_t capability_count;
    const struct qd_target_capability *capabilities; /* owned by the plug-in until close */
};

struct qd_target {
    uint32_t abi; /* QD_TARGET_ABI */

    /* Opens the target. `config` is the text between [ ] of the target's name ("opt=all"), "" if none; `version` the
     * text after @, "" if none. An unknown key is QD_TARGET_UNUSABLE, naming it and those that exist. */
    enum qd_target_status (*open)(const char *version, const char *config, void **target,
                                  struct qd_target_message *message);

    /* Name, version, settings, capabilities. Valid until close. */
    enum qd_target_status (*describe)(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message);

    /* Loads a serialised onnx.ModelProto. */
    enum qd_target_status (*prepare)(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message);

    /* Runs it. `inputs` are the graph's inputs without initializers, in the graph's order; inputs of the same numbers
     * may be one buffer (they are in the second of two runs). For each graph output
     * qdiff gives the type, shape and buffer that the reference expects; the plug-in writes the values there.
     * If the target's type or shape differs, the plug-in sets data_type, rank and dims to what the target has and
     * leaves the buffer alone: that is reported as `wrong-type` or `wrong-shape`. For
     * must-reject models the expected outputs are unknown: data_type and size are 0. Inputs must not be changed. */
    enum qd_target_status (*run)(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message);

    void (*release)(void *target, void *prepared);
    void (*close)(void *target);
};

/* The one symbol a plug-in exports. */
const struct qd_target *qd_target_entry(void);

#ifdef __cplusplus
}
#endif

#endif
