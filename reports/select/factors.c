/* SPDX-License-Identifier: Apache-2.0 */
#include "select/factors.h"

#include <errno.h>
#include <string.h>

#include "qdiff/derived.h"

static const char *word_of(const char *word)
{
    return *word ? word : "-";
}

static void print_hole(const struct qd_derived_hole *hole, FILE *out)
{
    fputs("    none:", out);
    for (size_t i = 0; i < hole->count; i++)
        fprintf(out, "%s %s %s", i ? "," : "", hole->choices[i].factor,
                word_of(hole->choices[i].level));
    fprintf(out, ": %s\n", hole->excuse);
}

static void print_cover(const struct qd_derived_cover *cover, FILE *out)
{
    size_t open = cover->pairs - cover->pairs_covered - cover->pairs_excused;
    fprintf(out, "%s%s%s: %zu cases; of %zu pairs of levels %zu covered, %zu excused, %zu open\n",
            cover->domain, *cover->domain ? ":" : "", cover->op_type, cover->cases, cover->pairs,
            cover->pairs_covered, cover->pairs_excused, open);
    for (unsigned f = 0; f < cover->factor_count; f++) {
        fprintf(out, "    %s:", cover->factors[f].name);
        for (unsigned v = 0; v < cover->factors[f].levels; v++)
            fprintf(out, " %s %zu%s", word_of(cover->factors[f].words[v]), cover->level_cases[f][v],
                    v + 1 < cover->factors[f].levels ? "," : "\n");
    }
    for (size_t h = 0; h < cover->hole_count; h++)
        if (cover->holes[h].count <= 2)
            print_hole(&cover->holes[h], out);
}

/* One operator: learned and printed if it is asked for, and written. */
static enum qd_status print_op(size_t op, const struct qd_selection *selection, FILE *table,
                               FILE *out, size_t *holes, struct qd_error *error)
{
    struct qd_derived_cover cover;
    struct qd_arena arena;
    bool known = true, learned = qd_selection_takes_op(selection, qd_op_at(op));
    enum qd_status status = QD_OK;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (learned)
        status = qd_derived_cover(op, &arena, &cover, &known, error);
    if (status == QD_OK && learned) {
        print_cover(&cover, out);
        fflush(out);
        *holes += cover.pairs - cover.pairs_covered - cover.pairs_excused;
    }
    if (status == QD_OK && table && (learned || qd_derived_shipped(op, &cover)))
        qd_derived_write(&cover, table);
    qd_arena_clear(&arena);
    return status;
}

enum qd_status qd_factors_print(const struct qd_selection *selection, const char *write, FILE *out,
                                size_t *holes, struct qd_error *error)
{
    FILE *table = write ? fopen(write, "we") : NULL;
    enum qd_status status = QD_OK;
    if (write && !table)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot write: %s", write,
                       strerror(errno));
    if (table)
        qd_derived_write_head(table);
    *holes = 0;
    for (size_t op = 0; status == QD_OK && qd_op_at(op); op++)
        status = print_op(op, selection, table, out, holes, error);
    if (table && fclose(table) != 0 && status == QD_OK)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot write: %s", write,
                       strerror(errno));
    return status;
}
