/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a case as lines for people. */
#include "text/case_show.h"

#include <inttypes.h>

#include "qdiff/features.h"
#include "qdiff/quantizer.h"
#include "text/describe.h"

enum { SHOWN_ELEMENTS = 16 };

static const char *or_unknown(const char *text)
{
    return text ? text : "(out of memory)";
}

static const char *name_of(const struct qd_graph *graph, int value)
{
    return value == QD_NO_VALUE ? "(absent)" : graph->values[value].name;
}

static void print_if(FILE *out, const char *key, const char *value)
{
    if (value[0] != '\0')
        fprintf(out, "%-9s %s\n", key, value);
}

static void print_meta(FILE *out, const struct qd_case *kase)
{
    struct qd_features features;

    qd_case_features(kase, &features);
    print_if(out, "id", kase->id);
    print_if(out, "op", kase->op);
    fprintf(out, "%-9s %" PRId64 "\n", "opset", kase->opset);
    print_if(out, "expect", kase->expect == QD_EXPECT_VALID ? "valid" : "must-reject");
    print_if(out, "rule", kase->rule);
    print_if(out, "twin", kase->twin);
    print_if(out, "issue", kase->issue);
    print_if(out, "symptom", kase->symptom);
    print_if(out, "spec", kase->spec);
    print_if(out, "note", kase->note);
    char text[2048];
    print_if(out, "features", qd_features_describe(&features, text, sizeof text));
    for (size_t i = 0; i < kase->tag_count; i++)
        print_if(out, "tag", kase->tags[i]);
}

static void print_words(FILE *out, const char *key, const char *const *words)
{
    for (; *words; words++)
        fprintf(out, " --set %s%s", key, *words);
}

static void print_type(FILE *out, const char *key, int32_t type)
{
    enum qd_dtype dtype = qd_dtype_of_onnx(type);

    if (dtype != QD_DTYPE_NONE)
        fprintf(out, " --set %s=%s", key, qd_dtype_info(dtype)->word);
}

static void print_options(FILE *out, const struct qd_quantizer_options *options)
{
    fprintf(out, "asks      --set scheme=%s --set format=%s",
            options->scheme == QD_QUANTIZER_DYNAMIC ? "dynamic" : "static",
            options->format == QD_QUANTIZER_QOPERATOR ? "qoperator" : "qdq");
    print_type(out, "activation", options->activation_type);
    print_type(out, "weight", options->weight_type);
    fprintf(out, "%s%s%s%s%s", options->per_channel ? " --set per-channel" : "",
            options->reduce_range ? " --set reduce-range" : "",
            options->symmetric_activations ? " --set symmetric-activations" : "",
            options->symmetric_weights ? " --set symmetric-weights" : "",
            options->restricted_asymmetric ? " --set restricted-asymmetric" : "");
    print_words(out, "exclude=", options->exclude);
    print_words(out, "op=", options->ops);
    print_words(out, "", options->extra);
    fputc('\n', out);
}

void qd_case_show_request(FILE *out, const struct qd_case *kase, struct qd_arena *arena)
{
    struct qd_error error = {0};

    if (kase->request_size == 0)
        return;
    struct qd_quantizer_request request;
    if (qd_quantizer_request_of(kase, arena, &request, &error) != QD_OK) {
        fprintf(out, "asks      (%s)\n", error.text);
        return;
    }
    print_options(out, &request.options);
    for (size_t i = 0; i < request.range_count; i++) {
        const struct qd_quantizer_range *range = &request.ranges[i];

        fprintf(out, "          --range %s=%.9g,%.9g\n", range->tensor, (double)range->min,
                (double)range->max);
    }
    if (qd_quantizer_must_refuse(&request))
        fputs("expect    the tool refuses: a range is invalid\n", out);
}

static void print_tensor(FILE *out, const char *what, const char *name,
                         const struct qd_tensor *tensor, struct qd_arena *arena)
{
    fprintf(out, "%-9s %s = %s\n", what, name,
            or_unknown(qd_describe_tensor(tensor, SHOWN_ELEMENTS, arena)));
}

static void print_tensors(FILE *out, const struct qd_case *kase, struct qd_arena *arena)
{
    const struct qd_graph *graph = kase->graph;

    for (size_t i = 0; i < kase->input_count; i++)
        print_tensor(out, "input", name_of(graph, graph->inputs[i]), &kase->inputs[i], arena);
    for (size_t i = 0; i < graph->value_count; i++) {
        if (graph->values[i].initializer) {
            print_tensor(out, "constant", graph->values[i].name, graph->values[i].initializer,
                         arena);
        }
    }
}

static void print_node(FILE *out, const struct qd_graph *graph, const struct qd_node *node,
                       struct qd_arena *arena)
{
    fprintf(out, "node      %s%s%s", node->domain, node->domain[0] != '\0' ? ":" : "",
            node->op_type);
    for (size_t i = 0; i < node->input_count; i++)
        fprintf(out, "%s%s", i == 0 ? "(" : ", ", name_of(graph, node->inputs[i]));
    fputs(node->input_count == 0 ? "() ->" : ") ->", out);
    for (size_t i = 0; i < node->output_count; i++)
        fprintf(out, "%s%s", i == 0 ? " " : ", ", name_of(graph, node->outputs[i]));
    fputc('\n', out);
    for (size_t i = 0; i < node->attr_count; i++) {
        fprintf(out, "            %s = %s\n", node->attrs[i].name,
                or_unknown(qd_describe_attr(&node->attrs[i], arena)));
    }
}

static void print_outputs(FILE *out, const struct qd_case *kase, struct qd_arena *arena)
{
    const struct qd_graph *graph = kase->graph;

    for (size_t i = 0; i < graph->output_count; i++)
        fprintf(out, "output    %s\n", name_of(graph, graph->outputs[i]));
    for (size_t i = 0; i < kase->output_count && i < graph->output_count; i++) {
        print_tensor(out, "stored", name_of(graph, graph->outputs[i]), &kase->stored_outputs[i],
                     arena);
    }
    for (size_t i = 0; i < kase->wrong_count; i++) {
        print_tensor(out, "was wrong", name_of(graph, graph->outputs[i]), &kase->wrong_outputs[i],
                     arena);
    }
}

void qd_case_show_graph(FILE *out, const struct qd_case *kase, struct qd_arena *arena)
{
    print_tensors(out, kase, arena);
    for (size_t i = 0; i < kase->graph->node_count; i++)
        print_node(out, kase->graph, &kase->graph->nodes[i], arena);
    print_outputs(out, kase, arena);
}

void qd_case_show_steps(FILE *out, const struct qd_case *kase)
{
    for (size_t i = 0; i < kase->step_count; i++) {
        const struct qd_case_step *step = &kase->steps[i];

        fprintf(out, "before    %s", step->model_size > 0 ? "another model" : "the same model");
        if (step->runs == 0)
            fputs(", loaded", out);
        else
            fprintf(out, ", run %u time%s", step->runs, step->runs == 1 ? "" : "s");
        fputs(step->model_size == 0 ? "\n" : step->keep ? ", stays loaded\n" : ", released\n", out);
    }
}

/* The same, with what each step is. */
static void print_steps(FILE *out, const struct qd_case *kase, struct qd_arena *arena)
{
    for (size_t i = 0; i < kase->step_count; i++) {
        const struct qd_case_step *step = &kase->steps[i];
        struct qd_case as_case = *kase;

        as_case.steps = step;
        as_case.step_count = 1;
        qd_case_show_steps(out, &as_case);
        as_case.graph = step->graph;
        as_case.inputs = step->inputs;
        as_case.input_count = step->runs > 0 ? step->graph->input_count : 0;
        print_tensors(out, &as_case, arena);
    }
    if (kase->step_count > 0)
        fputs("then\n", out);
}

void qd_case_show(FILE *out, const struct qd_case *kase, struct qd_arena *arena)
{
    print_meta(out, kase);
    qd_case_show_request(out, kase, arena);
    print_steps(out, kase, arena);
    qd_case_show_graph(out, kase, arena);
}
