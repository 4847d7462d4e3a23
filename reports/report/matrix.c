/* SPDX-License-Identifier: Apache-2.0 */
/* Counts results for the matrix. */
#include "report/matrix.h"
#include "digest/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *qd_matrix_word(enum qd_matrix_by by)
{
    static const char *const words[] = {
#define QD_MATRIX_WORD(name, word) word,
        QD_MATRIX_LIST(QD_MATRIX_WORD)
#undef QD_MATRIX_WORD
    };

    return words[by];
}

static struct qd_matrix_row *add_row(struct qd_report *report, struct qd_matrix *matrix,
                                     const char *name)
{
    struct qd_matrix_row *rows =
        qd_array_grow(matrix->rows, matrix->count, &matrix->capacity, sizeof *rows);

    if (!rows)
        return NULL;
    matrix->rows = rows;
    struct qd_matrix_row made = {
        name, qd_arena_array(&report->arena, report->column_count, sizeof *made.cells)};
    if (!made.cells)
        return NULL;
    matrix->rows[matrix->count] = made;
    return &matrix->rows[matrix->count++];
}

/* Names are of report->names, or constants: equal if their addresses are. */
static bool count(struct qd_report *report, struct qd_matrix *matrix, const char *name,
                  const struct qd_report_result *result)
{
    struct qd_matrix_row *row = NULL;

    for (size_t i = matrix->count;
         i-- > 0 && !row;) /* the last one first: cases of a kind follow each other */
        if (matrix->rows[i].name == name)
            row = &matrix->rows[i];
    if (!row && !(row = add_row(report, matrix, name)))
        return false;
    row->cells[result->column].counts[result->result.kind][result->result.comparison.verdict]++;
    return true;
}

/* "QLinearConv" of "QLinearConv/x-u8/...". */
static bool count_family(struct qd_report *report, struct qd_matrix *matrix,
                         const struct qd_report_result *result)
{
    char family[128];

    snprintf(family, sizeof family, "%.*s", (int)strcspn(result->result.id, "/"),
             result->result.id);
    const char *name = qd_names_keep(&report->names, family);
    return name && count(report, matrix, name, result);
}

static bool is_type(enum qd_feature feature)
{
    static const enum qd_feature types[] = {
        QD_FEATURE_X_U8,   QD_FEATURE_X_S8,     QD_FEATURE_W_U8,        QD_FEATURE_W_S8,
        QD_FEATURE_Y_U8,   QD_FEATURE_Y_S8,     QD_FEATURE_INT16,       QD_FEATURE_INT4,
        QD_FEATURE_INT2,   QD_FEATURE_FLOAT4,   QD_FEATURE_INT32_INPUT, QD_FEATURE_FLOAT16,
        QD_FEATURE_FLOAT8, QD_FEATURE_BFLOAT16, QD_FEATURE_FLOAT8_SCALE};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == feature)
            return true;
    return false;
}

static bool count_features(struct qd_report *report, struct qd_matrix *matrix, bool types,
                           const struct qd_report_result *result)
{
    struct qd_features features = qd_features_parse(result->result.features);

    for (int i = 0; i < QD_FEATURE_COUNT; i++) {
        enum qd_feature feature = (enum qd_feature)i;

        if (qd_features_has(&features, feature) && is_type(feature) == types &&
            !count(report, matrix, qd_feature_word(feature), result))
            return false;
    }
    return true;
}

static bool count_tags(struct qd_report *report, struct qd_matrix *matrix,
                       const struct qd_report_result *result)
{
    for (const char *tag = result->result.tags; *tag != '\0';) {
        size_t length = strcspn(tag, ",");
        char text[128];

        snprintf(text, sizeof text, "%.*s", (int)length, tag);
        const char *name = qd_names_keep(&report->names, text);
        if (!name || !count(report, matrix, name, result))
            return false;
        tag += length + (tag[length] == ',');
    }
    return true;
}

static bool count_result(struct qd_report *report, struct qd_matrix *matrix, enum qd_matrix_by by,
                         const struct qd_report_result *result)
{
    switch (by) {
    case QD_MATRIX_OPERATOR: return count(report, matrix, result->result.op, result);
    case QD_MATRIX_FAMILY: return count_family(report, matrix, result);
    case QD_MATRIX_TYPE: return count_features(report, matrix, true, result);
    case QD_MATRIX_FEATURE: return count_features(report, matrix, false, result);
    case QD_MATRIX_TAG: return count_tags(report, matrix, result);
    case QD_MATRIX_COUNT: break;
    }
    return true;
}

enum qd_status qd_matrix_count(struct qd_report *report, enum qd_matrix_by by,
                               struct qd_matrix *matrix, struct qd_error *error)
{
    *matrix = (struct qd_matrix){0};
    for (size_t i = 0; i < report->result_count; i++) {
        const struct qd_report_result *result = &report->results[i];

        if (result->column != QD_REPORT_NOWHERE && !count_result(report, matrix, by, result))
            return qd_fail(error, QD_NO_MEMORY, "no memory for a matrix");
    }
    return QD_OK;
}

void qd_matrix_clear(struct qd_matrix *matrix)
{
    free(matrix->rows);
    *matrix = (struct qd_matrix){0};
}
