/* SPDX-License-Identifier: Apache-2.0 */
/* The first exchange with a worker: who it is and what it can do. */
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "process/program.h"

#define PROTOCOL 1
#define LARGEST_WELCOME ((size_t)1 << 20)
#define MAX_CAPABILITIES 4096

/* A text in the arena, clean and on one line; NULL when out of memory. */
static const char *keep_text(struct qd_arena *arena, const struct qd_wire_field *field)
{
    char *text = qd_arena_alloc(arena, field->size + 1);
    if (!text)
        return NULL;
    memcpy(text, field->bytes, field->size);
    qd_text_line(text, (unsigned)field->size + 1);
    return text;
}

/* Puts the texts of the fields 1 to `count` of a message where `texts` points. */
static bool read_texts(struct qd_wire wire, unsigned count, const char **texts[],
                       struct qd_arena *arena)
{
    struct qd_wire_field field;
    while (qd_wire_next(&wire, &field)) {
        if (field.number > count || field.type != QD_WIRE_BYTES)
            continue;
        const char *text = keep_text(arena, &field);
        if (!text)
            return false;
        *texts[field.number - 1] = text;
    }
    return !wire.problem;
}

static size_t count_fields(struct qd_wire wire, uint32_t number)
{
    struct qd_wire_field field;
    size_t count = 0;
    while (qd_wire_next(&wire, &field))
        count += field.number == number && field.type == QD_WIRE_BYTES;
    return count;
}

static bool read_capabilities(struct qd_wire wire, struct qd_arena *arena,
                              struct qd_target_info *info)
{
    struct qd_wire_field field;
    size_t count = count_fields(wire, 4), i = 0;
    struct qd_target_capability *rows =
        count > MAX_CAPABILITIES ? NULL : qd_arena_array(arena, count, sizeof *rows);
    while (rows && qd_wire_next(&wire, &field)) {
        if (field.number != 4 || field.type != QD_WIRE_BYTES)
            continue;
        struct qd_target_capability *row = &rows[i++];
        *row = (struct qd_target_capability){"", "", "", ""};
        const char **texts[] = {&row->op, &row->needs, &row->excludes, &row->reason};
        if (!read_texts((struct qd_wire){.bytes = field.bytes, .size = field.size}, 4, texts,
                        arena))
            return false;
    }
    info->capabilities = rows;
    info->capability_count = count;
    return rows != NULL;
}

static bool read_options(struct qd_wire wire, struct qd_arena *arena, const char *const **options)
{
    struct qd_wire_field field;
    size_t count = count_fields(wire, 5), i = 0;
    const char **words = qd_arena_array(arena, count + 1, sizeof *words);
    while (words && qd_wire_next(&wire, &field))
        if (field.number == 5 && field.type == QD_WIRE_BYTES &&
            !(words[i++] = keep_text(arena, &field)))
            return false;
    *options = words;
    return words != NULL;
}

static bool read_guards(struct qd_wire wire)
{
    struct qd_wire_field field;
    uint64_t guards = 0;
    while (qd_wire_next(&wire, &field))
        if (field.number == 6 && field.type == QD_WIRE_VARINT)
            guards = field.value;
    return guards != 0;
}

static bool read_welcome(const struct qd_wire *body, struct qd_arena *arena,
                         struct qd_target_info *info, const char *const **options)
{
    *info = (struct qd_target_info){.name = "", .version = "", .settings = ""};
    const char **texts[] = {&info->name, &info->version, &info->settings};
    return read_texts(*body, 3, texts, arena) && read_capabilities(*body, arena, info) &&
           (!options || read_options(*body, arena, options)) && info->name[0];
}

enum qd_status qd_program_handshake(struct qd_program *program, double seconds,
                                    struct qd_arena *arena, struct qd_target_info *info,
                                    const char *const **options, struct qd_error *error)
{
    struct qd_wire_out out;
    struct qd_wire body;
    struct qd_target_message message = {""};
    struct qd_target_info made;
    program->deadline = qd_deadline_begin(seconds);
    program->died = false;
    size_t mark = qd_program_ask(program, QD_REQUEST_HELLO, &out);
    qd_wire_put_varint(&out, 1, PROTOCOL);
    qd_wire_put_text(&out, 2, program->version);
    qd_wire_put_text(&out, 3, program->config);
    enum qd_target_status status =
        qd_program_hear(program, QD_REQUEST_HELLO, &out, mark, LARGEST_WELCOME, &body, &message);
    if (program->died && program->death.lost)
        return qd_fail(error, QD_UNUSABLE, "%s", program->death.text);
    if (program->died)
        return qd_fail(error, QD_UNUSABLE, "opening it ended in %s: %s",
                       qd_outcome_word(program->death.outcome), program->death.text);
    qd_text_clean(message.text, sizeof message.text);
    if (status != QD_TARGET_OK)
        return qd_fail(error, QD_UNUSABLE, "%s",
                       message.text[0] ? message.text : "it gave no reason");
    if (!read_welcome(&body, arena, &made, options))
        return qd_fail(error, QD_UNUSABLE, "the target's description is garbled");
    program->guards = read_guards(body);
    if (program->cpu)
        made.settings = qd_arena_printf(arena, "%s%scpu=%s", made.settings,
                                        made.settings[0] ? "," : "", program->cpu->word);
    if (!made.settings)
        return qd_fail(error, QD_NO_MEMORY, "no room for its settings");
    *info = made;
    return QD_OK;
}
