/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the directory of a report. */
#include "report/site.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qdiff/cache_path.h"
#include "qdiff/data_path.h"
#include "report/history.h"
#include "report/pages.h"
#include "select/coverage.h"
#include "select/visit.h"
#include "text/overwrite.h"

/* Details beyond so many bytes are left out, so that a report stays one that can be sent. */
#define MOST_BYTES ((long)10 << 20)
#define MOST_COPIED ((size_t)8 << 20)

/* How index.html begins. */
static const char first_line[] = "<!doctype html>\n<!-- a report of qdiff -->";

static const struct {
    const char *package, *file;
} libraries[] = {
#define QD_LIBRARY(package, file) {package, file},
#include "report/libraries.def"
#undef QD_LIBRARY
};

static const char *const page_files[] = {
    "data.js",   "style.css", "site.js",  "matrix.js",   "causes.js",
    "case.js",   "heat.js",   "graph.js", "overview.js", "others.js",
    "quirks.js", "nights.js", "start.js", "index.html"}; /* the last one: with it the report is whole */

/* Writing under way. */
struct writing {
    struct qd_report *report;
    const struct qd_options *options;
    struct qd_site *site;
    struct qd_arena arena;      /* of paths */
    struct qd_arena case_arena; /* of one case */
    struct qd_coverage coverage;
    json_t *kills, *nights;
    long bytes; /* of details */
    enum qd_status status;
    struct qd_error *error;
};

/* --- Files ----------------------------------------------------------------------------------------- */

static enum qd_status make_directory(const char *path, struct qd_error *error)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST
               ? QD_OK
               : qd_fail(error, qd_status_of_errno(errno), "%s: cannot be made: %s", path,
                         strerror(errno));
}

/* <directory>/<name>; NULL when out of memory. */
static const char *path_of(struct writing *writing, const char *name)
{
    return qd_arena_printf(&writing->arena, "%s/%s", writing->site->directory, name);
}

static enum qd_status copy(struct writing *writing, const char *from, const char *name)
{
    uint8_t *bytes;
    size_t size;
    const char *to = path_of(writing, name);

    if (!to)
        return qd_fail(writing->error, QD_NO_MEMORY, "no memory for a path");
    qd_arena_reset(&writing->case_arena);
    enum qd_status status =
        qd_file_read(from, MOST_COPIED, &writing->case_arena, &bytes, &size, writing->error);
    return status == QD_OK ? qd_file_write(to, bytes, size, writing->error) : status;
}

/* A file of the page with what `write` puts into it; *size (may be NULL) is how much that is. */
typedef enum qd_status page_writer(struct writing *writing, const void *what, FILE *out);
static enum qd_status write_page(struct writing *writing, const char *name, page_writer *write,
                                 const void *what, long *size)
{
    const char *path = path_of(writing, name);
    FILE *out = path ? fopen(path, "we") : NULL;

    if (!out)
        return qd_fail(writing->error, qd_status_of_errno(errno), "%s: cannot write: %s",
                       path ? path : name, strerror(errno));
    enum qd_status status = write(writing, what, out);
    if (size)
        *size = ftell(out);
    bool failed = ferror(out) != 0;
    return (fclose(out) != 0 || failed) && status == QD_OK
               ? qd_fail(writing->error, qd_status_of_errno(errno), "%s: cannot write: %s", path,
                         strerror(errno))
               : status;
}

/* --- Libraries and the page ------------------------------------------------------------------------ */

/* Where a file of a library is kept: in packages of qdiff with its data, else where scripts/setup puts it. NULL when
 * there is no cache, or no memory. */
static const char *library_path(struct writing *writing, size_t i, const char *file)
{
    char root[3072];
    const char *name = qd_arena_printf(&writing->arena, "npm/%s/%s", libraries[i].package, file);
    const char *path = NULL;

    if (!name)
        return NULL;
    if (qd_data_path(&writing->arena, name, &path, NULL) == QD_OK && access(path, R_OK) == 0)
        return path;
    return qd_cache_path(name, root, sizeof root) ? qd_arena_string(&writing->arena, root) : NULL;
}

static enum qd_status check_libraries(struct writing *writing)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *path = library_path(writing, i, libraries[i].file);

        if (!path || access(path, R_OK) != 0)
            return qd_fail(writing->error, QD_USAGE,
                           "the page's library %s (%s) is not set up: run scripts/setup report",
                           libraries[i].file, libraries[i].package);
    }
    return QD_OK;
}

static enum qd_status copy_libraries(struct writing *writing)
{
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && status == QD_OK; i++) {
        const char *file = library_path(writing, i, libraries[i].file);
        const char *license = library_path(writing, i, "LICENSE");
        const char *to = qd_arena_printf(&writing->arena, "lib/%s", libraries[i].file);
        const char *beside =
            qd_arena_printf(&writing->arena, "lib/%s.LICENSE", libraries[i].package);

        if (!file || !license || !to || !beside)
            return qd_fail(writing->error, QD_NO_MEMORY, "no memory for a path");
        status = copy(writing, file, to);
        if (status == QD_OK)
            status = copy(writing, license, beside);
    }
    return status;
}

static enum qd_status copy_page(struct writing *writing)
{
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < sizeof page_files / sizeof *page_files && status == QD_OK; i++) {
        const char *name =
            qd_arena_printf(&writing->arena, "reports/report/site/%s", page_files[i]);
        const char *from = NULL;

        if (!name)
            return qd_fail(writing->error, QD_NO_MEMORY, "no memory for a path");
        status = qd_data_path(&writing->arena, name, &from, writing->error);
        if (status == QD_OK)
            status = copy(writing, from, page_files[i]);
    }
    return status;
}

/* --- Cases ----------------------------------------------------------------------------------------- */

struct wanted {
    const struct qd_report_case *entry;
    const struct qd_case *kase; /* NULL: not in the suite */
};

static enum qd_status write_case(struct writing *writing, const void *what, FILE *out)
{
    const struct wanted *wanted = what;

    if (wanted->kase)
        return qd_report_write_case(writing->report, wanted->entry, wanted->kase,
                                    &writing->case_arena, out, writing->error);
    qd_report_write_absent(writing->report, wanted->entry, out);
    return QD_OK;
}

static enum qd_status write_details(struct writing *writing, struct qd_report_case *entry,
                                    const struct qd_case *kase)
{
    const struct wanted wanted = {entry, kase};
    char name[64];
    long size = 0;

    snprintf(name, sizeof name, "cases/%zu.js", entry->page);
    qd_arena_reset(&writing->case_arena);
    enum qd_status status = write_page(writing, name, write_case, &wanted, &size);
    writing->bytes += size;
    writing->site->pages++;
    return status;
}

/* Where the budget is used up, no further case has a page. */
static enum qd_status take_case(struct writing *writing, const struct qd_case *kase)
{
    struct qd_report_case *entry = qd_report_find(writing->report, kase->id);

    if (!entry || entry->page == 0 || entry->written)
        return QD_OK;
    entry->written = true;
    if (writing->bytes > MOST_BYTES) {
        entry->page = 0;
        return QD_OK;
    }
    return write_details(writing, entry, kase);
}

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct writing *writing = context;

    writing->status = take_case(writing, selected->kase);
    if (writing->status == QD_OK && selected->kase->request_size == 0) {
        qd_arena_reset(&writing->case_arena);
        writing->status = qd_coverage_add(&writing->coverage, selected->kase, &writing->case_arena,
                                          writing->error);
    }
    if (writing->status != QD_OK)
        qd_fail_context(writing->error, writing->status, "%s", selected->kase->id);
    return writing->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct writing *writing = context;

    (void)path; /* the error names it */
    *writing->error = *error;
    writing->status = error->status;
    return QD_VISIT_STOP;
}

/* The suite at the highest level that a run had. */
static enum qd_status visit_suite(struct writing *writing)
{
    const struct qd_visitor visitor = {take, take_bad, writing};
    struct qd_options options = {.cases = writing->options->cases};
    const struct qd_selection selection = {.options = &options};

    for (size_t i = 0; i < writing->report->run_count; i++)
        if (writing->report->runs[i].level > options.level)
            options.level = writing->report->runs[i].level;
    enum qd_status status = qd_visit_selected(&selection, &visitor, writing->error);
    return status == QD_OK ? writing->status : status;
}

static enum qd_status write_cases(struct writing *writing)
{
    struct qd_report *report = writing->report;
    enum qd_status status = visit_suite(writing);

    for (size_t i = 0; i < report->case_count && status == QD_OK; i++) {
        struct qd_report_case *entry = &report->cases[i];

        if (entry->page > 0 && !entry->written)
            status = write_details(writing, entry, NULL);
        writing->site->left_out += entry->diverges && entry->page == 0;
    }
    return status;
}

/* --- All ------------------------------------------------------------------------------------------- */

static enum qd_status write_front(struct writing *writing, const void *what, FILE *out)
{
    (void)what;
    return qd_report_write_front(writing->report, out, writing->error);
}

static enum qd_status write_coverage(struct writing *writing, const void *what, FILE *out)
{
    (void)what;
    fputs("qdiff.take('coverage', ", out);
    enum qd_status status = qd_coverage_write(&writing->coverage, out, writing->error);
    fputs(");\n", out);
    return status;
}

static enum qd_status write_history(struct writing *writing, const void *what, FILE *out)
{
    json_t *both = json_pack("{s:O, s:O}", "kills", writing->kills, "nights", writing->nights);

    (void)what;
    fputs("qdiff.take('history', ", out);
    int written = json_dumpf(both, out, JSON_COMPACT | JSON_ENSURE_ASCII);
    fputs(");\n", out);
    json_decref(both);
    return written == 0 ? QD_OK
                        : qd_fail(writing->error, QD_NO_MEMORY, "no memory for the history");
}

/* Pages of an earlier report, of which this one may have fewer. */
static void forget_cases(struct writing *writing, const char *directory)
{
    DIR *entries = opendir(directory);

    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *suffix = entry->d_name + strspn(entry->d_name, "0123456789");
        const char *path = suffix != entry->d_name && strcmp(suffix, ".js") == 0
                               ? qd_arena_printf(&writing->arena, "%s/%s", directory, entry->d_name)
                               : NULL;

        if (path)
            unlink(path);
    }
    if (entries)
        closedir(entries);
}

/* The directories, which have to be new or those of a report. */
static enum qd_status prepare(struct writing *writing)
{
    const char *index = path_of(writing, "index.html"), *cases = path_of(writing, "cases");
    const char *lib = path_of(writing, "lib"), *directory = writing->site->directory;

    if (!index || !cases || !lib)
        return qd_fail(writing->error, QD_NO_MEMORY, "no memory for a path");
    if (!qd_may_overwrite(index, first_line) ||
        (access(cases, F_OK) == 0 && access(index, F_OK) != 0))
        return qd_fail(writing->error, QD_USAGE,
                       "--output %s: it holds something that is no report of qdiff", directory);
    enum qd_status status = check_libraries(writing);
    if (status == QD_OK)
        status = make_directory(directory, writing->error);
    if (status == QD_OK)
        status = make_directory(cases, writing->error);
    if (status == QD_OK)
        forget_cases(writing, cases);
    return status == QD_OK ? make_directory(lib, writing->error) : status;
}

static enum qd_status write_all(struct writing *writing)
{
    enum qd_status status = qd_kills_read(writing->options->kills, &writing->kills, writing->error);

    if (status == QD_OK)
        status = qd_nights_read(writing->options->nights, &writing->nights, writing->error);
    if (status == QD_OK)
        status = prepare(writing);
    qd_report_choose(writing->report);
    if (status == QD_OK)
        status = write_cases(writing);
    if (status == QD_OK)
        status = write_page(writing, "front.js", write_front, NULL, NULL);
    if (status == QD_OK)
        status = write_page(writing, "coverage.js", write_coverage, NULL, NULL);
    if (status == QD_OK)
        status = write_page(writing, "history.js", write_history, NULL, NULL);
    if (status == QD_OK)
        status = copy_libraries(writing);
    return status == QD_OK ? copy_page(writing) : status;
}

enum qd_status qd_site_write(struct qd_report *report, const struct qd_options *options,
                             const char *directory, struct qd_site *site, struct qd_error *error)
{
    struct qd_site made = {.directory = directory};
    struct writing writing = {.report = report, .options = options, .site = &made, .error = error};

    qd_arena_init(&writing.arena, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&writing.case_arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = write_all(&writing);
    json_decref(writing.kills);
    json_decref(writing.nights);
    qd_coverage_clear(&writing.coverage);
    qd_arena_clear(&writing.case_arena);
    qd_arena_clear(&writing.arena);
    if (status == QD_OK)
        *site = made;
    return status;
}
