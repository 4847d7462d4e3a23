/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kill matrix and the nights of fuzzing that a report shows. */
#include "report/history.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of pairs instead of an object: names are data, and no script takes one for a member of its own.
 * NULL when out of memory. */
static json_t *pairs_of(json_t *object)
{
    json_t *list = json_array(), *value;
    const char *name;

    json_object_foreach(object, name, value)
    {
        if (json_array_append_new(list, json_pack("[s, O]", name, value)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* --- Kills ---------------------------------------------------------------------------------------- */

/* NULL where the line is none of a kill matrix. */
static json_t *quirk_of(const char *line)
{
    json_t *object = json_loads(line, 0, NULL), *made = NULL, *families;
    const char *quirk, *first = "";
    json_int_t kills, cases;

    if (object && json_unpack(object, "{s:s, s:I, s:I, s?:s, s:o}", "quirk", &quirk, "kills",
                              &kills, "cases", &cases, "first", &first, "families", &families) == 0)
        made = json_pack("[s, I, I, s, o]", quirk, kills, cases, first, pairs_of(families));
    json_decref(object);
    return made;
}

enum qd_status qd_kills_read(const char *path, json_t **value, struct qd_error *error)
{
    FILE *in = path ? fopen(path, "re") : NULL;
    json_t *list = json_array();
    char *line = NULL;
    size_t size = 0, number = 0;
    enum qd_status status = QD_OK;

    if (path && !in)
        status = qd_fail(error, qd_status_of_errno(errno), "--kills %s: %s", path, strerror(errno));
    while (in && status == QD_OK && getline(&line, &size, in) >= 0) {
        number++;
        if (json_array_append_new(list, quirk_of(line)) != 0)
            status = qd_fail(error, QD_MALFORMED,
                             "--kills %s, line %zu: it is none of qdiff self-test --json --output",
                             path, number);
    }
    if (in)
        fclose(in);
    free(line);
    if (status == QD_OK)
        *value = list;
    else
        json_decref(list);
    return status;
}

/* --- Nights --------------------------------------------------------------------------------------- */

static json_t *target_of(const char *name, const json_t *facts)
{
    return json_pack("[s, O?, O?]", name, json_object_get(facts, "executions"),
                     json_object_get(facts, "compared_share"));
}

static json_t *finding_of(const char *signature, const json_t *facts)
{
    return json_pack("[s, O?, O?]", signature, json_object_get(facts, "first"),
                     json_object_get(facts, "targets"));
}

/* What `make` makes of each member. NULL when out of memory. */
static json_t *list_of(json_t *object, json_t *(*make)(const char *name, const json_t *facts))
{
    json_t *list = json_array(), *facts;
    const char *name;

    json_object_foreach(object, name, facts)
    {
        if (json_array_append_new(list, make(name, facts)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* NULL where it is no summary of a night. */
static json_t *night_of(json_t *summary)
{
    const char *id, *start;
    int early;
    json_t *targets, *all, *new, *gone;

    if (json_unpack(summary, "{s:s, s:s, s:b, s:o, s:{s:o, s:o, s:o}}", "id", &id, "start", &start,
                    "interrupted", &early, "targets", &targets, "findings", "all", &all, "new",
                    &new, "gone", &gone) != 0 ||
        !json_is_array(new) || !json_is_array(gone))
        return NULL;
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:O, s:O}", "id", id, "start", start, "early",
                     early, "targets", list_of(targets, target_of), "found",
                     list_of(all, finding_of), "new", new, "gone", gone);
}

/* Adds the night of that name to the list, if it has a summary. */
static enum qd_status read_night(const char *directory, const char *name, json_t *list,
                                 struct qd_error *error)
{
    char path[4096];
    json_error_t problem;

    if (snprintf(path, sizeof path, "%s/%s/summary.json", directory, name) >= (int)sizeof path)
        return qd_fail(error, QD_IO, "--nights %s: the path is too long", directory);
    FILE *in = name[0] != '.' ? fopen(path, "re") : NULL;
    if (!in)
        return QD_OK;
    json_t *summary = json_loadf(in, 0, &problem);
    fclose(in);
    enum qd_status status =
        summary && json_array_append_new(list, night_of(summary)) == 0
            ? QD_OK
            : qd_fail(error, QD_MALFORMED, "%s: no summary of scripts/nightly%s%s", path,
                      summary ? "" : ": ", summary ? "" : problem.text);
    json_decref(summary);
    return status;
}

enum qd_status qd_nights_read(const char *directory, json_t **value, struct qd_error *error)
{
    struct dirent **entries = NULL;
    json_t *list = json_array();
    int count = directory ? scandir(directory, &entries, NULL, alphasort) : 0;
    enum qd_status status = QD_OK;

    if (count < 0)
        status = qd_fail(error, qd_status_of_errno(errno), "--nights %s: %s", directory,
                         strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == QD_OK)
            status = read_night(directory, entries[i]->d_name, list, error);
        free(entries[i]);
    }
    free(entries);
    if (status == QD_OK && directory && json_array_size(list) == 0)
        status = qd_fail(error, QD_USAGE,
                         "--nights %s: no NIGHT/summary.json of scripts/nightly in it", directory);
    if (status == QD_OK)
        *value = list;
    else
        json_decref(list);
    return status;
}
