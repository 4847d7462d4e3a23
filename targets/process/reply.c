/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's replies: nothing in them is believed. */
#include "process/reply.h"

#include <stdio.h>
#include <string.h>

#include "message.h"

#define MAX_CAPABILITIES 4096

const char *qd_reply_read(const struct qd_frame *frame, struct qd_reply *reply)
{
    struct qd_wire wire = {.bytes = frame->bytes, .size = frame->size};
    struct qd_wire_field field;
    *reply = (struct qd_reply){.id = 0};
    while (qd_wire_next(&wire, &field)) {
        if (field.number == 1 && field.type == QD_WIRE_VARINT) {
            reply->id = field.value;
        } else if (field.number <= QD_REPLY_ERROR && field.type == QD_WIRE_BYTES) {
            if (reply->kind != 0)
                return "a reply of two kinds";
            reply->kind = field.number;
            reply->body = (struct qd_wire){.bytes = field.bytes, .size = field.size};
        }
    }
    return wire.problem       ? wire.problem
           : reply->kind == 0 ? "a reply of no kind that is known here"
                              : NULL;
}

/* A text field, shortened to fit; other fields leave the text alone. */
static void take_text(const struct qd_wire_field *field, char *text, size_t size)
{
    qd_text_shorten(text, size, (const char *)field->bytes, field->size);
}

const char *qd_reply_read_skip(struct qd_wire body, struct qd_reply_skip *skip)
{
    struct qd_wire_field field;
    *skip = (struct qd_reply_skip){.url = ""};
    while (qd_wire_next(&body, &field)) {
        if (field.number == 1 && field.type == QD_WIRE_BYTES)
            take_text(&field, skip->reason, sizeof skip->reason);
        else if (field.number == 2 && field.type == QD_WIRE_BYTES)
            take_text(&field, skip->url, sizeof skip->url);
    }
    return body.problem ? body.problem : skip->url[0] ? NULL : "without an address";
}

const char *qd_reply_read_error(struct qd_wire body, struct qd_reply_error *error)
{
    uint64_t kind = 0;
    struct qd_wire_field field;
    *error = (struct qd_reply_error){.kind = QD_REPLY_REJECTED};
    while (qd_wire_next(&body, &field)) {
        if (field.number == 1 && field.type == QD_WIRE_VARINT)
            kind = field.value;
        else if (field.number == 4 && field.type == QD_WIRE_VARINT && field.value < 128)
            error->signal = (int)field.value;
        else if (field.number == 2 && field.type == QD_WIRE_BYTES)
            take_text(&field, error->text, sizeof error->text);
        else if (field.number == 3 && field.type == QD_WIRE_BYTES)
            take_text(&field, error->stage, sizeof error->stage);
    }
    if (body.problem || kind >= QD_REPLY_ERROR_COUNT)
        return body.problem ? body.problem : "of an unknown kind";
    error->kind = (enum qd_reply_error_kind)kind;
    return NULL;
}

/* --- Welcome ------------------------------------------------------------------------------------- */

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

static bool read_capabilities(struct qd_wire wire, struct qd_arena *arena,
                              struct qd_target_info *info)
{
    struct qd_wire_field field;
    size_t count = qd_wire_count(wire, 4), i = 0;
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
    size_t count = qd_wire_count(wire, 5), i = 0;
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

bool qd_reply_read_welcome(struct qd_wire body, struct qd_arena *arena,
                           struct qd_reply_welcome *welcome)
{
    struct qd_target_info *info = &welcome->info;
    *info = (struct qd_target_info){.name = "", .version = "", .settings = ""};
    const char **texts[] = {&info->name, &info->version, &info->settings};
    welcome->guards = read_guards(body);
    return read_texts(body, 3, texts, arena) && read_capabilities(body, arena, info) &&
           read_options(body, arena, &welcome->options) && info->name[0];
}

/* --- Tensors ------------------------------------------------------------------------------------- */

/* Adds the dimension(s) of a field, one or packed; false when they are
 * malformed. Ranks beyond the ABI's are counted. */
static bool take_dims(const struct qd_wire_field *field, struct qd_target_tensor *tensor)
{
    struct qd_wire packed = {.bytes = field->bytes, .size = field->size};
    uint64_t value = field->value;
    if (field->type != QD_WIRE_BYTES && field->type != QD_WIRE_VARINT)
        return false;
    while (field->type == QD_WIRE_VARINT || packed.at < packed.size) {
        if (field->type == QD_WIRE_BYTES && !qd_wire_varint(&packed, &value))
            return false;
        if (tensor->rank < QD_TARGET_MAX_RANK)
            tensor->dims[tensor->rank] = (int64_t)value;
        tensor->rank += tensor->rank < 1000;
        if (field->type == QD_WIRE_VARINT)
            break;
    }
    return true;
}

bool qd_reply_read_tensor(struct qd_wire wire, struct qd_target_tensor *tensor,
                          const uint8_t **data)
{
    struct qd_wire_field field;
    *tensor = (struct qd_target_tensor){.name = ""};
    *data = NULL;
    while (qd_wire_next(&wire, &field)) {
        if (field.number == 1 && !take_dims(&field, tensor))
            return false;
        if (field.number == 2 && field.type == QD_WIRE_VARINT)
            tensor->data_type = (int32_t)field.value;
        if (field.number == 9 && field.type == QD_WIRE_BYTES) {
            *data = field.bytes;
            tensor->size = field.size;
        }
    }
    return !wire.problem;
}

/* Gives what the worker has to the buffer that the reference expects. NULL, or what is wrong. */
static const char *give(const struct qd_target_tensor *have, const uint8_t *data,
                        struct qd_target_tensor *output)
{
    bool same = have->data_type == output->data_type && have->rank == output->rank &&
                memcmp(have->dims, output->dims, have->rank * sizeof *have->dims) == 0;
    if (same && have->size != output->size)
        return "its data does not fit its own shape";
    if (same && data && output->size > 0)
        memcpy(output->data, data, output->size);
    output->data_type = have->data_type;
    output->rank = have->rank;
    memcpy(output->dims, have->dims, sizeof have->dims);
    return NULL;
}

bool qd_reply_read_outputs(struct qd_wire body, struct qd_target_tensor *outputs, size_t count,
                           char *why, size_t why_size)
{
    struct qd_wire_field field;
    struct qd_target_tensor have;
    const uint8_t *data;
    size_t i = 0;
    const char *problem = NULL;
    for (; !problem && qd_wire_next(&body, &field); i++) {
        struct qd_wire tensor = {.bytes = field.bytes, .size = field.size};
        if (field.number != 1 || field.type != QD_WIRE_BYTES || i >= count) {
            snprintf(why, why_size, "an answer of more than %zu outputs, or no outputs", count);
            return false;
        }
        problem = qd_reply_read_tensor(tensor, &have, &data) ? give(&have, data, &outputs[i])
                                                             : "it is no tensor";
    }
    if (problem)
        snprintf(why, why_size, "output %zu: %s (%zu bytes)", i - 1, problem, have.size);
    else if (body.problem || i != count)
        snprintf(why, why_size, "%zu outputs of %zu%s%s", i, count, body.problem ? ": " : "",
                 body.problem ? body.problem : "");
    return !problem && !body.problem && i == count;
}
