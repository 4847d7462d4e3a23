/* SPDX-License-Identifier: Apache-2.0 */
/* What each quantizer promises: which tensors share parameters, which are symmetric. */
#include <string.h>

#include "qdiff/quantizer_check.h"

/* onnxruntime.quantization, the operators of qdq_quantizer and of the QOperator registry that give their output the
 * parameters of their input. Its Concat keeps one pair for each tensor: it
 * requantizes (QDQ) or is QLinearConcat (QOperator). */
static const char *const ort_qdq[] = {"AveragePool", "Flatten",   "MaxPool",   "Pad",
                                      "Reshape",     "Resize",    "Slice",     "Split",
                                      "Squeeze",     "Transpose", "Unsqueeze", NULL};
static const char *const ort_qoperator[] = {"Flatten",   "MaxPool", "Pad",     "Reshape",
                                            "Resize",    "Split",   "Squeeze", "Transpose",
                                            "Unsqueeze", NULL};
/* QMaxPool and QResize leave these in floats before. */
static const struct qd_quantizer_since ort_since[] = {{"MaxPool", 12}, {"Resize", 11}, {NULL, 0}};
/* QSplit, QDQSplit and QDQPad quantize what they read; so do GatherQuant and QDQGather where it is a constant. */
static const char *const ort_whatever[] = {"Pad", "Split", NULL};
static const char *const ort_constants[] = {"Gather", NULL};
/* ExecuTorch's XNNPACKQuantizer gives these its shared specification (_is_share_obs_or_fq_op and the annotators of cat
 * and adaptive_avg_pool2d, under the names that torch_graph.py gives them); aten.unsqueeze is not among them. Clip is
 * aten.hardtanh with two bounds. propagate_annotation passes over an operator whose input's producer has no
 * output_qspec: after a graph input, a Sigmoid or a Gemm that is aten.addmm nothing
 * is shared. The annotator of cat asks for nothing. */
static const char *const executorch[] = {"Clip",    "Concat",     "Flatten",   "GlobalAveragePool",
                                         "MaxPool", "ReduceMean", "Relu",      "Reshape",
                                         "Slice",   "Squeeze",    "Transpose", NULL};
static const char *const executorch_always[] = {"Concat", NULL};
static const char *const executorch_relu[] = {"Add", "Conv", "ConvTranspose", "Gemm", "MatMul",
                                              "Mul", NULL};
/* What gives its output parameters in any case, so that what moves it on
 * finds some (ForceQuantizeNoInputCheck is off). */
static const char *const ort_quantized[] = {
    "Add",       "AveragePool", "Concat", "Conv",    "ConvTranspose", "Gemm", "GlobalAveragePool",
    "LeakyRelu", "MatMul",      "Mul",    "Sigmoid", "Softmax",       NULL};
static const char *const nothing[] = {NULL};

static const struct qd_quantizer_profile profiles[] = {
    {.tool = "ort-quant",
     .shares = {ort_qdq, ort_qoperator},
     .shares_since = ort_since,
     .shares_behind = ort_quantized,
     .shares_whatever = ort_whatever,
     .shares_constants = ort_constants,
     .fuses_relu = nothing,
     .signed_weights_are_symmetric = true,
     .channels_are_symmetric = true,
     .softmax_is_unit = true,
     .folds_activations = true},
    {.tool = "executorch-quant",
     .shares = {executorch, executorch},
     .shares_always = executorch_always,
     .fuses_relu = executorch_relu,
     .signed_weights_are_symmetric = true,
     .scale_floor = 0x1p-12}, /* eps of get_symmetric_quantization_config's observers */
    {.tool = "",
     .shares = {nothing, nothing},
     .fuses_relu = nothing,
     .signed_weights_are_symmetric = true,
     .folds_activations = true},
};

const struct qd_quantizer_profile *qd_quantizer_profile_of(const char *tool)
{
    size_t i = 0;
    while (profiles[i].tool[0] && strcmp(profiles[i].tool, tool) != 0)
        i++;
    return &profiles[i];
}
