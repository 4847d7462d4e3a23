/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff help man`: the manual page, in the roff of man(7), made of the help texts. */
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "qdiff/memory_stream.h"
#include "qdiff_version.h"

/* One character of text as roff prints it; what a reader copies stays ASCII. */
static void put_character(FILE *out, char c)
{
    switch (c) {
    case '\\': fputs("\\e", out); break;
    case '-': fputs("\\-", out); break;
    case '\'': fputs("\\(aq", out); break;
    case '`': fputs("\\(ga", out); break;
    case '^': fputs("\\(ha", out); break;
    case '~': fputs("\\(ti", out); break;
    default: fputc(c, out);
    }
}

/* Text as it stands, without the line breaks at its ends. */
static void put_text(FILE *out, const char *text)
{
    size_t length = strlen(text);

    while (length > 0 && text[length - 1] == '\n')
        length--;
    fputs(".nf\n", out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && (i == 0 || text[i - 1] == '\n'))
            fputs("\\&", out); /* no request */
        put_character(out, text[i]);
    }
    fputs("\n.fi\n", out);
}

static void put_heading(FILE *out, const char *request, const char *title)
{
    fprintf(out, "%s \"", request);
    for (; *title != '\0'; title++)
        put_character(out, *title);
    fputs("\"\n", out);
}

/* What a page of help prints, the caller's by free(); NULL when out of memory. */
static char *page_of(const struct qd_verb_row *verb, const struct qd_topic_row *topic)
{
    struct qd_memory_stream stream;

    if (!qd_memory_open(&stream))
        return NULL;
    if (verb)
        qd_help_verb(stream.out, verb);
    else if (topic)
        topic->print(stream.out);
    else
        qd_help_all(stream.out);
    return qd_memory_close(&stream) ? stream.text : NULL;
}

static void put_page(FILE *out, const struct qd_verb_row *verb, const struct qd_topic_row *topic)
{
    char *text = page_of(verb, topic);

    if (text)
        put_text(out, text);
    free(text);
}

static bool is_prose(const struct qd_topic_row *topic)
{
    return topic->print != qd_topic_man && topic->print != qd_topic_completion;
}

void qd_topic_man(FILE *out)
{
    fputs(".TH QDIFF 1 \"\" \"qdiff " QD_VERSION "\" \"User Commands\"\n"
          ".SH NAME\n"
          "qdiff \\- differential conformance tests of quantized neural-network operators\n"
          ".SH SYNOPSIS\n.B qdiff\n.I VERB\n.RI [ OPTION ]...\n.RI [ ARGUMENT ]...\n"
          ".SH DESCRIPTION\n",
          out);
    put_page(out, NULL, NULL);
    fputs(".SH VERBS\n", out);
    for (size_t i = 0; qd_verb_at(i); i++) {
        put_heading(out, ".SS", qd_verb_at(i)->name);
        put_page(out, qd_verb_at(i), NULL);
    }
    fputs(".SH TOPICS\n", out);
    for (size_t i = 0; qd_topic_at(i); i++) {
        if (!is_prose(qd_topic_at(i)))
            continue;
        put_heading(out, ".SS", qd_topic_at(i)->name);
        put_page(out, NULL, qd_topic_at(i));
    }
}
