/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff quirks`: the known wrong semantics, and what each one computes. */
#include <string.h>

#include "command/command.h"
#include "qdiff/quirk.h"
#include "qdiff/spelling.h"
#include "select/selection.h"
#include "text/json_write.h"

/* Whether the quirk is about the operator. */
static bool concerns(const char *op, const void *quirk)
{
    const char *colon = strchr(op, ':');
    char domain[64] = "";
    struct qd_node node = {.domain = domain, .op_type = colon ? colon + 1 : op};

    if (colon)
        snprintf(domain, sizeof domain, "%.*s", (int)(colon - op), op);
    return qd_quirk_concerns_node(quirk, &node);
}

static void write_json(FILE *out, const struct qd_quirk *quirk)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "name", quirk->name);
    qd_json_string(&json, "family", qd_quirk_family_word(quirk->family));
    qd_json_string(&json, "operators", quirk->ops);
    qd_json_string(&json, "effect", quirk->effect);
    qd_json_string(&json, "seen", quirk->seen);
    qd_json_string(&json, "witness", quirk->witness);
    qd_json_string_if(&json, "switches", quirk->switches ? quirk->switches : "");
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static void write_page(FILE *out, const struct qd_quirk *quirk)
{
    fprintf(out, "%s (%s)\n\n  %s\n\n", quirk->name, qd_quirk_family_word(quirk->family),
            quirk->effect);
    fprintf(out, "  operators  %s\n  seen       %s\n  witness    %s\n", quirk->ops, quirk->seen,
            quirk->witness);
    if (quirk->switches)
        fprintf(out, "  switches   %s\n", quirk->switches);
    fprintf(out, "  as target  qdiff run --target quirk:%s\n", quirk->name);
}

static enum qd_exit show(struct qd_command *command, const char *name)
{
    const struct qd_quirk *quirk = qd_quirk_find(name);
    struct qd_spelling spelling = {name, NULL, 0};

    for (size_t i = 0; qd_quirk_at(i); i++)
        qd_spelling_try(&spelling, qd_quirk_at(i)->name);
    struct qd_error error;
    if (!quirk) {
        qd_fail(&error, QD_USAGE, "there is no quirk '%s'%s%s", name,
                spelling.word ? "; the nearest is " : "", spelling.word ? spelling.word : "");
        return qd_command_failed(command, &error);
    }
    if (command->options.json)
        write_json(command->out, quirk);
    else
        write_page(command->out, quirk);
    return QD_EXIT_OK;
}

static enum qd_exit run(struct qd_command *command)
{
    const struct qd_options *options = &command->options;
    enum qd_quirk_family family = QD_QUIRK_FAMILY_COUNT;

    if (options->arguments.count > 0)
        return show(command, options->arguments.items[0]);
    for (size_t i = 0; qd_quirk_at(i); i++) {
        const struct qd_quirk *quirk = qd_quirk_at(i);

        if (!qd_words_take(&options->ops, concerns, quirk))
            continue;
        if (options->json) {
            write_json(command->out, quirk);
            continue;
        }
        if (quirk->family != family) {
            fprintf(command->out, "%s:\n", qd_quirk_family_word(quirk->family));
            family = quirk->family;
        }
        fprintf(command->out, "  %-36s %s\n", quirk->name, quirk->effect);
    }
    return QD_EXIT_OK;
}

const struct qd_verb qd_verb_quirks = {
    .arguments = "[NAME]",
    .at_most = 1,
    .options = "op json",
    .text = "Lists the known wrong semantics by family, or shows one: its equation, where it\n"
            "was seen, the smallest case that shows it. Each is a target, quirk:NAME; several\n"
            "at once are quirk:A+B.\n"
            "In an equation \"f for g\" means that f is computed where g should be; rne rounds\n"
            "to the nearest even integer, fl32 to float32; v is the exact number before it is\n"
            "rounded, z the zero point. How one is added: targets/quirk/README.md.",
    .examples = "  what goes wrong with QLinearConv\n"
                "    qdiff quirks --op QLinearConv\n"
                "  one of them\n"
                "    qdiff quirks zero-point-before-rounding",
    .run = run,
};
