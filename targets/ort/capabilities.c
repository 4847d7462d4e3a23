/* SPDX-License-Identifier: Apache-2.0 */
/* What ONNX Runtime declares that it can do. */
#include "ort/ort.h"

/* What the CPU execution provider has kernels for, established by running every combination of types of every operator on
 * 1.26.0, 1.27.0 and 1.31.1 (they agree; the command is in README.md). Only "could not find an implementation" counts:
 * a combination that has a kernel and fails is a finding. Rows of one operator are alternatives. */

#define CONV_KERNELS "the CPU provider has kernels for u8 x {u8,s8} -> u8 and s8 x s8 -> s8 only"
#define NO_S8_X_U8 "the CPU provider has no kernel for s8 x u8"
#define NO_BFLOAT16 "the CPU provider has no bfloat16 kernel"
#define NO_BFLOAT16_INT16 "the CPU provider has no bfloat16 and no 16-bit integer kernel"
#define NO_INT16 "the CPU provider moves no 16-bit integers here"
#define NO_INT16_SUB_BYTE \
    "the CPU provider pads no 16-bit integers and no elements smaller than a byte"
#define NO_SUB_BYTE "the CPU provider moves no elements smaller than a byte"
#define NO_SUB_BYTE_FLOAT8 "the CPU provider moves no float8 and no elements smaller than a byte"

/* x is uint8, int8, or neither: what breaks a type rule has to be refused by the model checker, kernels or not. */
#define U8_OR_S8(op, excludes)                                                                     \
    {op, "x-u8", "y-s8" excludes, CONV_KERNELS}, {op, "x-s8", "w-u8,y-u8" excludes, CONV_KERNELS}, \
    {                                                                                              \
        op, "", "x-u8,x-s8" excludes, CONV_KERNELS                                                 \
    }

static const struct qd_target_capability rows[] = {
    U8_OR_S8("QLinearConv", ""),
    U8_OR_S8("QLinearMatMul", ",bfloat16"),
    {"ConvInteger", "", "", ""},
    {"MatMulInteger", "", "", ""},
    {"DynamicQuantizeLinear", "", "", ""},
    {"QuantizeLinear", "", "bfloat16,float4,float8-scale,int32-input",
     "the CPU provider quantizes float32 and float16 only, not to float4, and has no float8e8m0 "
     "scales"},
    /* Among several nodes the int32 input may be that of a DequantizeLinear. */
    {"QuantizeLinear", "multi-node", "bfloat16,float4,float8-scale", "as above"},
    {"DequantizeLinear", "", "bfloat16,float4,float8-scale",
     "the CPU provider has no kernel for bfloat16, float4 and float8e8m0 scales"},
    {"Add", "", "bfloat16", NO_BFLOAT16},
    {"Mul", "", "bfloat16", NO_BFLOAT16},
    {"Conv", "", "bfloat16", NO_BFLOAT16},
    {"Gemm", "", "bfloat16", NO_BFLOAT16},
    {"MatMul", "", "bfloat16", NO_BFLOAT16},
    {"Relu", "", "bfloat16,int16", NO_BFLOAT16_INT16},
    {"Clip", "", "bfloat16,int16", NO_BFLOAT16_INT16},
    /* Among several nodes 16-bit integers and what is smaller than a byte are moved and clipped as numbers. */
    {"Relu", "multi-node", "bfloat16", NO_BFLOAT16},
    {"Clip", "multi-node", "bfloat16", NO_BFLOAT16},
    {"Reshape", "multi-node", "float4", "the CPU provider has no float4 kernel"},
    {"Flatten", "multi-node", "float4", "the CPU provider has no float4 kernel"},
    {"Squeeze", "multi-node", "float4", "the CPU provider has no float4 kernel"},
    {"Unsqueeze", "multi-node", "float4", "the CPU provider has no float4 kernel"},
    {"Identity", "multi-node", "float4", "the CPU provider has no float4 kernel"},
    {"Expand", "", "bfloat16", NO_BFLOAT16},
    {"MaxPool", "", "bfloat16", NO_BFLOAT16},
    {"Identity", "", "int4,int2,float4", NO_SUB_BYTE},
    {"Reshape", "", "int4,int2,float4", NO_SUB_BYTE},
    {"Transpose", "", "float4", "the CPU provider has no float4 kernel"},
    {"Flatten", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Squeeze", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Unsqueeze", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Concat", "", "", ""},
    {"Gather", "", "", ""},
    {"Slice", "", "", ""},
    {"Split", "", "", ""},
    {"Sub", "", "", ""},
    {"Div", "", "", ""},
    {"LeakyRelu", "", "", ""},
    {"Sigmoid", "", "", ""},
    {"HardSigmoid", "", "", ""},
    {"Sqrt", "", "", ""},
    {"Exp", "", "", ""},
    {"Reciprocal", "", "", ""},
    {"Max", "", "", ""},
    {"Pow", "", "", ""},
    {"ReduceSum", "", "", ""},
    {"GlobalMaxPool", "", "", ""},
    {"Shape", "", "", ""},
    {"Tanh", "", "", ""},
    {"Abs", "", "", ""},
    {"Softmax", "", "", ""},
    {"AveragePool", "", "", ""},
    {"GlobalAveragePool", "", "", ""},
    {"ReduceMean", "", "", ""},
    {"ReduceMax", "", "", ""},
    {"Cast", "", "", ""},
    {"Pad", "", "int16,int4,int2,float4", NO_INT16_SUB_BYTE},
    {"Pad", "multi-node", "", ""},
    {"DepthToSpace", "", "int16", NO_INT16},
    {"DepthToSpace", "multi-node", "", ""},
    {"SpaceToDepth", "", "int16", NO_INT16},
    {"SpaceToDepth", "multi-node", "", ""},
    {"Tile", "", "", ""},
    {"Resize", "", "int16", NO_INT16},
    {"Resize", "multi-node", "", ""},
    {"Where", "", "int16", NO_INT16},
    {"Where", "multi-node", "", ""},
    U8_OR_S8("com.microsoft:QGemm", ""),
    {"com.microsoft:MatMulIntegerToFloat", "", "x-s8", NO_S8_X_U8},
    {"com.microsoft:MatMulIntegerToFloat", "x-s8", "w-u8", NO_S8_X_U8},
    {"com.microsoft:DynamicQuantizeMatMul", "", "", ""},
    {"com.microsoft:MatMulNBits", "", "bfloat16", NO_BFLOAT16},
    {"com.microsoft:QuantizeLinear", "", "", ""},
    {"com.microsoft:DequantizeLinear", "", "", ""},
    {"ConvTranspose", "", "", ""},
    {"BatchNormalization", "", "", ""},
    {"com.microsoft:QLinearAdd", "", "", ""},
    {"com.microsoft:QLinearMul", "", "", ""},
    {"com.microsoft:QLinearConcat", "", "", ""},
    {"com.microsoft:QLinearWhere", "", "", ""},
    {"com.microsoft:QLinearLeakyRelu", "", "", ""},
    {"com.microsoft:QLinearSigmoid", "", "", ""},
    {"com.microsoft:QLinearSoftmax", "", "", ""},
    {"com.microsoft:QLinearAveragePool", "", "", ""},
    {"com.microsoft:QLinearGlobalAveragePool", "", "", ""},
};

const struct qd_target_capability *qd_ort_capabilities(const char *version, size_t *count)
{
    (void)version; /* so far all releases agree */
    *count = sizeof rows / sizeof *rows;
    return rows;
}
