/* SPDX-License-Identifier: Apache-2.0 */
/* Property: a case that decodes is not changed by being written: as a .qdcase and as the files of its ONNX directory
 * (model.onnx, the tensors, qdiff.pb) it gives the same model byte for byte, the same tensors and the same metadata
 * again, writing it twice gives the same bytes, and taken apart and put together
 * by the editor it evaluates to the same values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "qdiff/compare.h"
#include "qdiff/counters.h"

const struct qd_engine_harness qd_engine_harness = {
    .property = "writing a case in any of its forms changes nothing",
};

static struct qd_arena arena;

static void require(bool condition, const struct qd_case *kase, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\nAssertion failure: roundtrip-%s\n", kase->op, what);
    abort();
}

static bool same_tensor(const struct qd_tensor *a, const struct qd_tensor *b)
{
    return a->dtype == b->dtype && qd_tensor_same_shape(a, b) &&
           memcmp(a->data, b->data, qd_tensor_bytes(a)) == 0;
}

/* --- Bytes ------------------------------------------------------------------------------------- */

static void check_encoding(const struct qd_case *kase)
{
    struct qd_case again;
    struct qd_error error;
    uint8_t *first, *second;
    size_t first_size, second_size;
    require(qd_case_encode(kase, &arena, &first, &first_size, &error) == QD_OK, kase, "encode");
    require(qd_case_decode(first, first_size, &arena, &again, &error) == QD_OK, kase, "decode");
    require(again.model_size == kase->model_size &&
                memcmp(again.model, kase->model, kase->model_size) == 0,
            kase, "model");
    require(again.input_count == kase->input_count, kase, "input-count");
    for (size_t i = 0; i < kase->input_count; i++)
        require(same_tensor(&again.inputs[i], &kase->inputs[i]), kase, "inputs");
    require(strcmp(again.id, kase->id) == 0 && again.expect == kase->expect &&
                strcmp(again.rule, kase->rule) == 0 && again.tag_count == kase->tag_count,
            kase, "metadata");
    require(qd_case_encode(&again, &arena, &second, &second_size, &error) == QD_OK &&
                first_size == second_size && memcmp(first, second, first_size) == 0,
            kase, "encoding");
}

/* --- The ONNX directory -------------------------------------------------------------------------- */

static const struct qd_case_file *file_of(const struct qd_case_file *files, size_t count,
                                          const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    return NULL;
}

static void check_files(const struct qd_case *kase)
{
    const struct qd_case_file *files, *again;
    size_t count, again_count;
    struct qd_error error;
    struct qd_case model;
    require(qd_case_files(kase, NULL, &arena, &files, &count, &error) == QD_OK, kase, "files");
    const struct qd_case_file *file = file_of(files, count, "model.onnx");
    require(file && qd_case_from_model(file->bytes, file->size, &arena, &model, &error) == QD_OK,
            kase, "model-file");
    require(model.graph->node_count == kase->graph->node_count &&
                model.graph->input_count == kase->input_count && model.opset == kase->opset,
            kase, "graph");
    for (size_t i = 0; i < kase->input_count; i++) {
        char path[64];
        const char *name;
        struct qd_tensor tensor;
        snprintf(path, sizeof path, QD_CASE_DATA_SET "/input_%zu.pb", i);
        file = file_of(files, count, path);
        require(file && qd_tensor_decode(file->bytes, file->size, &arena, &name, &tensor, &error) ==
                            QD_OK,
                kase, "input-file");
        require(same_tensor(&tensor, &kase->inputs[i]), kase, "input-file-content");
    }
    require(qd_case_files(kase, NULL, &arena, &again, &again_count, &error) == QD_OK &&
                count == again_count,
            kase, "files-again");
    for (size_t i = 0; i < count; i++)
        require(strcmp(files[i].path, again[i].path) == 0 && files[i].size == again[i].size &&
                    memcmp(files[i].bytes, again[i].bytes, files[i].size) == 0,
                kase, "files-differ");
}

/* --- The editor ---------------------------------------------------------------------------------- */

static void check_edit(const struct qd_case *kase)
{
    struct qd_case_edit edit;
    struct qd_case again;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS], others[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_error error;
    if (qd_case_edit_begin(kase, &arena, &edit, &error) != QD_OK)
        return; /* more than can be edited */
    require(qd_case_edit_finish(&edit, kase->id, false, &again, &error) == QD_OK, kase, "edit");
    enum qd_status status = qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase->graph, kase->inputs,
                                                     NULL, &arena, values, &error);
    qd_counters_case(qd_engine_counters, kase, status, values);
    qd_engine_publish();
    if (status != QD_OK)
        return;
    require(qd_graph_evaluate_within(2 * QD_FUZZ_WORK, false, again.graph, again.inputs, NULL,
                                     &arena, others, &error) == QD_OK,
            kase, "edit-evaluates");
    for (size_t o = 0; o < kase->graph->output_count; o++)
        require(same_tensor(&values[o].want, &others[o].want), kase, "edit-values");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_error error;
    if (arena.budget == 0)
        qd_arena_init(&arena, 4 * QD_FUZZ_MEMORY);
    qd_arena_reset(&arena);
    if (size > QD_FUZZ_MAX_BYTES || qd_case_decode(data, size, &arena, &kase, &error) != QD_OK)
        return -1;
    check_encoding(&kase);
    check_files(&kase);
    check_edit(&kase);
    return 0;
}
