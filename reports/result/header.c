/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the first line of a results file: what was run, on what, where. */
#include "result/header.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qdiff_version.h"
#include "result/machine.h"
#include "text/json_write.h"

/* 2: the words of verdicts and result kinds of qdiff 0.1.0. */
enum { SCHEMA = 3 };

static void write_list(struct qd_json *json, const char *key, const struct qd_words *list)
{
    if (list->count == 0)
        return;
    qd_json_open(json, key, '[');
    for (size_t i = 0; i < list->count; i++)
        qd_json_string(json, NULL, list->items[i]);
    qd_json_close(json, ']');
}

static void write_selection(struct qd_json *json, const struct qd_selection *selection)
{
    const struct qd_options *options = selection->options;
    struct qd_options unsharded = *options;
    struct qd_selection whole = *selection;

    unsharded.shard = (struct qd_shard){0, 0};
    whole.options = &unsharded;
    qd_json_string(json, "level", qd_level_word(options->level));
    write_list(json, "filter", &options->filters);
    write_list(json, "op", &options->ops);
    write_list(json, "feature", &options->features);
    write_list(json, "tag", &options->tags);
    write_list(json, "files", &options->arguments);
    qd_json_bool(json, "whole", qd_selection_is_whole(&whole));
    if (options->shard.count > 0) {
        qd_json_int(json, "shard", (int64_t)options->shard.index + 1);
        qd_json_int(json, "shards", (int64_t)options->shard.count);
    }
}

/* "threads=4" among the settings; every target runs one thread unless it says otherwise. */
static int64_t threads_of(const char *settings)
{
    const char *found = strstr(settings, "threads=");

    return !found ? 1 : strtol(found + strlen("threads="), NULL, 10);
}

static void write_target(struct qd_json *json, const struct qd_subject *target)
{
    const struct qd_target_info *info = target->info;

    qd_json_open(json, NULL, '{');
    qd_json_string(json, "id", target->id);
    qd_json_string(json, "name", info->name);
    qd_json_string(json, "version", info->version);
    qd_json_string(json, "settings", info->settings);
    qd_json_int(json, "threads", threads_of(info->settings));
    qd_json_string_if(json, "expectations", qd_expectations_path(target->expectations));
    qd_json_close(json, '}');
}

static void write_machine(struct qd_json *json, struct qd_arena *arena)
{
    struct qd_machine machine = qd_machine_read(arena);

    qd_json_open(json, "machine", '{');
    qd_json_string(json, "cpu", machine.cpu);
    qd_json_string(json, "flags", machine.flags);
    qd_json_close(json, '}');
}

void qd_header_write(FILE *out, const struct qd_selection *selection,
                     const struct qd_gate_targets *targets, struct qd_arena *arena)
{
    time_t now = time(NULL);
    struct tm parts;
    char started[32] = "";

    if (gmtime_r(&now, &parts))
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &parts);
    struct qd_json json;
    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "record", "header");
    qd_json_int(&json, "schema", SCHEMA);
    qd_json_string(&json, "suite", QD_VERSION);
    qd_json_string(&json, "commit", QD_COMMIT);
    qd_json_string(&json, "started", started);
    write_machine(&json, arena);
    write_selection(&json, selection);
    qd_json_open(&json, "targets", '[');
    for (size_t i = 0; i < targets->count; i++)
        write_target(&json, &targets->items[i]);
    qd_json_close(&json, ']');
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static uint64_t number_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key)); /* 0 when absent */

    return value > 0 ? (uint64_t)value : 0;
}

static enum qd_status decode_object(json_t *object, struct qd_arena *arena,
                                    struct qd_header *header, struct qd_error *error)
{
    static const char *const apart[] = {"shard", "started", "machine"};
    const char *kind = json_string_value(json_object_get(object, "record"));
    struct qd_header decoded = {0};

    if (!kind || strcmp(kind, "header") != 0)
        return qd_fail(error, QD_MALFORMED, "the first line is not a header of a results file");
    if (number_of(object, "schema") != SCHEMA) {
        return qd_fail(error, QD_MALFORMED,
                       "field \"schema\": have %llu, want %d; make the file again with this qdiff",
                       (unsigned long long)number_of(object, "schema"), SCHEMA);
    }
    decoded.whole = json_is_true(json_object_get(object, "whole"));
    decoded.shard.count = number_of(object, "shards");
    if (decoded.shard.count > 0) {
        uint64_t index = number_of(object, "shard");

        if (index == 0 || index > decoded.shard.count || decoded.shard.count > 1000000) {
            return qd_fail(error, QD_MALFORMED, "field \"shard\": 1 to %llu is wanted",
                           (unsigned long long)decoded.shard.count);
        }
        decoded.shard.index = index - 1;
    }
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        json_object_del(object, apart[i]);
    char *likeness = json_dumps(object, JSON_SORT_KEYS | JSON_COMPACT);
    decoded.likeness = !likeness ? NULL : qd_arena_string(arena, likeness);
    free(likeness);
    if (!decoded.likeness)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a header");
    *header = decoded;
    return QD_OK;
}

enum qd_status qd_header_decode(const char *line, size_t length, struct qd_arena *arena,
                                struct qd_header *header, struct qd_error *error)
{
    json_error_t broken;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &broken);
    enum qd_status status =
        json_is_object(object)
            ? decode_object(object, arena, header, error)
            : qd_fail(error, QD_MALFORMED, "no JSON object in the first line: %s",
                      !object ? broken.text : "another kind of value");

    json_decref(object);
    return status;
}

const char *qd_header_unsharded(const char *line, struct qd_arena *arena)
{
    json_t *object = json_loads(line, 0, NULL);

    json_object_del(object, "shard");
    json_object_del(object, "shards");
    char *text = json_dumps(object, 0);
    const char *kept = !text ? NULL : qd_arena_string(arena, text);
    free(text);
    json_decref(object);
    return kept;
}
