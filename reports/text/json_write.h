/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out: objects, arrays and scalars to a stream, on one line. Strings may hold any bytes: what is not UTF-8
 * is written as U+FFFD, so that the output always parses. */
#ifndef QDIFF_REPORTS_JSON_WRITE_H
#define QDIFF_REPORTS_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct qd_json {
    FILE *out;
    bool comma; /* the next item needs one before it */
};

void qd_json_begin(struct qd_json *json, FILE *out);

/* `key` is NULL inside arrays and for the outermost item. */
void qd_json_open(struct qd_json *json, const char *key, char bracket);
void qd_json_close(struct qd_json *json, char bracket);
void qd_json_string(struct qd_json *json, const char *key, const char *value);
void qd_json_int(struct qd_json *json, const char *key, int64_t value);
void qd_json_bool(struct qd_json *json, const char *key, bool value);
/* A number that reads back as the same double; "nan", "inf" and "-inf" as strings. */
void qd_json_double(struct qd_json *json, const char *key, double value);

/* Members that are left out when they say nothing: "" or NULL, 0. */
void qd_json_string_if(struct qd_json *json, const char *key, const char *value);
void qd_json_int_if(struct qd_json *json, const char *key, int64_t value);

#endif
