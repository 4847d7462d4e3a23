/* SPDX-License-Identifier: Apache-2.0 */
/* The family of cases made of the operators' rows, and what it covers. */
#include <stdio.h>
#include <string.h>

#include "derived/learn.h"

static const uint8_t *row_at(const struct qd_learner *l, size_t r)
{
    return l->rows + r * QD_COVERING_MAX_FACTORS;
}

static enum qd_status count_levels(const struct qd_learner *l, struct qd_arena *arena,
                                   struct qd_derived_cover *cover, struct qd_error *error)
{
    struct qd_factor *factors = qd_arena_copy(arena, l->outline.factors, sizeof l->outline.factors);
    for (unsigned f = 0; f < l->outline.count; f++) {
        size_t *cases = qd_arena_array(arena, QD_COVERING_MAX_LEVELS, sizeof *cases);
        if (!cases || !factors)
            return qd_fail(error, QD_NO_MEMORY, "no room for counts");
        for (size_t r = 0; r < l->row_count; r++)
            cases[row_at(l, r)[f]]++;
        cover->level_cases[f] = cases;
    }
    cover->factors = factors;
    return QD_OK;
}

static void count_pairs(const struct qd_learner *l, struct qd_derived_cover *cover)
{
    for (unsigned f = 0; f < l->table.factor_count; f++)
        for (unsigned g = f + 1; g < l->table.factor_count; g++)
            for (unsigned v = 0; v < l->outline.factors[f].levels; v++)
                for (unsigned w = 0; w < l->outline.factors[g].levels; w++) {
                    bool found = qd_learn_has(l, f, v, g, w);
                    cover->pairs++;
                    cover->pairs_covered += found;
                    cover->pairs_excused += !found && qd_learn_excludes(l, f, v, g, w);
                }
}

/* Of all words of the factors, but for those at the ends of their lists that are held: rows of others would mean
 * something else. */
static uint32_t signature(const struct qd_derived *outline)
{
    uint64_t number = outline->count;
    for (unsigned f = 0; f < outline->count; f++)
        for (unsigned v = 0; v < outline->factors[f].levels - qd_derived_held(outline, f); v++)
            number = qd_random_seed(outline->factors[f].words[v], number).state;
    return (uint32_t)(number ^ number >> 32);
}

static enum qd_status fill(const struct qd_learner *l, struct qd_arena *arena,
                           struct qd_derived_cover *cover, struct qd_error *error)
{
    *cover = (struct qd_derived_cover){.domain = l->outline.op->domain,
                                       .op_type = l->outline.op->name,
                                       .factor_count = l->outline.count,
                                       .cases = l->row_count,
                                       .hole_count = l->hole_count,
                                       .holes = l->holes,
                                       .signature = signature(&l->outline),
                                       .probes = l->probes};
    enum qd_status status = count_levels(l, arena, cover, error);
    if (status == QD_OK)
        count_pairs(l, cover);
    return status;
}

/* --- The table ------------------------------------------------------------------------------------ */

static char digit(unsigned n)
{
    return "0123456789abcdefghijklmnopqrstuvwxyz"[n];
}

static unsigned of_digit(char c)
{
    return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

/* A row as a word: a digit for each level, then one for each output's type and one for its rank. */
static void write_row(const struct qd_learner *l, const uint8_t *row,
                      const struct qd_derived_output *outputs, char *word)
{
    for (unsigned f = 0; f < l->outline.count; f++)
        *word++ = digit(row[f]);
    for (int o = 0; o < QD_DERIVED_MAX_OUTPUTS; o++)
        *word++ = outputs ? digit(outputs[o].type) : '0';
    for (int o = 0; o < QD_DERIVED_MAX_OUTPUTS; o++)
        *word++ = outputs ? digit(outputs[o].rank) : '0';
    *word = '\0';
}

/* What stands after the word of a row whose case is of the smoke level, and of the exhaustive one; after others a
 * blank. */
#define SMOKE '*'
#define EXHAUSTIVE '+'
#define ENDS " *+"

/* The word after this one, NULL after the last. */
static const char *next_word(const char *word)
{
    word += strcspn(word, ENDS);
    return *word && word[1] ? word + 1 : NULL;
}

static enum qd_level level_of(const char *word)
{
    char mark = word[strcspn(word, ENDS)];
    return mark == SMOKE        ? QD_LEVEL_SMOKE
           : mark == EXHAUSTIVE ? QD_LEVEL_EXHAUSTIVE
                                : QD_LEVEL_FULL;
}

static bool is_smoke(const char *word)
{
    return level_of(word) == QD_LEVEL_SMOKE;
}

/* Whether `rows`, NULL for none, have the word as one of the smoke level. */
static bool has_smoke(const char *rows, const char *word)
{
    size_t width = strcspn(word, ENDS);
    while (rows && !(is_smoke(rows) && strncmp(rows, word, width) == 0))
        rows = next_word(rows);
    return rows;
}

static const char *shipped_rows(const struct qd_derived *outline);

/* Rows that the table has as ones of the smoke level stay that. */
static enum qd_status write_rows(const struct qd_learner *l, struct qd_arena *arena,
                                 const char **rows, struct qd_error *error)
{
    const char *shipped = shipped_rows(&l->outline);
    size_t width = l->outline.count + 2 * QD_DERIVED_MAX_OUTPUTS + 1;
    char *text = qd_arena_alloc(arena, (l->row_count + 1) * width + 1), *at = text;
    if (!text)
        return qd_fail(error, QD_NO_MEMORY, "no room for rows");
    write_row(l, l->base, NULL, at);
    at[width - 1] = ' ';
    at += width;
    for (size_t r = 0; r < l->row_count; r++, at += width) {
        write_row(l, row_at(l, r), l->row_outputs + r * QD_DERIVED_MAX_OUTPUTS, at);
        bool drawn = r >= l->needed && r < l->drawn;
        at[width - 1] = has_smoke(shipped, at) ? SMOKE : drawn ? EXHAUSTIVE : ' ';
    }
    at[-(at[-1] == ' ')] = '\0';
    *rows = text;
    return QD_OK;
}

void qd_derived_write_head(FILE *out)
{
    fputs("/* SPDX-License-Identifier: Apache-2.0 */\n"
          "/* The rows of levels that cases/derived/ makes cases of: what goes together was "
          "learned from the reference.\n"
          " * Written by `qdiff coverage --factors --write FILE`; the rows of the smoke level, "
          "which a * follows, were chosen\n"
          " * by `qdiff self-test --contract --write FILE`, those of the exhaustive level, which a "
          "+ follows, drawn; see\n"
          " * qdiff/derived.h. */\n",
          out);
}

void qd_derived_write(const struct qd_derived_cover *cover, FILE *out)
{
    size_t width = strcspn(cover->rows, " ") + 1, line = 0;
    fprintf(out, "QD_ROWS(\"%s\", \"%s\", 0x%08x,\n        \"", cover->domain, cover->op_type,
            (unsigned)cover->signature);
    for (const char *word = cover->rows; word; word = next_word(word)) {
        if (line + width > 108) {
            fputs("\"\n        \"", out);
            line = 0;
        }
        fprintf(out, "%.*s", (int)width - (word[width - 1] == '\0'), word);
        line += width;
    }
    fputs("\")\n", out);
}

enum qd_status qd_derived_cover(size_t op, struct qd_arena *arena, struct qd_derived_cover *cover,
                                bool *known, struct qd_error *error)
{
    struct qd_learner learner;
    *known = qd_op_at(op) != NULL;
    if (!*known)
        return QD_OK;
    enum qd_status status = qd_learner_init(&learner, qd_op_at(op), arena, error);
    if (status == QD_OK)
        status = qd_learn_base(&learner);
    for (unsigned t = 1; t <= 2 && status == QD_OK; t++)
        status = qd_learn_rows(&learner, t);
    if (status == QD_OK)
        status = qd_learn_open(&learner);
    if (status == QD_OK)
        status = qd_learn_alone(&learner);
    if (status == QD_OK)
        status = qd_learn_more(&learner);
    if (status == QD_OK)
        status = qd_learn_plain(&learner);
    if (status == QD_OK)
        status = fill(&learner, arena, cover, error);
    if (status == QD_OK)
        status = write_rows(&learner, arena, &cover->rows, error);
    qd_learner_clear(&learner);
    return status == QD_OK ? status : qd_fail_context(error, status, "%s", qd_op_at(op)->name);
}

/* Rows are longer than ISO C asks compilers to take. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const struct shipped {
    const char *domain, *op_type;
    uint32_t signature;
    const char *rows;
} table[] = {
#define QD_ROWS(domain, op_type, signature, rows) {domain, op_type, signature, rows},
#include "derived/rows.def"
#undef QD_ROWS
};

static const struct shipped *find_shipped(const struct qd_op *op)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].op_type, op->name) == 0 && strcmp(table[i].domain, op->domain) == 0)
            return &table[i];
    return NULL;
}

/* Those of the same factors, NULL if there are none. */
static const char *shipped_rows(const struct qd_derived *outline)
{
    const struct shipped *found = find_shipped(outline->op);
    return found && found->signature == signature(outline) ? found->rows : NULL;
}

bool qd_derived_shipped(size_t op, struct qd_derived_cover *cover)
{
    const struct shipped *found = find_shipped(qd_op_at(op));
    if (found)
        *cover = (struct qd_derived_cover){.domain = found->domain,
                                           .op_type = found->op_type,
                                           .signature = found->signature,
                                           .rows = found->rows};
    return found;
}

static void read_row(const struct qd_derived *outline, const char *word, uint8_t *row,
                     struct qd_derived_output *outputs)
{
    for (unsigned f = 0; f < outline->count; f++)
        row[f] = (uint8_t)of_digit(*word++);
    for (int o = 0; o < QD_DERIVED_MAX_OUTPUTS; o++)
        outputs[o].type = (enum qd_dtype)of_digit(*word++);
    for (int o = 0; o < QD_DERIVED_MAX_OUTPUTS; o++)
        outputs[o].rank = of_digit(*word++);
}

#define HOW_TO_WRITE "run `qdiff coverage --factors --write cases/derived/rows.def`"

static enum qd_status find_rows(const struct qd_derived *outline, const char **rows,
                                struct qd_error *error)
{
    const struct shipped *found = find_shipped(outline->op);
    if (!found)
        return qd_fail(error, QD_INTERNAL, "derived/rows.def has no rows of %s: " HOW_TO_WRITE,
                       outline->op->name);
    if (found->signature != signature(outline))
        return qd_fail(error, QD_INTERNAL,
                       "derived/rows.def: the rows of %s are of other factors: " HOW_TO_WRITE,
                       outline->op->name);
    *rows = found->rows;
    return QD_OK;
}

/* Makes the case of a row of the table; `base` is the table's first word. */
static enum qd_status make(const struct qd_derived *outline, const char *base, const char *word,
                           struct qd_arena *arena, struct qd_case *kase, struct qd_error *error)
{
    uint8_t levels[QD_COVERING_MAX_FACTORS], base_levels[QD_COVERING_MAX_FACTORS];
    struct qd_derived_output outputs[QD_DERIVED_MAX_OUTPUTS];
    read_row(outline, base, base_levels, outputs);
    read_row(outline, word, levels, outputs);
    return qd_derived_make(outline, levels, base_levels, outputs, arena, kase, error);
}

static enum qd_status visit_rows(const struct qd_derived *outline, enum qd_level level,
                                 qd_case_visitor *visit, void *context, struct qd_arena *arena,
                                 struct qd_error *error)
{
    enum qd_visit answer = QD_VISIT_GO_ON;
    const char *base = "", *word;
    enum qd_status status = find_rows(outline, &base, error);
    if (status != QD_OK)
        return status;
    for (word = next_word(base); word && status == QD_OK && answer == QD_VISIT_GO_ON;
         word = next_word(word)) {
        struct qd_case kase;
        if (level < level_of(word))
            continue;
        qd_arena_reset(arena);
        status = make(outline, base, word, arena, &kase, error);
        if (status == QD_OK)
            answer = visit(context, &kase);
    }
    return status;
}

static bool takes_row(const struct qd_derived *outline, const char *base, const char *word,
                      qd_derived_takes *takes, const void *context, enum qd_status *status,
                      struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    *status = make(outline, base, word, &arena, &kase, error);
    bool taken = *status == QD_OK && takes(context, kase.id);
    qd_arena_clear(&arena);
    return taken;
}

enum qd_status qd_derived_mark(size_t op, qd_derived_takes *takes, const void *context,
                               struct qd_arena *arena, struct qd_derived_cover *cover,
                               struct qd_error *error)
{
    struct qd_derived outline;
    const char *base = "";
    enum qd_status status = qd_derived_read(qd_op_at(op), &outline, error);
    if (status == QD_OK)
        status = find_rows(&outline, &base, error);
    if (status != QD_OK)
        return status;
    size_t width = strcspn(base, " ") + 1;
    char *rows = qd_arena_alloc(arena, strlen(base) + 2), *at = rows;
    if (!rows)
        return qd_fail(error, QD_NO_MEMORY, "no room for rows");
    for (const char *word = base; word && status == QD_OK; word = next_word(word), at += width) {
        memcpy(at, word, width - 1);
        at[width - 1] = level_of(word) == QD_LEVEL_EXHAUSTIVE ? EXHAUSTIVE : ' ';
        if (is_smoke(word) ||
            (word != base && takes_row(&outline, base, word, takes, context, &status, error)))
            at[width - 1] = SMOKE;
    }
    at[-(at[-1] == ' ')] = '\0';
    qd_derived_shipped(op, cover);
    cover->rows = rows;
    return status;
}

static enum qd_status generate(size_t op, enum qd_level level, qd_case_visitor *visit,
                               void *context, struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_derived outline;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_derived_read(qd_op_at(op), &outline, error);
    if (status == QD_OK)
        status = visit_rows(&outline, level, visit, context, &arena, error);
    qd_arena_clear(&arena);
    return status;
}

const struct qd_family qd_family_derived = {
    .name = "derived",
    .meaning = "every operator by its row alone: each level of each factor, and each pair of them",
    .generate_op = generate,
};
