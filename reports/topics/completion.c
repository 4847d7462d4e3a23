/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff help completion`: what bash completes, made of the lists of verbs, options, topics and targets. zsh reads the
 * same after `autoload -U +X bashcompinit && bashcompinit`. */
#include <string.h>

#include "command/command.h"
#include "qdiff/session.h"

static void put_verbs_and_topics(FILE *out)
{
    fputs("    local verbs='", out);
    for (size_t i = 0; qd_verb_at(i); i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", qd_verb_at(i)->name);
    fputs("' topics='", out);
    for (size_t i = 0; qd_topic_at(i); i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", qd_topic_at(i)->name);
    fputs("'\n", out);
}

/* Words that follow an option: "        --level | -l) words='smoke full exhaustive' ;;". */
static void put_values(FILE *out)
{
    fputs("        --level | -l) words='", out);
    for (int i = 0; i < QD_LEVEL_COUNT; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", qd_level_word((enum qd_level)i));
    fputs("' ;;\n        --engine) words='libfuzzer afl' ;;\n        --target | -t) words='", out);
    for (size_t i = 0; qd_builtin_target_at(i); i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", qd_builtin_target_at(i)->name);
    fputs("' ;;\n        help) words=\"$verbs $topics\" ;;\n", out);
}

static void put_options(FILE *out, const struct qd_verb_row *row)
{
    fprintf(out, "        %s) options='--help", row->name);
    for (size_t i = 0; qd_option_at(i); i++)
        if (strcmp(qd_option_at(i)->name, "help") != 0 &&
            qd_words_hold(row->verb->options, qd_option_at(i)->name))
            fprintf(out, " --%s", qd_option_at(i)->name);
    fputs("' ;;\n", out);
}

void qd_topic_completion(FILE *out)
{
    fputs("# bash completion of qdiff; made by `qdiff help completion`\n"
          "_qdiff()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local words='' options=''\n",
          out);
    put_verbs_and_topics(out);
    fputs("    case $before in\n", out);
    put_values(out);
    fputs("        *) [ \"$COMP_CWORD\" -gt 1 ] || words=$verbs ;;\n    esac\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (size_t i = 0; qd_verb_at(i); i++)
        put_options(out, qd_verb_at(i));
    fputs("    esac\n"
          "    [[ $current != -* ]] || words=$options\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "}\n"
          "complete -o bashdefault -o default -F _qdiff qdiff\n",
          out);
}
