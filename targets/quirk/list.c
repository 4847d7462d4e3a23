/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/quirk.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "qdiff/spelling.h"
#include "quirk/ops.h"

#define QD_QUIRK_SWITCH(name, family, switches, ops, effect, seen, witness)
#define QD_QUIRK_OVERRIDE(name, family, file, ops, effect, seen, witness) \
    extern const struct qd_override qd_quirk_##file;
#include "qdiff/quirks.def"
#undef QD_QUIRK_SWITCH
#undef QD_QUIRK_OVERRIDE

static const struct qd_quirk quirks[] = {
#define QD_QUIRK_SWITCH(name, family, switches, ops, effect, seen, witness) \
    {name, QD_QUIRK_##family, ops, effect, seen, witness, switches, NULL},
#define QD_QUIRK_OVERRIDE(name, family, file, ops, effect, seen, witness) \
    {name, QD_QUIRK_##family, ops, effect, seen, witness, NULL, &qd_quirk_##file},
#include "qdiff/quirks.def"
#undef QD_QUIRK_SWITCH
#undef QD_QUIRK_OVERRIDE
};

static const char *const families[] = {
#define FAMILY_WORD(name, word) word,
    QD_QUIRK_FAMILY_LIST(FAMILY_WORD)
#undef FAMILY_WORD
};

const char *qd_quirk_family_word(enum qd_quirk_family family)
{
    return (unsigned)family < QD_QUIRK_FAMILY_COUNT ? families[family] : "unknown";
}

const struct qd_quirk *qd_quirk_at(size_t i)
{
    return i < sizeof quirks / sizeof *quirks ? &quirks[i] : NULL;
}

static const struct qd_quirk *find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++)
        if (strlen(quirks[i].name) == length && memcmp(quirks[i].name, name, length) == 0)
            return &quirks[i];
    return NULL;
}

const struct qd_quirk *qd_quirk_find(const char *name)
{
    return find(name, strlen(name));
}

/* Whether one of the patterns, separated by blanks, fits the word. */
static bool fits(const char *patterns, const char *word)
{
    while (*patterns) {
        size_t length = strcspn(patterns, " ");
        char pattern[64];
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (length > 0 && fnmatch(pattern, word, 0) == 0)
            return true;
        patterns += length + (patterns[length] != '\0');
    }
    return false;
}

bool qd_quirk_concerns_node(const struct qd_quirk *quirk, const struct qd_node *node)
{
    char word[128];
    snprintf(word, sizeof word, "%s%s%s", node->domain, *node->domain ? ":" : "", node->op_type);
    return fits(quirk->ops, word);
}

bool qd_quirk_concerns(const struct qd_quirk *quirk, const struct qd_graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (qd_quirk_concerns_node(quirk, &graph->nodes[i]))
            return true;
    return false;
}

/* --- Semantics ---------------------------------------------------------------------------------- */

/* One element of the chain: a quirk's override, asked about the operators of its row only. */
struct link {
    struct qd_override override; /* first: what the chain is made of */
    const struct qd_quirk *quirk;
};

static enum qd_status ask_node(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    const struct qd_quirk *quirk = ((const struct link *)self)->quirk;
    return qd_quirk_concerns_node(quirk, node)
               ? quirk->override->node(self, evaluation, node, in, out)
               : qd_override_node(evaluation, self->next, node, in, out);
}

static enum qd_status ask_graph(const struct qd_override *self, const struct qd_graph *graph,
                                struct qd_arena *arena, const struct qd_graph **rewritten,
                                struct qd_error *error)
{
    const struct qd_quirk *quirk = ((const struct link *)self)->quirk;
    if (qd_quirk_concerns(quirk, graph))
        return quirk->override->graph(self, graph, arena, rewritten, error);
    *rewritten = graph;
    return QD_OK;
}

/* What is to be applied, collected word by word. */
struct mixture {
    struct qd_arena *arena;
    struct qd_error *error;
    char switches[512];
    struct link *first, *last;
};

/* Two words must not set one switch: which of them holds would depend on their order. */
static enum qd_status add_switches(struct mixture *mixture, const char *text, size_t length)
{
    while (length > 0) {
        size_t word = 0, used = strlen(mixture->switches);
        while (word < length && text[word] != ',' && text[word] != '+')
            word++;
        char key[64];
        snprintf(key, sizeof key, ",%.*s=", (int)strcspn(text, "="), text);
        if (strcspn(text, "=") < word && strstr(mixture->switches, key))
            return qd_fail(mixture->error, QD_USAGE, "two values for the switch '%.*s'",
                           (int)strcspn(text, "="), text);
        if (used + word + 2 > sizeof mixture->switches)
            return qd_fail(mixture->error, QD_USAGE, "more quirks than can be distinguished");
        snprintf(mixture->switches + used, sizeof mixture->switches - used, ",%.*s", (int)word,
                 text);
        text += word + (word < length);
        length -= word + (word < length);
    }
    return QD_OK;
}

static enum qd_status add_override(struct mixture *mixture, const struct qd_quirk *quirk)
{
    for (const struct qd_override *o = mixture->first ? &mixture->first->override : NULL; o;
         o = o->next)
        if (((const struct link *)o)->quirk == quirk)
            return qd_fail(mixture->error, QD_USAGE, "quirk '%s' twice", quirk->name);
    struct link *link = qd_arena_alloc(mixture->arena, sizeof *link);
    if (!link)
        return qd_fail(mixture->error, QD_NO_MEMORY, "no room for a quirk");
    link->quirk = quirk;
    link->override.node = quirk->override->node ? ask_node : NULL;
    link->override.graph = quirk->override->graph ? ask_graph : NULL;
    if (mixture->last)
        mixture->last->override.next = &link->override;
    else
        mixture->first = link;
    mixture->last = link;
    return QD_OK;
}

static enum qd_status add(struct mixture *mixture, const struct qd_quirk *quirk)
{
    return quirk->switches ? add_switches(mixture, quirk->switches, strlen(quirk->switches))
                           : add_override(mixture, quirk);
}

static enum qd_status finish(const struct mixture *mixture, struct qd_semantics *semantics)
{
    struct qd_semantics made;
    const char *switches = mixture->switches + (mixture->switches[0] == ',');
    enum qd_status status = qd_semantics_parse(switches, true, &made, mixture->error);
    if (status != QD_OK)
        return status;
    made.override = mixture->first ? &mixture->first->override : NULL;
    *semantics = made;
    return QD_OK;
}

enum qd_status qd_quirks_apply(const struct qd_quirk *const *list, size_t count,
                               struct qd_arena *arena, struct qd_semantics *semantics,
                               struct qd_error *error)
{
    struct mixture mixture = {.arena = arena, .error = error};
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < count; i++)
        status = add(&mixture, list[i]);
    return status == QD_OK ? finish(&mixture, semantics) : status;
}

/* First of the overrides: nodes of other operators are the specification's. */
struct limit {
    struct qd_override override;
    const struct qd_op *op;
};

static enum qd_status limited_node(const struct qd_override *self, struct qd_evaluation *evaluation,
                                   const struct qd_node *node, const struct qd_value *const *in,
                                   struct qd_value *out)
{
    static const struct qd_semantics specification = {0};
    if (node->op == ((const struct limit *)self)->op)
        return qd_override_node(evaluation, self->next, node, in, out);
    struct qd_evaluation other = *evaluation;
    other.semantics = &specification;
    return qd_override_node(&other, NULL, node, in, out);
}

enum qd_status qd_quirk_apply_to(const struct qd_quirk *quirk, const struct qd_op *op,
                                 struct qd_arena *arena, struct qd_semantics *semantics,
                                 struct qd_error *error)
{
    if (quirk->override && quirk->override->graph)
        return qd_fail(error, QD_UNSUPPORTED, "'%s' is one of whole graphs", quirk->name);
    enum qd_status status = qd_quirks_apply(&quirk, 1, arena, semantics, error);
    struct limit *limit = qd_arena_array(arena, 1, sizeof *limit);
    if (status != QD_OK)
        return status;
    if (!limit)
        return qd_fail(error, QD_NO_MEMORY, "no room for a quirk");
    *limit = (struct limit){{.next = semantics->override, .node = limited_node}, op};
    semantics->override = &limit->override;
    return QD_OK;
}

static enum qd_status fail_word(const char *text, size_t length, struct qd_error *error)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 63, text);
    struct qd_spelling spelling = {word, NULL, 0};
    for (size_t i = 0; qd_quirk_at(i); i++)
        qd_spelling_try(&spelling, qd_quirk_at(i)->name);
    return qd_fail(error, QD_USAGE, "'%s' is neither a quirk (qdiff quirks) nor switch=value%s%s%s",
                   word, spelling.word ? "; did you mean '" : "",
                   spelling.word ? spelling.word : "", spelling.word ? "'?" : "");
}

enum qd_status qd_quirks_parse(const char *text, struct qd_arena *arena,
                               struct qd_semantics *semantics, struct qd_error *error)
{
    struct mixture mixture = {.arena = arena, .error = error};
    enum qd_status status = QD_OK;
    while (status == QD_OK && *text) {
        size_t length = strcspn(text, ",+");
        const struct qd_quirk *quirk = find(text, length);
        if (quirk)
            status = add(&mixture, quirk);
        else if (memchr(text, '=', length))
            status = add_switches(&mixture, text, length);
        else
            status = fail_word(text, length, error);
        text += length + (text[length] != '\0');
    }
    return status == QD_OK ? finish(&mixture, semantics) : status;
}

void qd_quirk_answer(const struct qd_value *value)
{
    for (int64_t i = 0; value->flags && i < value->want.count; i++) {
        if (!(value->flags[i] & QD_NO_CANONICAL) || !value->lo)
            continue;
        double lo = qd_value_observe(value, i).lo;
        const struct qd_float_format *format = qd_float_format(value->want.dtype);
        qd_tensor_set(&value->want, i,
                      format ? (int64_t)qd_float_encode(value->want.dtype, lo, !format->has_inf)
                             : (int64_t)lo);
    }
}
