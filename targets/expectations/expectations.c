/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of an expectations file and matches divergences against them. */
#include "qdiff/expectations.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "expectations/cpu.h"
#include "message.h"
#include "qdiff/diagnose.h"
#include "qdiff/spelling.h"
#include "qdiff/suite.h"
#include "qdiff/version_order.h"

#define FIELDS 8

static const char *const field_names[FIELDS] = {
    "case or op pattern", "features",      "settings", "class or quirk",
    "version range",      "CPU condition", "issue",    "reason",
};

struct row {
    struct qd_expectation expectation;
    const char *text; /* the line */
    const char *pattern, *features, *settings, *versions, *cpu;
    bool by_op, by_glob;
    bool by_fuzz; /* the pattern is over the operators of a fuzzer's case */
    struct qd_features needs, excludes;
    enum qd_verdict verdict;
    const char *
        words; /* a pattern over what the target said or the rule that the case breaks; NULL: any */
    const struct qd_quirk *quirks[3]; /* VALUE divergences that these explain, and no others */
    size_t quirk_count;
    bool active;
    size_t matched;       /* divergences */
    bool named, selected; /* cases offered: by field 1, and by field 2 as well */
};

struct qd_expectations {
    const char *path;
    size_t count;
    struct row *rows;
};

/* --- Parsing ------------------------------------------------------------------------------------ */

/* Where in which file we are. */
struct place {
    const char *path;
    size_t line;
};

static enum qd_status fail_field(struct qd_error *error, const struct place *at, int field,
                                 const char *value, const char *why)
{
    return qd_fail(error, QD_USAGE, "%.80s:%zu: field %d (%s) '%.60s': %s", at->path, at->line,
                   field + 1, field_names[field], value, why);
}

static bool has_glob(const char *pattern)
{
    for (const char *c = pattern; *c; c++) {
        if (*c == '\\' && c[1])
            c++;
        else if (strchr("*?[", *c))
            return true;
    }
    return false;
}

/* "a,!b" into what a case must have and must not have; the unknown word in `unknown`. */
static bool parse_features(const char *list, struct row *row, char unknown[64])
{
    if (strcmp(list, "*") == 0)
        return true;
    while (*list) {
        size_t length = strcspn(list, ",");
        bool negated = *list == '!';
        snprintf(unknown, 64, "%.*s", length < 63 ? (int)length : 63, list);
        enum qd_feature feature;
        if (!qd_feature_find(unknown + negated, &feature))
            return false;
        struct qd_features *set = negated ? &row->excludes : &row->needs;
        set->bits[feature / 64] |= (uint64_t)1 << (feature % 64);
        list += length + (list[length] == ',');
    }
    return true;
}

/* key=a,b[;key=c]… */
static bool settings_ok(const char *settings)
{
    if (strcmp(settings, "*") == 0)
        return true;
    do {
        size_t key = strcspn(settings, "=;,"), length = strcspn(settings, ";");
        if (key == 0 || settings[key] != '=' || key + 1 >= length)
            return false;
        settings += length;
    } while (*settings++ == ';');
    return true;
}

static bool cpu_ok(const char *condition)
{
    if (strcmp(condition, "*") == 0)
        return true;
    const char *words = "abcdefghijklmnopqrstuvwxyz0123456789_,!";
    return *condition && condition[strspn(condition, words)] == '\0';
}

static enum qd_status fail_quirk(struct qd_error *error, const struct place *at, const char *word)
{
    struct qd_spelling spelling = {word, NULL, 0};
    char why[128] = "there is no such quirk (see: qdiff quirks)";
    for (size_t i = 0; qd_quirk_at(i); i++)
        qd_spelling_try(&spelling, qd_quirk_at(i)->name);
    if (spelling.word)
        snprintf(why, sizeof why, "there is no such quirk (did you mean %s?)", spelling.word);
    return fail_field(error, at, 3, word, why);
}

static enum qd_status fail_class(struct qd_error *error, const struct place *at, const char *word)
{
    struct qd_spelling spelling = {word, NULL, 0};
    char why[128] = "this is no class of divergence (see: qdiff help verdicts)";
    for (int i = 0; i < QD_VERDICT_COUNT; i++)
        if (qd_verdict_is_divergence((enum qd_verdict)i))
            qd_spelling_try(&spelling, qd_verdict_word((enum qd_verdict)i));
    if (spelling.word)
        snprintf(why, sizeof why, "this is no class of divergence (did you mean %s?)",
                 spelling.word);
    return fail_field(error, at, 3, word, why);
}

/* "rejects-valid" or "rejects-valid:*must be same*". */
static enum qd_status parse_plain_class(const struct place *at, const char *text, struct row *row,
                                        struct qd_error *error)
{
    char class[32];
    size_t length = strcspn(text, ":");
    snprintf(class, sizeof class, "%.*s", length < 31 ? (int)length : 31, text);
    if (!qd_verdict_find(class, &row->verdict) || !qd_verdict_is_divergence(row->verdict))
        return fail_class(error, at, class);
    if (text[length] == ':')
        row->words = text + length + 1;
    if (row->words && (!*row->words || row->verdict == QD_VERDICT_WRONG_VALUE))
        return fail_field(error, at, 3, text, "this class has no message to match a pattern with");
    return QD_OK;
}

/* The same, or "quirk:a+b": what a VALUE divergence has to be explained by. */
static enum qd_status parse_class(const struct place *at, const char *text, struct row *row,
                                  struct qd_error *error)
{
    row->expectation.quirks = "";
    if (strncmp(text, "quirk:", 6) != 0)
        return parse_plain_class(at, text, row, error);
    row->verdict = QD_VERDICT_WRONG_VALUE;
    row->expectation.quirks = text + 6;
    for (const char *name = text + 6;; name++) {
        char word[64];
        size_t length = strcspn(name, "+");
        snprintf(word, sizeof word, "%.*s", length < 63 ? (int)length : 63, name);
        const struct qd_quirk *quirk = qd_quirk_find(word);
        if (!quirk)
            return fail_quirk(error, at, word);
        if (row->quirk_count == sizeof row->quirks / sizeof *row->quirks)
            return fail_field(error, at, 3, text, "names more than three quirks");
        row->quirks[row->quirk_count++] = quirk;
        name += length;
        if (!*name)
            return QD_OK;
    }
}

static enum qd_status parse_row(const struct place *at, char *fields[FIELDS], struct row *row,
                                struct qd_error *error)
{
    char unknown[64] = "";
    for (int i = 0; i < FIELDS; i++)
        if (!*fields[i])
            return fail_field(error, at, i, "", "is empty ('*' means any, '-' no issue)");
    row->by_op = strncmp(fields[0], "op:", 3) == 0;
    row->by_fuzz = strncmp(fields[0], "fuzz:", 5) == 0;
    row->pattern = fields[0] + (row->by_op ? 3 : row->by_fuzz ? 5 : 0);
    row->by_glob = row->by_op || row->by_fuzz || has_glob(row->pattern);
    row->selected = row->by_fuzz; /* no case of the suite is offered to it */
    row->features = fields[1];
    if (!parse_features(row->features, row, unknown))
        return fail_field(error, at, 1, unknown, "there is no such feature");
    row->settings = fields[2];
    if (!settings_ok(row->settings))
        return fail_field(error, at, 2, fields[2], "is not key=value[,value...][;key=...]");
    enum qd_status status = parse_class(at, fields[3], row, error);
    if (status != QD_OK)
        return status;
    row->versions = fields[4];
    if (!qd_version_range_ok(row->versions))
        return fail_field(error, at, 4, fields[4], "is no range such as >=1.20,<1.27");
    row->cpu = fields[5];
    if (!cpu_ok(row->cpu))
        return fail_field(error, at, 5, fields[5],
                          "is no list of flags such as avx512_vnni or !avx2");
    row->expectation.by_chance = row->verdict == QD_VERDICT_NONDETERMINISTIC;
    row->expectation.issue = fields[6];
    row->expectation.reason = fields[7];
    row->expectation.row = at->line;
    return QD_OK;
}

static enum qd_status parse_line(const struct place *at, char *line, struct qd_arena *arena,
                                 struct row *row, struct qd_error *error)
{
    struct row made = {.active = false};
    made.text = qd_arena_string(arena, line);
    if (!made.text)
        return qd_fail(error, QD_NO_MEMORY, "%s:%zu: no room", at->path, at->line);
    char *fields[FIELDS];
    size_t count = 0;
    for (char *rest = line; rest; count++) {
        char *tab = strchr(rest, '\t');
        if (count < FIELDS)
            fields[count] = rest;
        if (tab)
            *tab = '\0';
        rest = tab ? tab + 1 : NULL;
    }
    if (count != FIELDS)
        return qd_fail(error, QD_USAGE, "%.80s:%zu: %zu fields; a row has %d, separated by tabs",
                       at->path, at->line, count, FIELDS);
    enum qd_status status = parse_row(at, fields, &made, error);
    if (status == QD_OK)
        *row = made;
    return status;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

enum qd_status qd_expectations_parse(const char *path, const char *text, size_t size,
                                     struct qd_arena *arena, struct qd_expectations **expectations,
                                     struct qd_error *error)
{
    struct qd_expectations *made = qd_arena_alloc(arena, sizeof *made);
    char *copy = qd_arena_alloc(arena, size + 1);
    struct row *rows = qd_arena_array(arena, count_lines(text, size), sizeof *rows);
    if (!made || !copy || !rows)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for its rows", path);
    if (size > 0)
        memcpy(copy, text, size);
    made->path = qd_arena_string(arena, path);
    if (!made->path)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for its name", path);
    made->rows = rows;
    struct place at = {.path = path};
    for (char *line = copy, *end = copy + size, *next; line < end; line = next) {
        at.line++;
        char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        size_t length = (size_t)((stop ? stop : end) - line);
        line[length] = '\0';
        if (strlen(line) != length)
            return qd_fail(error, QD_USAGE, "%.80s:%zu: has a NUL byte", path, at.line);
        while (length > 0 && line[length - 1] == '\r')
            line[--length] = '\0';
        if (length == 0 || *line == '#')
            continue;
        enum qd_status status = parse_line(&at, line, arena, &rows[made->count], error);
        if (status != QD_OK)
            return status;
        made->count++;
    }
    *expectations = made;
    return QD_OK;
}

const char *qd_expectations_path(const struct qd_expectations *expectations)
{
    return expectations ? expectations->path : NULL;
}

/* --- Activation --------------------------------------------------------------------------------- */

/* Whether the comma-separated `list` of `length` characters has the word. */
static bool list_has(const char *list, size_t length, const char *word, size_t word_length)
{
    for (size_t at = 0; at < length;) {
        size_t item = strcspn(list + at, ",;");
        if (item == word_length && strncmp(list + at, word, item) == 0)
            return true;
        at += item + 1;
    }
    return false;
}

/* Whether settings "opt=all,threads=1" fulfil "opt=extended,all;threads=1". */
static bool settings_match(const char *wanted, const char *settings)
{
    if (strcmp(wanted, "*") == 0)
        return true;
    while (*wanted) {
        size_t key = strcspn(wanted, "="), length = strcspn(wanted, ";");
        bool found = false;
        for (const char *have = settings; *have && !found;) {
            size_t item = strcspn(have, ",");
            if (item > key && strncmp(have, wanted, key + 1) == 0)
                found =
                    list_has(wanted + key + 1, length - key - 1, have + key + 1, item - key - 1);
            have += item + (have[item] == ',');
        }
        if (!found)
            return false;
        wanted += length + (wanted[length] == ';');
    }
    return true;
}

enum qd_status qd_expectations_activate(struct qd_expectations *expectations,
                                        const struct qd_target_info *info, struct qd_error *error)
{
    char flags[QD_CPU_FLAGS_SIZE];
    enum qd_status status = qd_cpu_flags(info->settings, flags, sizeof flags, error);
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < expectations->count; i++) {
        struct row *row = &expectations->rows[i];
        row->active = settings_match(row->settings, info->settings) &&
                      qd_version_in_range(info->version, row->versions) &&
                      qd_cpu_fulfils(flags, row->cpu);
        row->matched = 0;
    }
    return QD_OK;
}

/* --- Matching ----------------------------------------------------------------------------------- */

/* The operators of the case's nodes in their order: "DequantizeLinear>Add>QuantizeLinear". */
static void join_operators(const struct qd_graph *graph, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < graph->node_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", i > 0 ? ">" : "",
                                 graph->nodes[i].domain ? graph->nodes[i].domain : "",
                                 graph->nodes[i].domain && *graph->nodes[i].domain ? ":" : "",
                                 graph->nodes[i].op_type);
}

/* A case as rows see it. */
struct subject {
    const struct qd_case *kase;
    bool fuzzed, reduced; /* a fuzzer's, and the small one that it came to */
    char operators[1024]; /* of a fuzzer's */
    char base[1024];      /* of a twin (qd_case_id_of_base), else "" */
};

static void look_at(const struct qd_case *kase, struct subject *subject)
{
    subject->kase = kase;
    subject->reduced = strncmp(kase->id, "findings/", 9) == 0;
    subject->fuzzed = subject->reduced || strcmp(kase->id, "fuzz") == 0;
    if (subject->fuzzed)
        join_operators(kase->graph, subject->operators, sizeof subject->operators);
    qd_case_id_of_base(kase->id, subject->base, sizeof subject->base);
}

/* Whether a row for a fuzzer's cases names this one. Wrong numbers without a quirk that explains them are only known
 * where the case is reduced: an operator that merely stands in a graph explains nothing. */
static bool names_fuzzed(const struct row *row, const struct subject *subject)
{
    bool vague = row->verdict == QD_VERDICT_WRONG_VALUE && row->quirk_count == 0;
    return subject->fuzzed && (subject->reduced || !vague) &&
           fnmatch(row->pattern, subject->operators, 0) == 0;
}

static bool names(const struct row *row, const struct subject *subject)
{
    if (row->by_fuzz)
        return names_fuzzed(row, subject);
    const struct qd_case *kase = subject->kase;
    return fnmatch(row->pattern, row->by_op ? kase->op : kase->id, 0) == 0 ||
           (!row->by_op && *subject->base && fnmatch(row->pattern, subject->base, 0) == 0);
}

static bool fits(const struct row *row, const struct qd_features *features)
{
    for (int i = 0; i < 2; i++)
        if ((row->needs.bits[i] & ~features->bits[i]) ||
            (row->excludes.bits[i] & features->bits[i]))
            return false;
    return true;
}

static bool words_match(const struct row *row, const struct qd_evidence *evidence)
{
    const struct qd_case *kase = evidence->kase;
    return !row->words || (evidence->words && fnmatch(row->words, evidence->words, 0) == 0) ||
           (kase->expect == QD_EXPECT_MUST_REJECT && fnmatch(row->words, kase->rule, 0) == 0);
}

/* What a cause shows as well, by chance or the machine's speed: runs that differ agree now and then, and are wrong
 * nevertheless; what takes memory without end may meet the time limit first. */
static bool shows_as_well(enum qd_verdict known, enum qd_verdict seen)
{
    return (known == QD_VERDICT_NONDETERMINISTIC && seen == QD_VERDICT_WRONG_VALUE) ||
           (known == QD_VERDICT_OOM && seen == QD_VERDICT_HANG);
}

struct qd_known_fit {
    struct qd_known_fit *next;
    const struct qd_quirk *const *quirks; /* the row's */
    size_t count;
    bool explains;
};

static void remember(const struct row *row, bool explains, const struct qd_evidence *evidence)
{
    struct qd_known_fit *made = qd_arena_alloc(evidence->arena, sizeof *made);
    if (!made)
        return;
    *made = (struct qd_known_fit){*evidence->fits, row->quirks, row->quirk_count, explains};
    *evidence->fits = made;
}

/* Whether the row's quirks explain the outputs. */
static bool quirks_explain(const struct row *row, const struct qd_evidence *evidence)
{
    const struct qd_known_fit *known = evidence->fits ? *evidence->fits : NULL;
    size_t count = row->quirk_count;
    for (; known; known = known->next)
        if (known->count == count &&
            memcmp(known->quirks, row->quirks, count * sizeof *row->quirks) == 0)
            return known->explains;
    bool explains = qd_quirks_explain(row->quirks, count, evidence->kase, evidence->canonical,
                                      evidence->run, evidence->arena);
    if (evidence->fits)
        remember(row, explains, evidence);
    return explains;
}

/* Whether the row's class is what happened. */
static bool covers(const struct row *row, const struct qd_evidence *evidence)
{
    if (shows_as_well(row->verdict, evidence->verdict))
        return true;
    if (row->verdict != evidence->verdict || !words_match(row, evidence))
        return false;
    if (row->quirk_count == 0)
        return true;
    return evidence->canonical && evidence->run && quirks_explain(row, evidence);
}

#define MOST_KNOWN 8 /* quirks of which pairs are tried */

/* Of a fuzzer's case whose wrong numbers no row covers by itself: the first row of two whose quirks together explain
 * them, one more than each of the two says. The pairs of a suite's case are written down. */
static struct row *find_pair(struct qd_expectations *expectations, const struct subject *subject,
                             const struct qd_evidence *evidence)
{
    struct row *known[MOST_KNOWN];
    size_t count = 0;
    if (!subject->fuzzed || evidence->verdict != QD_VERDICT_WRONG_VALUE || !evidence->canonical ||
        !evidence->run)
        return NULL;
    for (size_t i = 0; i < expectations->count && count < MOST_KNOWN; i++) {
        struct row *row = &expectations->rows[i];
        bool named = row->active && row->quirk_count == 1 && names(row, subject) &&
                     fits(row, evidence->features);
        for (size_t k = 0; named && k < count; k++)
            named = known[k]->quirks[0] != row->quirks[0];
        if (named)
            known[count++] = row;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            const struct qd_quirk *const pair[] = {known[i]->quirks[0], known[k]->quirks[0]};
            if (qd_quirks_explain(pair, 2, evidence->kase, evidence->canonical, evidence->run,
                                  evidence->arena))
                return known[i];
        }
    return NULL;
}

void qd_row_lines_add(struct qd_row_lines *lines, size_t line)
{
    size_t at = 0;
    while (at < lines->count && lines->lines[at] < line)
        at++;
    if (at == QD_MOST_COVERING || (at < lines->count && lines->lines[at] == line))
        return;
    lines->count += lines->count < QD_MOST_COVERING;
    memmove(lines->lines + at + 1, lines->lines + at,
            (lines->count - at - 1) * sizeof *lines->lines);
    lines->lines[at] = line;
}

/* What reads memory that is nobody's shows in other ways, too; and of the damage that a must-reject case does, its
 * valid twin dies in some processes only. */
static bool shows_otherwise(const struct row *row, enum qd_verdict seen)
{
    return (row->expectation.by_chance && qd_verdict_is_divergence(seen)) ||
           (row->verdict == QD_VERDICT_STATE_LEAK && seen == QD_VERDICT_ACCEPTS_INVALID);
}

/* Whether a case that passes is a surprise to the row: it names the case alone, as it was written. */
static bool expects_it(const struct row *row, const struct subject *subject)
{
    return !row->by_glob && !*subject->base;
}

const struct qd_expectation *qd_expectations_match(struct qd_expectations *expectations,
                                                   const struct qd_evidence *evidence,
                                                   const struct qd_expectation **unexpected,
                                                   struct qd_row_lines *covering)
{
    bool diverges = qd_verdict_is_divergence(evidence->verdict);
    const struct qd_expectation *found = NULL, *surprise = NULL;
    struct subject subject;
    look_at(evidence->kase, &subject);
    for (size_t i = 0; i < expectations->count; i++) {
        struct row *row = &expectations->rows[i];
        if (!row->active || !(diverges || expects_it(row, &subject)) ||
            !fits(row, evidence->features) || !names(row, &subject))
            continue;
        bool expected = diverges && covers(row, evidence);
        row->matched += (expected && !found) || shows_otherwise(row, evidence->verdict);
        if (expected && covering)
            qd_row_lines_add(covering, row->expectation.row);
        if (expected && !found)
            found = &row->expectation;
        if (!diverges && !surprise)
            surprise = &row->expectation;
    }
    *unexpected = surprise;
    struct row *pair = diverges && !found ? find_pair(expectations, &subject, evidence) : NULL;
    if (!pair)
        return found;
    pair->matched++;
    if (covering)
        qd_row_lines_add(covering, pair->expectation.row);
    return &pair->expectation;
}

bool qd_expectations_expect(const struct qd_expectations *expectations, enum qd_verdict verdict,
                            const struct qd_case *kase, const struct qd_features *features)
{
    struct subject subject;
    look_at(kase, &subject);
    for (size_t i = 0; i < expectations->count; i++) {
        const struct row *row = &expectations->rows[i];
        if (row->active && row->verdict == verdict && fits(row, features) && names(row, &subject))
            return true;
    }
    return false;
}

void qd_expectations_stale(const struct qd_expectations *expectations,
                           void (*visit)(void *context, const struct qd_expectation *row,
                                         const char *text),
                           void *context)
{
    for (size_t i = 0; i < expectations->count; i++) {
        const struct row *row = &expectations->rows[i];
        if (row->active && row->matched == 0 && !row->by_fuzz)
            visit(context, &row->expectation, row->text);
    }
}

/* --- Checking ----------------------------------------------------------------------------------- */

bool qd_expectations_mark_selected(struct qd_expectations *expectations, const struct qd_case *kase,
                                   const struct qd_features *features)
{
    bool all = true;
    struct subject subject;
    look_at(kase, &subject);
    for (size_t i = 0; i < expectations->count; i++) {
        struct row *row = &expectations->rows[i];
        if (!row->selected && names(row, &subject)) {
            row->named = true;
            row->selected = fits(row, features);
        }
        all = all && row->selected;
    }
    return all;
}

bool qd_expectations_pending(const struct qd_expectations *expectations, struct qd_arena *arena,
                             const char ***patterns, size_t *count)
{
    const char **found = qd_arena_array(arena, expectations->count + 1, sizeof *found);
    if (!found)
        return false;
    *patterns = found;
    *count = 0;
    for (size_t i = 0; i < expectations->count; i++) {
        const struct row *row = &expectations->rows[i];
        if (row->selected)
            continue;
        if (row->by_op || row->by_fuzz || row->pattern[0] == '!')
            return false;
        found[(*count)++] = row->pattern;
    }
    return true;
}

void qd_expectations_unused(const struct qd_expectations *expectations,
                            void (*visit)(void *context, const struct qd_error *error),
                            void *context)
{
    for (size_t i = 0; i < expectations->count; i++) {
        const struct row *row = &expectations->rows[i];
        struct place at = {.path = expectations->path, .line = row->expectation.row};
        struct qd_error error = {.status = QD_OK};
        if (row->selected)
            continue;
        if (row->named)
            fail_field(&error, &at, 1, row->features, "no case that field 1 names is so");
        else
            fail_field(&error, &at, 0, row->pattern,
                       row->by_op ? "is the operator of no case" : "is the id of no case");
        visit(context, &error);
    }
}

/* --- Auditing ----------------------------------------------------------------------------------- */

bool qd_expectations_view(const struct qd_expectations *expectations, size_t i,
                          struct qd_expectation_view *view)
{
    if (i >= expectations->count)
        return false;
    const struct row *row = &expectations->rows[i];
    *view = (struct qd_expectation_view){.line = row->expectation.row,
                                         .text = row->text,
                                         .verdict = row->verdict,
                                         .quirks = row->expectation.quirks,
                                         .names_words = row->words != NULL,
                                         .is_fuzz = row->by_fuzz};
    return true;
}

bool qd_expectations_selects(const struct qd_expectations *expectations, size_t i, const char *id,
                             const char *op, const struct qd_features *features)
{
    const struct row *row = &expectations->rows[i];
    char base[1024];
    if (!row->active || row->by_fuzz || !fits(row, features))
        return false;
    return fnmatch(row->pattern, row->by_op ? op : id, 0) == 0 ||
           (!row->by_op && qd_features_has(features, QD_FEATURE_AFTER_STEPS) &&
            qd_case_id_of_base(id, base, sizeof base) && fnmatch(row->pattern, base, 0) == 0);
}

/* --- Writing ------------------------------------------------------------------------------------ */

const char *qd_expectations_pattern(const char *prefix, const char *text, struct qd_arena *arena)
{
    char *pattern = qd_arena_alloc(arena, strlen(prefix) + 2 * strlen(text) + 1), *end = pattern;
    if (!pattern)
        return NULL;
    for (const char *c = prefix; *c; c++)
        *end++ = *c;
    for (const char *c = text; *c; c++) {
        if (strchr("*?[\\", *c))
            *end++ = '\\';
        *end++ = *c == '\t' || *c == '\n' ? '?' : *c;
    }
    *end = '\0';
    return pattern;
}

/* Makes a text one field: no tabs, no line ends, not too long. */
static void make_field(const char *text, char *field, size_t size)
{
    snprintf(field, size, "%.*s", (int)size - 1, text);
    qd_text_clean(field, (unsigned)size);
    for (char *c = field; *c; c++)
        if (*c == '\t' || *c == '\n')
            *c = ' ';
}

enum qd_status qd_expectations_row(const struct qd_row_draft *draft, struct qd_arena *arena,
                                   const char **text, struct qd_error *error)
{
    char why[256];
    make_field(*draft->reason ? draft->reason : "not explained yet", why, sizeof why);
    char *row =
        qd_arena_printf(arena, "%s\t%s\t%s\t%s\t%s\t*\t-\t%s\n", draft->pattern, draft->features,
                        settings_ok(draft->settings) ? draft->settings : "*", draft->class,
                        qd_version_range_ok(draft->versions) ? draft->versions : "*", why);
    if (!row)
        return qd_fail(error, QD_NO_MEMORY, "no room for a row");
    *text = row;
    return QD_OK;
}
