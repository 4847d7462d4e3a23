/* SPDX-License-Identifier: Apache-2.0 */
/* Reads results files line by line. */
#include "result/results_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BUDGET ((size_t)64 << 20)

static enum qd_status take_record(const struct qd_results_reader *reader, const char *line,
                                  size_t length, struct qd_arena *arena, bool *complete,
                                  struct qd_error *error)
{
    struct qd_result_record record;
    enum qd_status status = qd_result_record_decode(line, length, arena, &record, error);

    if (status != QD_OK)
        return status;
    switch (record.kind) {
    case QD_RECORD_RESULT: return reader->result(reader->context, &record.result, error);
    case QD_RECORD_ROW: return reader->row(reader->context, &record.row, error);
    case QD_RECORD_SUMMARY: *complete = record.complete; return QD_OK;
    case QD_RECORD_HEADER: break;
    }
    return qd_fail(error, QD_MALFORMED, "a second header");
}

static enum qd_status take_line(const struct qd_results_reader *reader, size_t number,
                                const char *line, size_t length, struct qd_arena *arena,
                                bool *complete, struct qd_error *error)
{
    if (number > 1)
        return take_record(reader, line, length, arena, complete, error);
    struct qd_header header;
    enum qd_status status = qd_header_decode(line, length, arena, &header, error);
    return status == QD_OK ? reader->header(reader->context, line, &header, error) : status;
}

static enum qd_status read_lines(FILE *file, const char *path,
                                 const struct qd_results_reader *reader, struct qd_arena *arena,
                                 bool *complete, struct qd_error *error)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    enum qd_status status = QD_OK;

    *complete = false;
    ssize_t length;
    while (status == QD_OK && (length = getline(&line, &capacity, file)) > 0) {
        number++;
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = '\0';
        qd_arena_reset(arena);
        status = take_line(reader, number, line, (size_t)length - 1, arena, complete, error);
    }
    free(line);
    if (status != QD_OK)
        return qd_fail_context(error, status, "%s:%zu", path, number);
    if (ferror(file))
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    return number > 0 ? QD_OK : qd_fail(error, QD_MALFORMED, "%s: an empty file", path);
}

enum qd_status qd_results_read(const char *path, const struct qd_results_reader *reader,
                               bool *complete, struct qd_error *error)
{
    FILE *file = fopen(path, "re");

    if (!file)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    struct qd_arena arena;
    qd_arena_init(&arena, LINE_BUDGET);
    bool ended;
    enum qd_status status = read_lines(file, path, reader, &arena, &ended, error);
    qd_arena_clear(&arena);
    fclose(file);
    if (status == QD_OK)
        *complete = ended;
    return status;
}
