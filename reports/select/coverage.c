/* SPDX-License-Identifier: Apache-2.0 */
/* Counts which rules, types and opsets the cases cover, and asks the reference about the holes. */
#include "select/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "digest/array.h"
#include "qdiff/answer.h"
#include "qdiff/memory_stream.h"
#include "qdiff/suite.h"
#include "text/json_write.h"

#define SAMPLE_BUDGET ((size_t)256 << 20)

static enum qd_status no_memory(struct qd_error *error)
{
    return qd_fail(error, QD_NO_MEMORY, "no memory for the coverage");
}

/* --- Counting ---------------------------------------------------------------------------------- */

/* A graph whose outputs are all of its values that nodes compute: their types become known. */
static enum qd_status open_graph(const struct qd_graph *graph, struct qd_arena *arena,
                                 struct qd_graph *opened, struct qd_error *error)
{
    int *outputs = qd_arena_array(arena, graph->value_count, sizeof *outputs);

    *opened = *graph;
    if (!outputs)
        return no_memory(error);
    opened->outputs = outputs;
    opened->output_count = 0;
    for (size_t n = 0; n < graph->node_count; n++) {
        for (size_t i = 0; i < graph->nodes[n].output_count; i++)
            if (graph->nodes[n].outputs[i] != QD_NO_VALUE)
                outputs[opened->output_count++] = graph->nodes[n].outputs[i];
    }
    return QD_OK;
}

/* The type of every value. */
static enum qd_status find_types(const struct qd_case *kase, struct qd_arena *arena,
                                 enum qd_dtype **types, struct qd_error *error)
{
    const struct qd_graph *graph = kase->graph;
    enum qd_dtype *found = qd_arena_array(arena, graph->value_count, sizeof *found);
    const struct qd_tensor *computed;
    struct qd_graph opened;
    enum qd_status status = open_graph(graph, arena, &opened, error);

    if (!found)
        return no_memory(error);
    if (status == QD_OK)
        status = qd_graph_shapes(QD_MAX_WORK, &opened, kase->inputs, arena, &computed, error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < graph->value_count; i++) {
        const struct qd_tensor *constant = graph->values[i].initializer;

        found[i] = constant ? constant->dtype : QD_DTYPE_NONE;
    }
    for (size_t i = 0; i < graph->input_count; i++)
        found[graph->inputs[i]] = kase->inputs[i].dtype;
    for (size_t i = 0; i < opened.output_count; i++)
        found[opened.outputs[i]] = computed[i].dtype;
    *types = found;
    return QD_OK;
}

static void write_types(const int *values, size_t count, const enum qd_dtype *types, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        bool absent = !types || values[i] == QD_NO_VALUE;

        fprintf(out, " %s", absent ? "-" : qd_dtype_info(types[values[i]])->word);
    }
}

/* "QLinearConv: u8 f32 u8 -> u8"; free it. NULL when out of memory. */
static char *describe_node(const struct qd_node *node, const enum qd_dtype *types)
{
    struct qd_memory_stream stream;

    if (!qd_memory_open(&stream))
        return NULL;
    FILE *out = stream.out;
    fprintf(out, "%s%s%s:", node->domain, node->domain[0] != '\0' ? ":" : "", node->op_type);
    write_types(node->inputs, node->input_count, types, out);
    fputs(" ->", out);
    write_types(node->outputs, node->output_count, types, out);
    return qd_memory_close(&stream) ? stream.text : NULL;
}

static enum qd_status add_row(struct qd_coverage *coverage, const struct qd_node *node, char *types,
                              const struct qd_digest *key, struct qd_error *error)
{
    struct qd_coverage_row *rows =
        qd_array_grow(coverage->rows, coverage->count, &coverage->capacity, sizeof *rows);

    if (!rows)
        return no_memory(error);
    coverage->rows = rows;
    if (qd_digest_map_put(&coverage->index, key, (unsigned)coverage->count, error) != QD_OK)
        return error->status;
    coverage->rows[coverage->count++] = (struct qd_coverage_row){.op = node->op, .types = types};
    return QD_OK;
}

/* Of several cases one with a single node says the most about the operator. */
static enum qd_status keep_sample(struct qd_coverage_row *row, const struct qd_case *kase,
                                  struct qd_arena *arena, struct qd_error *error)
{
    size_t nodes = kase->graph->node_count, size;
    uint8_t *bytes, *copy;

    if (row->sample && nodes >= row->sample_nodes)
        return QD_OK;
    enum qd_status status = qd_case_encode(kase, arena, &bytes, &size, error);
    copy = status == QD_OK ? malloc(size) : NULL;
    if (!copy)
        return status == QD_OK ? no_memory(error) : status;
    memcpy(copy, bytes, size);
    free(row->sample);
    row->sample = copy;
    row->sample_size = size;
    row->sample_nodes = nodes;
    return QD_OK;
}

static enum qd_status count_node(struct qd_coverage *coverage, const struct qd_case *kase,
                                 const struct qd_node *node, const enum qd_dtype *types,
                                 struct qd_arena *arena, struct qd_error *error)
{
    char *text = describe_node(node, types);

    if (!text)
        return no_memory(error);
    struct qd_digest key = qd_digest_of_text(text);
    const unsigned *at = qd_digest_map_get(&coverage->index, &key);
    if (at) {
        free(text);
    } else if (add_row(coverage, node, text, &key, error) != QD_OK) {
        free(text);
        return error->status;
    }
    struct qd_coverage_row *row = &coverage->rows[at ? *at : coverage->count - 1];
    row->cases[node->opset < QD_MAX_OPSET ? node->opset : QD_MAX_OPSET]++;
    return keep_sample(row, kase, arena, error);
}

static enum qd_status count_rule(struct qd_coverage *coverage, const char *rule,
                                 struct qd_error *error)
{
    struct qd_digest key = qd_digest_of_text(rule);

    return qd_digest_map_get(&coverage->rules, &key)
               ? QD_OK
               : qd_digest_map_put(&coverage->rules, &key, 1, error);
}

enum qd_status qd_coverage_add(struct qd_coverage *coverage, const struct qd_case *kase,
                               struct qd_arena *arena, struct qd_error *error)
{
    enum qd_dtype *types = NULL;

    if (kase->expect == QD_EXPECT_MUST_REJECT)
        return count_rule(coverage, kase->rule, error);
    enum qd_status status = find_types(kase, arena, &types, error);
    for (size_t i = 0; status == QD_OK && i < kase->graph->node_count; i++)
        status = count_node(coverage, kase, &kase->graph->nodes[i], types, arena, error);
    return status;
}

void qd_coverage_clear(struct qd_coverage *coverage)
{
    for (size_t i = 0; i < coverage->count; i++) {
        free(coverage->rows[i].types);
        free(coverage->rows[i].sample);
    }
    free(coverage->rows);
    qd_digest_map_clear(&coverage->index);
    qd_digest_map_clear(&coverage->rules);
    *coverage = (struct qd_coverage){0};
}

/* --- Why a cell is empty ------------------------------------------------------------------------ */

/* What the reference says of the row's sample, moved to another opset: the rule, the sentence, or "hole". */
static enum qd_status explain(const struct qd_coverage_row *row, int64_t opset, char *why,
                              size_t size, struct qd_arena *arena, struct qd_error *error)
{
    struct qd_case kase;
    struct qd_error said = {0};
    enum qd_status status = qd_case_decode(row->sample, row->sample_size, arena, &kase, error);

    if (status != QD_OK)
        return status;
    struct qd_graph moved = *kase.graph;
    struct qd_node *nodes = qd_arena_array(arena, moved.node_count, sizeof *nodes);
    const struct qd_tensor *shapes;
    if (!nodes)
        return no_memory(error);
    for (size_t i = 0; i < moved.node_count; i++) {
        nodes[i] = kase.graph->nodes[i];
        nodes[i].opset = nodes[i].domain[0] == '\0' ? opset : nodes[i].opset;
    }
    moved.nodes = nodes;
    status = qd_graph_shapes(QD_MAX_WORK, &moved, kase.inputs, arena, &shapes, &said);
    snprintf(why, size, "%s",
             status == QD_OK        ? "hole"
             : said.rule[0] != '\0' ? said.rule
                                    : said.text);
    return status == QD_NO_MEMORY ? qd_fail(error, status, "%s", said.text) : QD_OK;
}

/* One run of opsets that say the same. */
static void write_run(int64_t first, int64_t last, const char *what, bool begun, FILE *out)
{
    fprintf(out, "%s%lld", begun ? "; " : "", (long long)first);
    if (last > first)
        fprintf(out, "-%lld", (long long)last);
    fprintf(out, ": %s", what);
}

static enum qd_status write_opsets(const struct qd_coverage_row *row, FILE *out,
                                   struct qd_error *error)
{
    int64_t least = row->op->domain[0] == '\0' ? row->op->since : 1, start = least;
    int64_t most = row->op->domain[0] == '\0' ? QD_MAX_OPSET : 1;
    char what[400], before[400] = "";
    struct qd_arena arena;
    enum qd_status status = QD_OK;

    qd_arena_init(&arena, SAMPLE_BUDGET);
    for (int64_t opset = least; status == QD_OK && opset <= most; opset++) {
        qd_arena_reset(&arena);
        if (row->cases[opset] > 0)
            snprintf(what, sizeof what, "%zu", row->cases[opset]);
        else
            status = explain(row, opset, what, sizeof what, &arena, error);
        if (opset > least && strcmp(what, before) != 0) {
            write_run(start, opset - 1, before, start > least, out);
            start = opset;
        }
        snprintf(before, sizeof before, "%s", what);
    }
    write_run(start, most, before, start > least, out);
    qd_arena_clear(&arena);
    return status;
}

/* --- Printing ----------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct qd_coverage_row *const *left = a, *const *right = b;

    return strcmp((*left)->types, (*right)->types);
}

static void print_rules(const struct qd_coverage *coverage, const struct qd_op *op, FILE *out)
{
    char rule[96];
    size_t count = 0, covered = 0;

    for (size_t i = 0; qd_op_rule(op, i, rule, sizeof rule); i++) {
        struct qd_digest key = qd_digest_of_text(rule);

        count++;
        covered += qd_digest_map_get(&coverage->rules, &key) != NULL;
    }
    fprintf(out, "%zu of %zu rules have a must-reject case", covered, count);
    for (size_t i = 0; qd_op_rule(op, i, rule, sizeof rule); i++) {
        struct qd_digest key = qd_digest_of_text(rule);

        if (!qd_digest_map_get(&coverage->rules, &key))
            fprintf(out, "\n- hole: %s", rule);
    }
    fputs("\n", out);
}

static enum qd_status print_op(const struct qd_coverage *coverage, const struct qd_op *op,
                               struct qd_coverage_row *const *rows, bool markdown, FILE *out,
                               struct qd_error *error)
{
    enum qd_status status = QD_OK;
    size_t found = 0;

    fprintf(out, "\n%s%s%s%s\n\n", markdown ? "## " : "", op->domain,
            op->domain[0] != '\0' ? ":" : "", op->name);
    print_rules(coverage, op, out);
    for (size_t i = 0; status == QD_OK && i < coverage->count; i++) {
        if (rows[i]->op != op)
            continue;
        if (found++ == 0)
            fputs(markdown ? "\n| types | opset: cases, or why none |\n|---|---|\n" : "\n", out);
        fprintf(out, markdown ? "| %s | " : "  %s  |  ", strchr(rows[i]->types, ' ') + 1);
        status = write_opsets(rows[i], out, error);
        fputs(markdown ? " |\n" : "\n", out);
    }
    if (found == 0)
        fputs("\nhole: no valid case\n", out);
    return status;
}

static enum qd_status print_table(const struct qd_family *family, bool markdown, FILE *out,
                                  struct qd_error *error)
{
    struct qd_arena arena;
    size_t covered = 0, possible;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct qd_covering rows;
    enum qd_status status = qd_covering_make(family->table, family->strength, &arena, &rows, error);
    if (status == QD_OK)
        status = qd_covering_count(family->table, &rows, &arena, &covered, error);
    if (status == QD_OK) {
        possible = rows.tuples - rows.impossible;
        fprintf(out,
                markdown ? "| %s | %u | %zu | %u | %zu | %zu | %.2f %% |\n"
                         : "%-28s %8u %7zu %10u %10zu %10zu %8.2f %%\n",
                family->name, family->table->factor_count, rows.row_count, family->strength,
                possible, covered, 100.0 * (double)covered / (double)possible);
    }
    qd_arena_clear(&arena);
    return status;
}

enum qd_status qd_coverage_print_tables(bool markdown, FILE *out, struct qd_error *error)
{
    enum qd_status status = QD_OK;

    fputs(markdown
              ? "\n# Features\n\n| family | features | rows | at once | combinations | covered | "
                "share |\n|---|---|---|---|---|---|---|\n"
              : "\nfamily                       features    rows    at once   possible    covered  "
                "    share\n",
          out);
    const struct qd_family *family;
    for (size_t i = 0; status == QD_OK && (family = qd_family_at(i)) != NULL; i++)
        if (family->table)
            status = print_table(family, markdown, out, error);
    return status;
}

/* By types; NULL when out of memory. */
static struct qd_coverage_row **sorted_rows(const struct qd_coverage *coverage)
{
    struct qd_coverage_row **rows = calloc(coverage->count + 1, sizeof(struct qd_coverage_row *));

    for (size_t i = 0; rows && i < coverage->count; i++)
        rows[i] = &coverage->rows[i];
    if (rows)
        qsort(rows, coverage->count, sizeof(struct qd_coverage_row *), compare_rows);
    return rows;
}

enum qd_status qd_coverage_print(const struct qd_coverage *coverage,
                                 const struct qd_selection *selection, bool markdown, FILE *out,
                                 struct qd_error *error)
{
    struct qd_coverage_row **rows = sorted_rows(coverage);
    const struct qd_op *op;
    enum qd_status status = QD_OK;

    if (!rows)
        return no_memory(error);
    fprintf(out,
            "%sCoverage\n\nRules: which a must-reject case breaks. Types: of a node's inputs and "
            "outputs in some valid "
            "case, and at\neach opset how many cases have them. Where none has, the rule or the "
            "sentence by which the "
            "reference refuses a\ncase with these types, moved to that opset; \"hole\" where it "
            "takes it.\n",
            markdown ? "# " : "");
    for (size_t i = 0; status == QD_OK && (op = qd_op_at(i)) != NULL; i++)
        if (qd_selection_takes_op(selection, op))
            status = print_op(coverage, op, rows, markdown, out, error);
    free(rows);
    return status;
}

/* --- As JSON ------------------------------------------------------------------------------------ */

static void write_rules(struct qd_json *json, const struct qd_coverage *coverage,
                        const struct qd_op *op)
{
    char rule[96];
    int64_t count = 0;

    qd_json_open(json, "uncovered", '[');
    for (; qd_op_rule(op, (size_t)count, rule, sizeof rule); count++) {
        struct qd_digest key = qd_digest_of_text(rule);

        if (!qd_digest_map_get(&coverage->rules, &key))
            qd_json_string(json, NULL, rule);
    }
    qd_json_close(json, ']');
    qd_json_int(json, "rules", count);
}

/* [types, opsets] */
static enum qd_status write_row(struct qd_json *json, const struct qd_coverage_row *row,
                                struct qd_error *error)
{
    struct qd_memory_stream stream;

    if (!qd_memory_open(&stream))
        return no_memory(error);
    enum qd_status status = write_opsets(row, stream.out, error);
    if (!qd_memory_close(&stream) && status == QD_OK)
        status = no_memory(error);
    if (status == QD_OK) {
        qd_json_open(json, NULL, '[');
        qd_json_string(json, NULL, strchr(row->types, ' ') + 1);
        qd_json_string(json, NULL, stream.text);
        qd_json_close(json, ']');
    }
    free(stream.text);
    return status;
}

static enum qd_status write_op(struct qd_json *json, const struct qd_coverage *coverage,
                               const struct qd_op *op, struct qd_coverage_row *const *rows,
                               struct qd_error *error)
{
    enum qd_status status = QD_OK;

    qd_json_open(json, NULL, '{');
    qd_json_string(json, "domain", op->domain);
    qd_json_string(json, "op", op->name);
    write_rules(json, coverage, op);
    qd_json_open(json, "types", '[');
    for (size_t i = 0; i < coverage->count && status == QD_OK; i++)
        if (rows[i]->op == op)
            status = write_row(json, rows[i], error);
    qd_json_close(json, ']');
    qd_json_close(json, '}');
    return status;
}

enum qd_status qd_coverage_write(const struct qd_coverage *coverage, FILE *out,
                                 struct qd_error *error)
{
    struct qd_coverage_row **rows = sorted_rows(coverage);
    const struct qd_op *op;
    enum qd_status status = QD_OK;
    struct qd_json json;

    if (!rows)
        return no_memory(error);
    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '[');
    for (size_t i = 0; status == QD_OK && (op = qd_op_at(i)) != NULL; i++)
        status = write_op(&json, coverage, op, rows, error);
    qd_json_close(&json, ']');
    free(rows);
    return status;
}
