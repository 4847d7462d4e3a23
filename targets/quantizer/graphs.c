/* SPDX-License-Identifier: Apache-2.0 */
/* The float graphs of the quantizer suite, as rows of text. */
#include "quantizer/graphs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/build.h"

static const struct qd_quantizer_graph graphs[] = {
    /* single operators */
    {"conv", "@x:1,2,4,4 W:3,2,3,3", "Conv x,W y", "y", 10, 21},
    {"conv-bias", "@x:1,2,4,4 W:3,2,3,3 B:3", "Conv x,W,B y", "y", 10, 21},
    {"conv-square", "@x:1,3,4,4 W:3,3,1,1 B:3", "Conv x,W,B y", "y", 10, 21},
    {"conv-1d", "@x:1,2,6 W:4,2,3 B:4", "Conv x,W,B y", "y", 10, 21},
    {"conv-depthwise", "@x:1,3,4,4 W:3,1,3,3 B:3", "Conv x,W,B y group=3 pads=[1,1,1,1]", "y", 10,
     21},
    {"conv-transpose", "@x:1,3,2,2 W:3,2,2,2 B:2", "ConvTranspose x,W,B y", "y", 11, 21},
    {"matmul", "@x:5,4 W:4,8", "MatMul x,W y", "y", 10, 21},
    {"matmul-square", "@x:2,4 W:4,4", "MatMul x,W y", "y", 10, 21},
    {"matmul-batched", "@x:2,3,4 W:2,4,2", "MatMul x,W y", "y", 10, 21},
    {"matmul-bias", "@x:5,4 W:4,3 B:3", "MatMul x,W m;Add m,B y", "y", 10, 21},
    {"gemm", "@x:2,4 W:4,3 B:3", "Gemm x,W,B y", "y", 11, 21},
    {"gemm-transposed", "@x:2,4 W:3,4 B:3", "Gemm x,W,B y transB=1", "y", 11, 21},
    {"gemm-scaled", "@x:2,4 W:4,4 B:4", "Gemm x,W,B y alpha=0.5 beta=2.0", "y", 11, 21},
    {"add", "@x:2,3 @z:2,3", "Add x,z y", "y", 10, 21},
    {"add-constant", "@x:2,3 B:3", "Add x,B y", "y", 10, 21},
    {"mul", "@x:2,3 @z:2,3", "Mul x,z y", "y", 10, 21},
    {"max-pool", "@x:1,2,4,4", "MaxPool x y kernel_shape=[2,2]", "y", 12, 21},
    {"average-pool", "@x:1,2,4,4", "AveragePool x y kernel_shape=[2,2]", "y", 10, 18},
    {"global-average-pool", "@x:1,2,4,4", "GlobalAveragePool x y", "y", 10, 21},
    {"sigmoid", "@x:2,3", "Sigmoid x y", "y", 10, 21},
    {"leaky-relu", "@x:2,3", "LeakyRelu x y alpha=0.1", "y", 10, 15},
    {"softmax", "@x:2,4", "Softmax x y axis=1", "y", 13, 21},
    /* weights that more than one reads */
    {"weight-output", "@x:5,4 W:4,8", "MatMul x,W y;Identity W z", "y,z", 10, 21},
    {"matmul-then-abs", "@x:5,4 W:4,8", "MatMul x,W y;Abs W z", "y,z", 10, 21},
    {"abs-then-matmul", "@x:5,4 W:4,8", "Abs W z;MatMul x,W y", "y,z", 10, 21},
    {"matmul-then-abs-square", "@x:5,4 W:4,4", "MatMul x,W y;Abs W z", "y,z", 10, 21},
    {"conv-then-abs", "@x:1,2,4,4 W:3,2,3,3 B:3", "Conv x,W,B y;Abs W z", "y,z", 10, 21},
    {"gemm-then-abs", "@x:2,4 W:4,3 B:3", "Gemm x,W,B y;Abs W z", "y,z", 11, 21},
    {"two-convs-one-weight", "@x:1,2,4,4 @u:1,2,4,4 W:3,2,3,3", "Conv x,W y;Conv u,W z", "y,z", 10,
     21},
    {"conv-and-matmul-one-weight", "@x:1,3,3,1 @u:1,1,2,3 W:2,3,3,1", "Conv x,W y;MatMul u,W z",
     "y,z", 10, 21},
    /* activations */
    {"conv-relu", "@x:1,2,4,4 W:3,2,3,3 B:3", "Conv x,W,B c;Relu c y", "y", 10, 21},
    {"conv-clip", "@x:1,2,4,4 W:3,2,3,3 B:3", "Conv x,W,B c;Clip c y min=0.0 max=0.5", "y", 10, 10},
    {"conv-relu-output", "@x:1,2,4,4 W:3,2,3,3 B:3", "Conv x,W,B c;Relu c y", "c,y", 10, 21},
    {"relu-second-consumer", "@x:1,2,4,4 W:3,2,3,3 B:3", "Conv x,W,B c;Relu c y;Sigmoid c z", "y,z",
     10, 21},
    {"add-relu", "@x:2,3 @z:2,3", "Add x,z s;Relu s y", "y", 10, 21},
    {"matmul-relu-matmul", "@x:2,4 W:4,3 V:3,2", "MatMul x,W a;Relu a b;MatMul b,V y", "y", 10, 21},
    {"conv-conv", "@x:1,2,5,5 W:3,2,3,3 B:3 V:2,3,2,2 C:2", "Conv x,W,B a;Relu a b;Conv b,V,C y",
     "y", 10, 21},
    {"residual", "@x:1,2,4,4 W:2,2,3,3 B:2", "Conv x,W,B a pads=[1,1,1,1];Add a,x s;Relu s y", "y",
     10, 21},
    /* codes that move */
    {"conv-transpose-flatten", "@x:1,2,4,4 W:3,2,3,3 B:3",
     "Conv x,W,B a;Transpose a t perm=[0,2,3,1];Flatten t y", "y", 10, 21},
    {"conv-reshape", "@x:1,2,4,4 W:3,2,3,3 shape#1,-1", "Conv x,W a;Reshape a,shape y", "y", 10,
     18},
    {"conv-slice", "@x:1,2,4,4 W:3,2,3,3 from#0 to#2 axes#1", "Conv x,W a;Slice a,from,to,axes y",
     "y", 10, 21},
    {"conv-unsqueeze", "@x:1,2,4,4 W:3,2,3,3 axes#0", "Conv x,W a;Unsqueeze a,axes y", "y", 13, 21},
    {"conv-max-pool", "@x:1,2,5,5 W:3,2,2,2 B:3", "Conv x,W,B a;MaxPool a y kernel_shape=[2,2]",
     "y", 12, 21},
    /* concatenation */
    {"class-token", "@x:1,2,4,4 W:3,2,2,2 B:3 token:1,1,3 position:1,5,3",
     "Conv x,W,B a strides=[2,2];Flatten a f axis=2;Transpose f t perm=[1,0];"
     "Unsqueeze t u axes=[0];Concat token,u c axis=1;Add c,position y",
     "y", 11, 12},
    {"class-token-reshape", "@x:1,2,4,4 W:3,2,2,2 B:3 token:1,1,3 position:1,5,3 shape#1,3,4",
     "Conv x,W,B a strides=[2,2];Reshape a,shape f;Transpose f t perm=[0,2,1];"
     "Concat token,t c axis=1;Add c,position y",
     "y", 10, 18},
    {"concat-nested", "@x:2,4 W:4,3 V:4,2 @z:2,1",
     "MatMul x,W a;MatMul x,V b;Concat a,b c axis=1;Concat z,c y axis=1", "y", 10, 21},
    {"concat-shared-chains", "@x:2,4 W:4,3",
     "MatMul x,W a;Transpose a t perm=[1,0];Transpose a u perm=[1,0];Concat t,u y axis=0", "y", 10,
     21},
    {"concat-constant-first", "@x:2,4 W:4,3 k:2,3", "MatMul x,W a;Concat k,a y axis=0", "y", 10,
     21},
    {"concat-input-first", "@x:2,4 W:4,3 @z:2,3", "MatMul x,W a;Concat z,a y axis=0", "y", 10, 21},
    {"concat-twice", "@x:2,3", "Concat x,x y axis=1", "y", 10, 21},
    {"matmul-concat-twice", "@x:2,4 W:4,3", "MatMul x,W a;Concat a,a y axis=1", "y", 10, 21},
    /* constants that two layers read, or a layer and something else */
    {"convs-one-bias", "@x:1,2,4,4 W:3,2,3,3 V:3,2,3,3 B:3", "Conv x,W,B y;Conv x,V,B z", "y,z", 10,
     21},
    {"gemms-one-bias", "@x:2,4 W:4,3 V:3,3 B:3", "Gemm x,W,B a;Gemm a,V,B y", "y", 11, 21},
    {"bias-then-add", "@x:2,4 W:4,3 B:3", "Gemm x,W,B a;Add a,B y", "y", 11, 21},
    {"add-then-bias", "@x:2,4 W:4,4 B:4", "Add x,B a;Gemm a,W,B y", "y", 11, 21},
    {"matmul-then-gather", "@x:5,4 W:4,8 ids#2,0", "MatMul x,W y;Gather W,ids z", "y,z", 10, 21},
    {"gather-then-matmul", "@x:5,4 W:4,8 ids#2,0", "Gather W,ids z;MatMul x,W y", "y,z", 10, 21},
    {"tied-embedding", "@x:2,4 W:5,4 ids#3,1", "Gather W,ids e;Add x,e s;Gemm s,W y transB=1", "y",
     11, 21},
    {"gemm-then-gather", "@x:2,4 W:5,4 ids#3,1", "Gemm x,W y transB=1;Gather W,ids z", "y,z", 11,
     21},
    {"constant-is-output", "@x:5,4 W:4,8", "MatMul x,W y", "y,W", 10, 21},
    {"bias-is-output", "@x:2,4 W:4,3 B:3", "Gemm x,W,B y", "y,B", 11, 21},
    {"transposed-constant", "@x:2,4 W:3,4", "Transpose W t perm=[1,0];MatMul x,t y", "y", 10, 21},
    {"constant-first", "@x:4,3 W:2,4", "MatMul W,x y", "y", 10, 21},
    {"mul-constant", "@x:2,3 B:2,3", "Mul x,B y", "y", 10, 21},
    {"mul-scalar", "@x:2,3 k=-0.3", "Mul x,k y", "y", 10, 21},
    {"sub-constant", "@x:2,3 B:3", "Sub x,B y", "y", 10, 21},
    {"constant-sub", "@x:2,3 B:3", "Sub B,x y", "y", 10, 21},
    {"add-scalar", "@x:2,3 k=2.5", "Add k,x y", "y", 10, 21},
    {"conv-clip-scalars", "@x:1,2,4,4 W:3,2,3,3 B:3 low=0 high=0.5",
     "Conv x,W,B c;Clip c,low,high y", "y", 11, 21},
    /* values that two read, that are outputs too, or that one reads twice */
    {"one-input-two-layers", "@x:1,1,4,4 W:3,1,2,2 V:4,3", "Conv x,W y;MatMul x,V z", "y,z", 10,
     21},
    {"matmuls-one-input", "@x:2,4 W:4,3 V:4,3", "MatMul x,W a;MatMul x,V b;Add a,b y", "y", 10, 21},
    {"two-readers", "@x:2,4 W:4,3 V:3,2", "MatMul x,W a;MatMul a,V y;Softmax a z axis=1", "y,z", 13,
     21},
    {"residual-output", "@x:1,2,4,4 W:2,2,3,3 B:2",
     "Conv x,W,B a pads=[1,1,1,1];Add a,x s;Relu s y", "a,y", 10, 21},
    {"matmul-output-matmul", "@x:2,4 W:4,3 V:3,2", "MatMul x,W a;MatMul a,V y", "a,y", 10, 21},
    {"max-pool-output-conv", "@x:1,2,5,5 W:3,2,2,2 B:3",
     "MaxPool x a kernel_shape=[2,2];Conv a,W,B y", "a,y", 12, 21},
    {"conv-output-max-pool", "@x:1,2,5,5 W:3,2,2,2 B:3",
     "Conv x,W,B a;MaxPool a y kernel_shape=[2,2]", "a,y", 12, 21},
    {"split", "@x:2,4 W:2,3 V:2,3 parts#2,2", "Split x,parts a,b axis=1;MatMul a,W y;MatMul b,V z",
     "y,z", 13, 21},
    {"matmul-split", "@x:2,4 W:4,4 V:2,3 parts#2,2",
     "MatMul x,W c;Split c,parts a,y axis=1;MatMul a,V z", "y,z", 13, 21},
    {"add-itself", "@x:2,3", "Add x,x y", "y", 10, 21},
    {"mul-itself", "@x:2,3", "Mul x,x y", "y", 10, 21},
    {"matmul-itself", "@x:3,3", "MatMul x,x y", "y", 10, 21},
    {"matmul-activations", "@x:2,4 @z:4,3", "MatMul x,z y", "y", 10, 21},
    {"relu-matmul", "@x:2,4 W:4,3", "Relu x a;MatMul a,W y", "y", 10, 21},
    /* padding, with a constant outside the input's range; sizes, normalization, other curves */
    {"pad-conv", "@x:1,2,3,3 W:3,2,3,3 pads#0,0,1,1,0,0,1,1 fill=-9.5",
     "Pad x,pads,fill p;Conv p,W y", "y", 11, 21},
    {"conv-pad", "@x:1,2,4,4 W:3,2,3,3 pads#0,0,1,0,0,0,0,1 fill=-9.5",
     "Conv x,W a;Pad a,pads,fill y", "y", 11, 21},
    {"conv-pad-zero", "@x:1,2,4,4 W:3,2,3,3 B:3 pads#0,0,1,0,0,0,0,1", "Conv x,W,B a;Pad a,pads y",
     "y", 11, 21},
    {"conv-resize", "@x:1,2,4,4 W:3,2,3,3 sizes#1,3,4,4", "Conv x,W a;Resize a,,,sizes y", "y", 13,
     21},
    {"reduce-mean", "@x:2,4", "ReduceMean x y axes=[1]", "y", 10, 17},
    {"normalization", "@x:2,4 e=0.001",
     "ReduceMean x m axes=[1];Sub x,m d;Mul d,d q;ReduceMean q v axes=[1];Add v,e w;Sqrt w r;"
     "Div d,r y",
     "y", 10, 17},
    {"hard-sigmoid", "@x:2,3 W:3,4", "MatMul x,W a;HardSigmoid a y", "y", 10, 21},
    {"hard-swish", "@x:2,3 W:3,4", "MatMul x,W a;HardSwish a y", "y", 14, 21},
    {"where", "@x:2,3 @z:2,3 W:3,4", "Greater x,z g;Where g,x,z a;MatMul a,W y", "y", 10, 21},
    {"tanh-matmul", "@x:2,3 W:3,4", "Tanh x a;MatMul a,W y", "y", 10, 21},
};

const struct qd_quantizer_graph *qd_quantizer_graph_at(size_t i)
{
    return i < sizeof graphs / sizeof *graphs ? &graphs[i] : NULL;
}

bool qd_quantizer_graph_has_half(const struct qd_quantizer_graph *graph)
{
    static const char *const without[] = {"HardSigmoid", "HardSwish"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strstr(graph->nodes, without[i]))
            return false;
    return true;
}

/* A graph being built. */
struct plan {
    struct qd_builder *builder;
    struct qd_arena *arena;
    enum qd_dtype dtype;
    struct qd_quantizer_data data;
    enum qd_status status;
    struct qd_error *error;
};

/* "1,-2,3" */
static size_t read_numbers(const char *text, int64_t *numbers, size_t most)
{
    size_t count = 0;
    for (char *end; count < most; text = end + 1) {
        numbers[count++] = strtoll(text, &end, 10);
        if (*end != ',')
            break;
    }
    return count;
}

static void set(const struct qd_tensor *tensor, int64_t i, double x)
{
    x = qd_float_round(tensor->dtype, QD_NEAREST_EVEN, x);
    qd_tensor_set(tensor, i, (int64_t)qd_float_encode(tensor->dtype, x, true));
}

static void fill_input(const struct plan *plan, const struct qd_tensor *tensor)
{
    double step =
        tensor->count > 1 ? (plan->data.high - plan->data.low) / (double)(tensor->count - 1) : 0;
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t place =
            i * 7 % tensor->count; /* both ends occur whatever the count: 0 and count − 1 */
        if (tensor->count % 7 == 0)
            place = i;
        set(tensor, i, plan->data.low + step * (double)place);
    }
}

/* Numbers of both signs; each index of axis 0, and of the last axis, has its own size. */
static void fill_constant(const struct qd_tensor *tensor, uint32_t seed)
{
    int64_t last = tensor->rank ? tensor->dims[tensor->rank - 1] : 1;
    int64_t inner = tensor->rank && tensor->dims[0] ? tensor->count / tensor->dims[0] : 1;
    for (int64_t i = 0; i < tensor->count; i++) {
        int64_t k = (i * 37 + seed * 11) % 61;
        int64_t outer = i / inner;
        double size = ldexp(1 + 0.375 * (double)outer, (int)-(i % last) % 3);
        set(tensor, i, (double)(k - 28) / 64 * size);
    }
}

/* "name=number": a constant without dimensions. */
static void add_scalar(struct plan *plan, const char *name, const char *number)
{
    struct qd_tensor tensor;
    plan->status = qd_tensor_init(&tensor, plan->arena, plan->dtype, 0, NULL, plan->error);
    if (plan->status != QD_OK)
        return;
    set(&tensor, 0, strtod(number, NULL));
    qd_build_tensor(plan->builder, name, &tensor, false);
}

static void fill(const struct plan *plan, const char *name, const struct qd_tensor *tensor,
                 bool input)
{
    if (input)
        fill_input(plan, tensor);
    else
        fill_constant(tensor, (uint32_t)(unsigned char)name[0]);
    qd_build_tensor(plan->builder, name, tensor, input);
}

static void add_integers(struct plan *plan, const char *name, const int64_t *numbers, size_t count)
{
    struct qd_tensor tensor;
    int64_t length = (int64_t)count;
    plan->status = qd_tensor_init(&tensor, plan->arena, QD_S64, 1, &length, plan->error);
    if (plan->status != QD_OK)
        return;
    for (size_t i = 0; i < count; i++)
        qd_tensor_set(&tensor, (int64_t)i, numbers[i]);
    qd_build_tensor(plan->builder, name, &tensor, false);
}

static void add_tensor(struct plan *plan, char *text)
{
    bool input = *text == '@';
    char *name = text + input, *list = name + strcspn(name, ":#="), kind = *list;
    int64_t numbers[QD_MAX_RANK];
    struct qd_tensor tensor;
    *list++ = '\0';
    if (plan->status != QD_OK)
        return;
    if (kind == '=') {
        add_scalar(plan, name, list);
        return;
    }
    size_t count = read_numbers(list, numbers, QD_MAX_RANK);
    if (kind == '#') {
        add_integers(plan, name, numbers, count);
        return;
    }
    plan->status =
        qd_tensor_init(&tensor, plan->arena, plan->dtype, (unsigned)count, numbers, plan->error);
    if (plan->status == QD_OK)
        fill(plan, name, &tensor, input);
}

static void add_attribute(struct plan *plan, char *text)
{
    char *value = strchr(text, '=');
    int64_t numbers[QD_MAX_RANK];
    *value++ = '\0';
    if (*value == '[')
        qd_build_attr_ints(plan->builder, text, numbers,
                           read_numbers(value + 1, numbers, QD_MAX_RANK));
    else if (strchr(value, '.'))
        qd_build_attr_float(plan->builder, text, strtof(value, NULL));
    else
        qd_build_attr_int(plan->builder, text, strtoll(value, NULL, 10));
}

static void add_node(struct plan *plan, char *text)
{
    char *rest, *op = strtok_r(text, " ", &rest), *inputs = strtok_r(NULL, " ", &rest);
    char *outputs = strtok_r(NULL, " ", &rest);
    qd_build_node(plan->builder, "", op, inputs, outputs);
    for (char *word; (word = strtok_r(NULL, " ", &rest));)
        add_attribute(plan, word);
}

/* Hands each part of the text to `add`. */
static void split(struct plan *plan, const char *text, const char *separator,
                  void (*add)(struct plan *plan, char *part))
{
    char *copy = qd_arena_string(plan->arena, text), *rest;
    if (!copy) {
        plan->status = qd_fail(plan->error, QD_NO_MEMORY, "no memory for a graph");
        return;
    }
    for (char *part = strtok_r(copy, separator, &rest); part;
         part = strtok_r(NULL, separator, &rest))
        add(plan, part);
}

static void add_output(struct plan *plan, char *name)
{
    qd_build_output(plan->builder, name, plan->dtype, -1, NULL);
}

enum qd_status qd_quantizer_graph_build(const struct qd_quantizer_graph *graph, int64_t opset,
                                        enum qd_dtype dtype, struct qd_quantizer_data data,
                                        const char *id, struct qd_arena *arena,
                                        struct qd_case *kase, struct qd_error *error)
{
    struct plan plan = {.builder = qd_build_begin(arena, opset),
                        .arena = arena,
                        .dtype = dtype,
                        .data = data,
                        .error = error};
    if (!plan.builder)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a graph");
    split(&plan, graph->tensors, " ", add_tensor);
    split(&plan, graph->nodes, ";", add_node);
    split(&plan, graph->outputs, ",", add_output);
    qd_build_tag(plan.builder, graph->name);
    return plan.status == QD_OK ? qd_build_finish(plan.builder, id, false, kase, error)
                                : plan.status;
}
