/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of a family: rows of its table of features, times families of values, times draws of numbers. */
#include <string.h>

#include "qdiff/covering.h"
#include "qdiff/evaluate.h"
#include "qdiff/suite.h"

#define EXHAUSTIVE_DRAWS 8

struct run {
    const struct qd_family *family;
    qd_case_visitor *visit;
    void *context;
    struct qd_error *error;
    struct qd_arena arena; /* of one case */
    bool stopped;
};

static bool applies(const struct qd_family *family, const uint8_t *row, size_t values,
                    uint64_t draw)
{
    return !family->applies || family->applies(row, values, draw);
}

static enum qd_status visit_case(struct run *run, const uint8_t *row, size_t values, uint64_t draw)
{
    struct qd_case kase;
    if (run->stopped || !applies(run->family, row, values, draw))
        return QD_OK;
    qd_arena_reset(&run->arena);
    enum qd_status status = run->family->make(row, values, draw, &run->arena, &kase, run->error);
    if (status == QD_OK)
        run->stopped = run->visit(run->context, &kase) == QD_VISIT_STOP;
    return status;
}

/* The value family of smoke row r: they rotate, stepping over those that do
 * not apply; where none does the row has no case. */
static size_t smoke_values(const struct qd_family *family, const uint8_t *row, size_t r)
{
    size_t values = r % family->values;
    for (size_t i = 0; i < family->values && !applies(family, row, values, 0); i++)
        values = (values + 1) % family->values;
    return values;
}

static bool smoke_has(const struct qd_family *family, const struct qd_covering *smoke,
                      const uint8_t *row, size_t values)
{
    size_t width = family->table->factor_count;
    for (size_t r = 0; r < smoke->row_count; r++)
        if (memcmp(smoke->rows + r * width, row, width) == 0 &&
            smoke_values(family, row, r) == values)
            return true;
    return false;
}

static enum qd_status run_full(struct run *run, const struct qd_covering *smoke,
                               const struct qd_covering *full, uint64_t draws)
{
    const struct qd_family *family = run->family;
    enum qd_status status = QD_OK;
    for (size_t r = 0; r < full->row_count; r++) {
        const uint8_t *row = full->rows + r * family->table->factor_count;
        for (size_t v = 0; v < family->values; v++)
            for (uint64_t draw = 0; draw < draws && status == QD_OK; draw++)
                if (draw > 0 || !smoke_has(family, smoke, row, v))
                    status = visit_case(run, row, v, draw);
    }
    return status;
}

static enum qd_status run_sweeps(struct run *run)
{
    static const enum qd_dtype types[] = {QD_U8, QD_S8};
    enum qd_status status = QD_OK;
    for (size_t i = 0; i < 2 && status == QD_OK && !run->stopped; i++) {
        struct qd_case kase;
        qd_arena_reset(&run->arena);
        status = run->family->sweep(types[i], &run->arena, &kase, run->error);
        if (status == QD_OK)
            run->stopped = run->visit(run->context, &kase) == QD_VISIT_STOP;
    }
    return status;
}

/* The way of a family without a stride. */
static enum qd_status run_levels(struct run *run, enum qd_level level, uint64_t draws,
                                 struct qd_arena *rows)
{
    const struct qd_factor_table *table = run->family->table;
    struct qd_covering smoke, full;
    enum qd_status status = qd_covering_make(table, 2, rows, &smoke, run->error);
    for (size_t r = 0; status == QD_OK && r < smoke.row_count; r++) {
        const uint8_t *row = smoke.rows + r * table->factor_count;
        status = visit_case(run, row, smoke_values(run->family, row, r), 0);
    }
    if (status != QD_OK || level == QD_LEVEL_SMOKE || run->stopped)
        return status;
    status = qd_covering_make(table, run->family->strength, rows, &full, run->error);
    if (status == QD_OK)
        status = run_full(run, &smoke, &full, draws);
    return status == QD_OK && run->family->sweep ? run_sweeps(run) : status;
}

/* Whether row r with that value family is in smoke, given a stride. */
static bool stride_has(const struct qd_family *family, size_t r, size_t values)
{
    return r % family->smoke_stride == 0 && r / family->smoke_stride % family->values == values;
}

/* The way of a family with a stride: what is in smoke, then the rest. */
static enum qd_status run_strides(struct run *run, enum qd_level level, uint64_t draws,
                                  struct qd_arena *rows)
{
    const struct qd_family *family = run->family;
    struct qd_covering all;
    enum qd_status status =
        qd_covering_make(family->table, family->strength, rows, &all, run->error);
    for (int pass = 0; pass < (level == QD_LEVEL_SMOKE ? 1 : 2); pass++)
        for (size_t r = 0; status == QD_OK && r < all.row_count; r++)
            for (size_t v = 0; v < family->values; v++) {
                const uint8_t *row = all.rows + r * family->table->factor_count;
                bool smoke = stride_has(family, r, v);
                uint64_t d = smoke && pass ? 1 : 0, end = pass ? draws : smoke;
                for (; d < end && status == QD_OK; d++)
                    status = visit_case(run, row, v, d);
            }
    return status;
}

/* Hands on, remembering that the visitor wanted to stop. */
static enum qd_visit hand_on(void *context, const struct qd_case *kase)
{
    struct run *run = context;
    enum qd_visit answer = run->visit(run->context, kase);
    run->stopped = answer == QD_VISIT_STOP;
    return answer;
}

static enum qd_status generate_ops(const struct qd_family *family, enum qd_level level,
                                   qd_case_visitor *visit, void *context, struct qd_error *error)
{
    struct run run = {.visit = visit, .context = context};
    enum qd_status status = QD_OK;
    for (size_t op = 0; qd_op_at(op) && status == QD_OK && !run.stopped; op++)
        status = family->generate_op(op, level, hand_on, &run, error);
    return status;
}

enum qd_status qd_family_generate(const struct qd_family *family, enum qd_level level,
                                  qd_case_visitor *visit, void *context, struct qd_error *error)
{
    if (family->generate)
        return family->generate(level, visit, context, error);
    if (family->generate_op)
        return generate_ops(family, level, visit, context, error);
    struct run run = {.family = family, .visit = visit, .context = context, .error = error};
    struct qd_arena rows;
    uint64_t draws = level > QD_LEVEL_FULL ? EXHAUSTIVE_DRAWS : 1;
    qd_arena_init(&run.arena, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&rows, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = family->smoke_stride > 0 ? run_strides(&run, level, draws, &rows)
                                                     : run_levels(&run, level, draws, &rows);
    qd_arena_clear(&rows);
    qd_arena_clear(&run.arena);
    return status;
}
