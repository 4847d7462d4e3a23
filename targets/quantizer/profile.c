#include <string.h>

#include "qdiff/quantizer_check.h"

/* onnxruntime.quantization, the operators of qdq_quantizer and of the QOperator registry that give their output the parameters of
 * their input. Its Concat keeps one pair for each tensor: it requantizes (QDQ) or is QLinearConcat (QOperator). */
static const char *const ort_qdq[] = {"Flatten", "MaxPool",   "Reshape",   "Slice", "Split",
                                      "Squeeze", "Transpose", "Unsqueeze", NULL};
static const char *const ort_qoperator[] = {"Flatten", "MaxPool",   "Reshape", "Split",
                                            "Squeeze", "Unsqueeze", NULL};
/* ExecuTorch's XNNPACKQuantizer annotates these with its shared specification; aten.unsqueeze is not among them. */
static const char *const executorch[] = {"Concat", "Flatten",   "Reshape",
                                         "Slice",  "Transpose", NULL};
static const char *const nothing[] = {NULL};

static const struct qd_quantizer_profile profiles[] = {
    {"ort-quant", {ort_qdq, ort_qoperator}, true, true, true},
    {"executorch-quant", {executorch, executorch}, true, false, false},
    {"", {nothing, nothing}, true, false, false},
};

const struct qd_quantizer_profile *qd_quantizer_profile_of(const char *tool)
{
    size_t i = 0;
    while (profiles[i].tool[0] && strcmp(profiles[i].tool, tool) != 0)
        i++;
    return &profiles[i];
}
