/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of must-reject cases: read from a table, and each made from its twin. */
#include "reject_table.h"

#include <string.h>

#include "case.pb-c.h"
#include "qdiff/case.h"
#include "reject_edit.h"
#include "unpack.h"

static enum qd_status no_room(struct qd_error *error)
{
    return qd_fail(error, QD_NO_MEMORY, "the memory budget is used up");
}

/* --- Reading -------------------------------------------------------------------------------------- */

/* A name becomes part of a path: words of letters, digits, "-", "_" and
 * ".", at most two, which do not begin with ".". */
static bool is_name(const char *text)
{
    size_t words = 0;
    for (bool more = true; more; words++) {
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789-_.");
        if (length == 0 || *text == '.')
            return false;
        text += length;
        more = *text == '/';
        text += more;
    }
    return !*text && words <= 2;
}

static enum qd_status read_row(char *line, struct qd_reject_row *row, struct qd_error *error)
{
    static const char *const titles[] = {"case", "twin", "edits", "clause"};
    const char **fields[] = {&row->name, &row->twin, &row->edits, &row->clause};
    char *rest = line;
    for (size_t i = 0; i < 4; i++) {
        /* The clause is the rest of the line, whatever it holds. */
        const char *field = qd_reject_part(&rest, i < 3 ? '|' : '\n');
        if (!field || !*field)
            return qd_fail(error, QD_INVALID,
                           "field '%s' is missing; a row is case | twin | edits | clause",
                           titles[i]);
        *fields[i] = field;
    }
    if (!is_name(row->name) || !is_name(row->twin))
        return qd_fail(error, QD_INVALID,
                       "field '%s' is '%.80s', which cannot be a file's name and its directory's",
                       is_name(row->name) ? "twin" : "case",
                       is_name(row->name) ? row->twin : row->name);
    return QD_OK;
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static enum qd_status check_new(const struct qd_reject_row *rows, size_t count,
                                struct qd_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, rows[count].name) == 0)
            return qd_fail(error, QD_INVALID, "case '%.80s' is in line %zu already",
                           rows[count].name, rows[i].line);
    return QD_OK;
}

enum qd_status qd_reject_read(const char *text, size_t size, struct qd_arena *arena,
                              const struct qd_reject_row **rows, size_t *count,
                              struct qd_error *error)
{
    if (size > 0 && memchr(text, 0, size))
        return qd_fail(error, QD_MALFORMED, "a table with a NUL");
    char *rest = qd_arena_alloc(arena, size + 1);
    if (!rest)
        return no_room(error);
    if (size > 0)
        memcpy(rest, text, size);
    struct qd_reject_row *read = qd_arena_array(arena, count_lines(rest), sizeof *read);
    if (!read)
        return no_room(error);
    size_t n = 0, number = 1;
    for (char *line; (line = qd_reject_part(&rest, '\n')) != NULL; number++) {
        if (!*line || *line == '#')
            continue;
        enum qd_status status = read_row(line, &read[n], error);
        if (status == QD_OK)
            status = check_new(read, n, error);
        if (status != QD_OK)
            return qd_fail_context(error, status, "line %zu", number);
        read[n++].line = number;
    }
    *rows = read;
    *count = n;
    return QD_OK;
}

/* --- Making --------------------------------------------------------------------------------------- */

char *qd_reject_id(const char *table, const char *name, struct qd_arena *arena)
{
    return qd_arena_printf(arena, "reject/%s/%s", table, name);
}

static enum qd_status edit_case(Qdiff__Case *kase, const char *edits, struct qd_arena *arena,
                                struct qd_error *error)
{
    char *rest = qd_arena_string(arena, edits);
    if (!rest)
        return no_room(error);
    for (char *edit; (edit = qd_reject_part(&rest, ';')) != NULL;) {
        const char *shown = qd_arena_string(arena, edit); /* the edit takes its text apart */
        enum qd_status status = qd_reject_edit(kase, edit, arena, error);
        if (status != QD_OK)
            return qd_fail_context(error, status, "edit '%.80s'", shown ? shown : "");
    }
    return QD_OK;
}

/* What a must-reject case says about itself. */
struct story {
    Qdiff__Expect expect;
    Qdiff__Origin origin;
    char *tag;
};

static enum qd_status describe(Qdiff__Case *kase, const char *table,
                               const struct qd_reject_row *row, struct qd_arena *arena,
                               struct qd_error *error)
{
    const char *op = kase->model->graph->node[0]->op_type;
    struct story *story = qd_arena_alloc(arena, sizeof *story);
    if (!story)
        return no_room(error);
    qdiff__expect__init(&story->expect);
    qdiff__origin__init(&story->origin);
    story->tag = qd_arena_string(arena, "must-reject");
    story->expect.has_kind = true;
    story->expect.kind = QDIFF__EXPECT__KIND__MUST_REJECT;
    story->expect.rule =
        qd_arena_printf(arena, "%s/%.*s", op ? op : "", (int)strcspn(row->name, "/"), row->name);
    story->expect.twin = qd_reject_id(table, row->twin, arena);
    story->origin.spec = qd_arena_string(arena, row->clause);
    kase->id = qd_reject_id(table, row->name, arena);
    kase->expect = &story->expect;
    kase->origin = &story->origin;
    kase->tag = &story->tag;
    kase->n_tag = 1;
    kase->n_output = kase->n_wrong_output = 0;
    return kase->id && story->tag && story->expect.rule && story->expect.twin && story->origin.spec
               ? QD_OK
               : no_room(error);
}

static enum qd_status pack(const Qdiff__Case *kase, struct qd_arena *arena, uint8_t **bytes,
                           size_t *size, struct qd_error *error)
{
    size_t need = qdiff__case__get_packed_size(kase);
    uint8_t *packed = qd_arena_raw(arena, need);
    if (!packed)
        return no_room(error);
    qdiff__case__pack(kase, packed);
    struct qd_case decoded;
    enum qd_status status = qd_case_decode(packed, need, arena, &decoded, error);
    if (status != QD_OK)
        return status;
    *bytes = packed;
    *size = need;
    return QD_OK;
}

enum qd_status qd_reject_make(const char *table, const struct qd_reject_row *row,
                              const uint8_t *twin, size_t twin_size, struct qd_arena *arena,
                              uint8_t **bytes, size_t *size, struct qd_error *error)
{
    ProtobufCMessage *message;
    enum qd_status status =
        qd_unpack(&qdiff__case__descriptor, twin, twin_size, arena, &message, error);
    if (status != QD_OK)
        return status;
    Qdiff__Case *kase = (Qdiff__Case *)message;
    if (kase->expect && kase->expect->kind != QDIFF__EXPECT__KIND__VALID)
        return qd_fail(error, QD_INVALID, "twin '%.80s' is no valid case", row->twin);
    status = edit_case(kase, row->edits, arena, error);
    if (status == QD_OK)
        status = describe(kase, table, row, arena, error);
    return status == QD_OK ? pack(kase, arena, bytes, size, error) : status;
}
