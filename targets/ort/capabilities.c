/* SPDX-License-Identifier: Apache-2.0 */
/* What ONNX Runtime declares that it can do. */
#include <string.h>

#include "ort/ort.h"
#include "qdiff/version_order.h"

/* What the CPU execution provider has kernels for, established by running every combination of types of every operator
 * on 1.20.1 to 1.32.0 (the command is in README.md). Only "could not find an implementation" counts: a combination that
 * has a kernel and fails is a finding. Rows of one operator are alternatives. Kernels begin with the version of
 * opset 6 or 7: rows say so of what has an earlier one. */

#define CONV_KERNELS "the CPU provider has kernels for u8 x {u8,s8} -> u8 and s8 x s8 -> s8 only"
#define NO_S8_X_U8 "the CPU provider has no kernel for s8 x u8"
#define NO_BFLOAT16 "the CPU provider has no bfloat16 kernel"
#define NO_BFLOAT16_INT16 "the CPU provider has no bfloat16 and no 16-bit integer kernel"
#define NO_INTEGER_GEMM "the CPU provider has no bfloat16 and no integer kernel"
#define NO_RELU "the CPU provider has no kernel for bfloat16, 16-bit integers and int64"
#define NO_PAD \
    "the CPU provider pads no bfloat16, float8, 16-bit integers and elements smaller than a byte"
#define NO_BLOCKS "the CPU provider has kernels for float, double and 8 bits only here"
#define NO_RESIZE "the CPU provider resizes float, float16, int32 and 8 bits only"
#define NO_WHERE "the CPU provider chooses between no bfloat16, 16-bit integers and booleans"
#define NO_FLOAT4 "the CPU provider has no float4 kernel"
#define NO_FLOAT4_FLOAT8 "the CPU provider has no kernel for float4 and float8 here"
#define NO_SUB_BYTE "the CPU provider moves no elements smaller than a byte"
#define NO_SUB_BYTE_FLOAT8 "the CPU provider moves no float8 and no elements smaller than a byte"

/* x is uint8, int8, or neither: what breaks a type rule has to be refused by the model checker, kernels or not. */
#define U8_OR_S8(op, excludes)                                                                     \
    {op, "x-u8", "y-s8" excludes, CONV_KERNELS}, {op, "x-s8", "w-u8,y-u8" excludes, CONV_KERNELS}, \
    {                                                                                              \
        op, "", "x-u8,x-s8" excludes, CONV_KERNELS                                                 \
    }

static const struct qd_target_capability rows[] = {
    {"com.microsoft:", "", "", "the domain of ONNX Runtime's own operators"},
    U8_OR_S8("QLinearConv", ""),
    U8_OR_S8("QLinearMatMul", ",bfloat16"),
    {"ConvInteger", "", "", ""},
    {"MatMulInteger", "", "", ""},
    {"DynamicQuantizeLinear", "", "", ""},
    {"QuantizeLinear", "", "bfloat16,float4,float8-scale,int32-input",
     "the CPU provider quantizes float32 and float16 only, not to float4, and has no float8e8m0 "
     "scales"},
    {"DequantizeLinear", "", "bfloat16,float4,float8-scale",
     "the CPU provider has no kernel for bfloat16, float4 and float8e8m0 scales"},
    {"Add", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"Mul", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"Conv", "", "bfloat16", NO_BFLOAT16},
    {"Gemm", "", "bfloat16,x-s32,x-s64", NO_INTEGER_GEMM},
    {"MatMul", "", "bfloat16", NO_BFLOAT16},
    {"Relu", "opset>=6", "bfloat16,int16,x-s64", NO_RELU},
    {"Clip", "opset>=6", "bfloat16,int16", NO_BFLOAT16_INT16},
    {"Expand", "", "bfloat16", NO_BFLOAT16},
    {"MaxPool", "opset>=8", "bfloat16", NO_BFLOAT16},
    {"MaxPool", "", "bfloat16,x-f64", "the CPU provider has no kernel for double before opset 8"},
    {"Identity", "", "int4,int2,float4", NO_SUB_BYTE},
    {"Reshape", "opset>=21", "int4,int2,float4", NO_SUB_BYTE},
    {"Reshape", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Shape", "opset>=21", "int4,int2,float4", NO_SUB_BYTE},
    {"Shape", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Transpose", "", "float4", NO_FLOAT4},
    {"Flatten", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Squeeze", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Unsqueeze", "", "int4,int2,float4,float8", NO_SUB_BYTE_FLOAT8},
    {"Concat", "", "", ""},
    {"Gather", "", "", ""},
    {"Slice", "", "", ""},
    {"Split", "", "", ""},
    {"Sub", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"Div", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"LeakyRelu", "opset>=6", "bfloat16", NO_BFLOAT16},
    {"Sigmoid", "opset>=6", "bfloat16", NO_BFLOAT16},
    {"HardSigmoid", "opset>=6", "", ""},
    {"HardSwish", "", "bfloat16", NO_BFLOAT16},
    {"Sqrt", "opset>=6", "bfloat16", NO_BFLOAT16},
    {"Exp", "opset>=6", "bfloat16", NO_BFLOAT16},
    {"Reciprocal", "opset>=6", "bfloat16", NO_BFLOAT16},
    {"Max", "opset>=6", "bfloat16,int16", NO_BFLOAT16_INT16},
    {"Pow", "", "bfloat16", NO_BFLOAT16},
    {"ReduceSum", "", "bfloat16", NO_BFLOAT16},
    {"GlobalMaxPool", "", "bfloat16", NO_BFLOAT16},
    {"Min", "opset>=6", "bfloat16,int16", NO_BFLOAT16_INT16},
    {"Equal", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"Less", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"Greater", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"Not", "", "", ""},
    {"Erf", "", "bfloat16", NO_BFLOAT16},
    {"ConstantOfShape", "", "", ""},
    {"Range", "", "", ""},
    {"Tanh", "opset>=6", "bfloat16", NO_BFLOAT16},
    {"Abs", "opset>=6", "bfloat16", NO_BFLOAT16},
    {"Softmax", "", "bfloat16", NO_BFLOAT16},
    {"AveragePool", "opset>=7", "bfloat16", NO_BFLOAT16},
    {"GlobalAveragePool", "", "bfloat16", NO_BFLOAT16},
    {"ReduceMean", "", "bfloat16", NO_BFLOAT16},
    {"ReduceMax", "", "bfloat16", NO_BFLOAT16},
    {"Cast", "", "float4", NO_FLOAT4},
    {"Pad", "", "bfloat16,float8,int16,int4,int2,float4", NO_PAD},
    {"DepthToSpace", "opset>=13", "bfloat16,int16,x-s32,x-s64,x-bool", NO_BLOCKS},
    {"DepthToSpace", "", "bfloat16,int16,x-s32,x-s64,x-bool,x-u8,x-s8", NO_BLOCKS},
    {"SpaceToDepth", "", "bfloat16,int16,x-s32,x-s64,x-bool", NO_BLOCKS},
    {"Tile", "", "bfloat16", NO_BFLOAT16},
    {"Resize", "", "bfloat16,int16,x-s64,x-bool,x-f64", NO_RESIZE},
    {"Where", "", "bfloat16,int16,x-bool", NO_WHERE},
    U8_OR_S8("com.microsoft:QGemm", ""),
    {"com.microsoft:MatMulIntegerToFloat", "", "x-s8", NO_S8_X_U8},
    {"com.microsoft:MatMulIntegerToFloat", "x-s8", "w-u8", NO_S8_X_U8},
    {"com.microsoft:DynamicQuantizeMatMul", "", "", ""},
    {"com.microsoft:MatMulNBits", "", "bfloat16", NO_BFLOAT16},
    {"com.microsoft:QuantizeLinear", "", "", ""},
    {"com.microsoft:DequantizeLinear", "", "", ""},
    {"ConvTranspose", "", "bfloat16", NO_BFLOAT16},
    {"BatchNormalization", "", "bfloat16", NO_BFLOAT16},
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

/* Between codes the operands are float32. */
#define NO_NARROW(before, op, since)                               \
    {                                                              \
        before,                                                    \
        {                                                          \
            op, since, "bfloat16,x-u8,x-s8,x-int16",               \
                "the CPU provider had no kernel for 8 and 16 bits" \
        }                                                          \
    }

/* What releases before `before` have in place of the rows of the same operator above. */
static const struct older {
    const char *before;
    struct qd_target_capability row;
} older[] = {
    NO_NARROW("1.21", "Add", "opset>=7"),
    NO_NARROW("1.21", "Mul", "opset>=7"),
    NO_NARROW("1.21", "Sub", "opset>=7"),
    NO_NARROW("1.21", "Div", "opset>=7"),
    NO_NARROW("1.21", "Equal", "opset>=7"),
    NO_NARROW("1.21", "Less", "opset>=7"),
    NO_NARROW("1.24", "Max", "opset>=6"),
    NO_NARROW("1.24", "Min", "opset>=6"),
    NO_NARROW("1.21", "Greater", "opset>=7"),
    {"1.21",
     {"DepthToSpace", "", "bfloat16,int16,x-s32,x-s64,x-bool,x-u8",
      "the CPU provider moved float and double alone here"}},
    {"1.23", {"Cast", "", "int4,float4", "the CPU provider had no kernel for 4 bits"}},
    {"1.24", {"ConvInteger", "", "x-s8,w-s8", "the CPU provider had a kernel for u8 x u8 only"}},
    {"1.24", {"MatMulInteger", "", "x-s8", NO_S8_X_U8}},
    {"1.24", {"MatMulInteger", "x-s8", "w-u8", NO_S8_X_U8}},
    {"1.24",
     {"QuantizeLinear", "", "bfloat16,float4,float8-scale,int32-input,opset>=23",
      "the CPU provider had no kernel of opset 23 and newer ones"}},
};

/* The newest opset that old releases read at all (IR version 10 goes with opset 22, 11 with 23), or that was released
 * when they were: one under development they refuse. */
static const struct {
    const char *before, *excludes;
} opsets[] = {
    {"1.21", "opset>=22"}, {"1.23", "opset>=23"}, {"1.24", "opset>=24"}, {"1.25", "opset>=26"}};

static bool is_before(const char *version, const char *before)
{
    return qd_version_order(version, before) < 0;
}

static bool is_replaced(const char *op, const char *version)
{
    for (size_t i = 0; i < sizeof older / sizeof *older; i++)
        if (is_before(version, older[i].before) && strcmp(older[i].row.op, op) == 0)
            return true;
    return false;
}

/* Takes the opsets that the release does not read from what the row allows. */
static bool limit_opset(struct qd_target_capability *row, const char *version,
                        struct qd_arena *arena)
{
    for (size_t i = 0; i < sizeof opsets / sizeof *opsets; i++)
        if (is_before(version, opsets[i].before)) {
            const char *excludes = opsets[i].excludes;
            row->excludes = qd_arena_printf(arena, "%s%s%s", row->excludes,
                                            *row->excludes ? "," : "", excludes);
            row->reason = qd_arena_printf(arena, "%s%sthis release reads no %s", row->reason,
                                          *row->reason ? "; " : "", excludes);
            break;
        }
    return row->excludes && row->reason;
}

const struct qd_target_capability *qd_ort_capabilities(const char *version, struct qd_arena *arena,
                                                       size_t *count)
{
    const size_t newest = sizeof rows / sizeof *rows, replacing = sizeof older / sizeof *older;
    struct qd_target_capability *made = qd_arena_array(arena, newest + replacing, sizeof *made);
    size_t used = 0;
    if (!made)
        return NULL;
    for (size_t i = 0; i < newest; i++)
        if (!is_replaced(rows[i].op, version))
            made[used++] = rows[i];
    for (size_t i = 0; i < replacing; i++)
        if (is_before(version, older[i].before))
            made[used++] = older[i].row;
    for (size_t i = 0; i < used; i++)
        if (!limit_opset(&made[i], version, arena))
            return NULL;
    *count = used;
    return made;
}
