/* SPDX-License-Identifier: Apache-2.0 */
#include "process/serve.h"

#include <string.h>

#include "message.h"
#include "process/loader.h"

#define MAX_CAPABILITIES 4096
#define MAX_TEXT ((size_t)1 << 20)

/* In the block: this, then name, version, settings and four strings a capability, each with its NUL. */
struct description {
    uint32_t status, capability_count;
    uint64_t text_size;
    struct qd_target_message message;
    char text[];
};

/* Appends a string; false when the room is used up. NULL is "". */
static bool put(struct description *d, size_t room, const char *text)
{
    const char *from = text ? text : "";
    size_t size = strlen(from) + 1;
    if (size > room - d->text_size)
        return false;
    memcpy(d->text + d->text_size, from, size);
    d->text_size += size;
    return true;
}

static enum qd_target_status pack(struct description *d, size_t room,
                                  const struct qd_target_info *info)
{
    bool ok =
        put(d, room, info->name) && put(d, room, info->version) && put(d, room, info->settings);
    if (info->capability_count > MAX_CAPABILITIES)
        return qd_answer(&d->message, QD_TARGET_UNUSABLE,
                         "describe gave %zu capabilities, more than %d", info->capability_count,
                         MAX_CAPABILITIES);
    if (info->capability_count > 0 && !info->capabilities)
        return qd_answer(&d->message, QD_TARGET_UNUSABLE, "describe gave %zu capabilities at NULL",
                         info->capability_count);
    for (size_t i = 0; i < info->capability_count; i++) {
        const struct qd_target_capability *row = &info->capabilities[i];
        ok = ok && put(d, room, row->op) && put(d, room, row->needs) &&
             put(d, room, row->excludes) && put(d, room, row->reason);
    }
    if (!ok)
        return qd_answer(&d->message, QD_TARGET_UNUSABLE,
                         "describe gave more than %zu bytes of text", room);
    d->capability_count = (uint32_t)info->capability_count;
    return QD_TARGET_OK;
}

void qd_serve_open(const struct qd_target_name *name, void *block, size_t size,
                   struct qd_open_target *opened)
{
    struct description *d = block;
    memset(d, 0, sizeof *d);
    struct qd_open_target made = {.api = NULL};
    struct qd_target_info info = {.name = ""};
    size_t room = size - sizeof *d < MAX_TEXT ? size - sizeof *d : MAX_TEXT;
    enum qd_target_status status = qd_target_load(name, &made.api, &d->message);
    if (status == QD_TARGET_OK)
        status = made.api->open(name->version, name->config, &made.target, &d->message);
    bool is_open = status == QD_TARGET_OK;
    if (is_open)
        status = made.api->describe(made.target, &info, &d->message);
    if (status == QD_TARGET_OK)
        status = pack(d, room, &info);
    if (is_open && status != QD_TARGET_OK)
        made.api->close(made.target);
    if (status != QD_TARGET_OK)
        made.api = NULL;
    d->status = (uint32_t)status;
    *opened = made;
}

/* The next string of a packed text; NULL at its end. */
static const char *take(const char **text, const char *end)
{
    if (*text >= end)
        return NULL;
    const char *string = *text;
    *text += strlen(string) + 1; /* the last byte is NUL */
    return string;
}

static enum qd_status unpack(const char *text, size_t size, size_t count, struct qd_arena *arena,
                             struct qd_target_info *info, struct qd_error *error)
{
    const char *end = text + size;
    struct qd_target_capability *rows = qd_arena_array(arena, count, sizeof *rows);
    if (!rows)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu capabilities", count);
    struct qd_target_info made = {.capability_count = count, .capabilities = rows};
    made.name = take(&text, end);
    made.version = take(&text, end);
    made.settings = take(&text, end);
    bool whole = made.settings != NULL;
    for (size_t i = 0; i < count && whole; i++) {
        rows[i].op = take(&text, end);
        rows[i].needs = take(&text, end);
        rows[i].excludes = take(&text, end);
        rows[i].reason = take(&text, end);
        whole = rows[i].reason != NULL;
    }
    if (!whole)
        return qd_fail(error, QD_UNUSABLE, "the target's description is garbled");
    *info = made;
    return QD_OK;
}

/* Cleans each string of a packed text and makes it one line. */
static void clean(char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = strlen(text + at) + 1;
        qd_text_line(text + at, (unsigned)length);
        at += length;
    }
}

enum qd_status qd_serve_read(const void *block, size_t size, struct qd_arena *arena,
                             struct qd_target_info *info, struct qd_error *error)
{
    struct description d; /* a copy: the worker may still write */
    memcpy(&d, block, sizeof d);
    qd_text_clean(d.message.text, sizeof d.message.text);
    if (d.status != QD_TARGET_OK)
        return qd_fail(error, QD_UNUSABLE, "%s",
                       d.message.text[0] ? d.message.text : "it gave no reason");
    if (d.text_size == 0 || d.text_size > MAX_TEXT || d.text_size > size - sizeof d ||
        d.capability_count > MAX_CAPABILITIES)
        return qd_fail(error, QD_UNUSABLE, "the target's description is garbled");
    char *text = qd_arena_copy(arena, (const char *)block + sizeof d, d.text_size);
    if (!text)
        return qd_fail(error, QD_NO_MEMORY, "no room for the target's description");
    text[d.text_size - 1] = '\0';
    clean(text, d.text_size);
    return unpack(text, d.text_size, d.capability_count, arena, info, error);
}
