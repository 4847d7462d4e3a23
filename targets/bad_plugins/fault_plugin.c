/* SPDX-License-Identifier: Apache-2.0 */
/* No plug-in but a library for LD_PRELOAD (scripts/fault_sweep): the Nth call of one kind fails, once in each process
 * of one program but those of targets. QDIFF_FAULT=<program>:<kind>:<N>; with N = 0 none fails, and at its end each
 * process adds a line with how many there were to the file $QDIFF_FAULT_COUNT. Kinds: malloc, write, fork, rename,
 * open. With QDIFF_FAULT_UNDER=DIR only what happens to files below it counts, and what is written to standard output:
 * an interpreter reads a hundred files before it begins. Standard error, which says what failed, does not. */
#define _GNU_SOURCE /* RTLD_NEXT, program_invocation_short_name */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static struct {
    const char *kind, *under;
    size_t length; /* of the kind */
    unsigned long at, count;
} fault;

__attribute__((constructor)) static void begin(void)
{
    const char *program = getenv("QDIFF_FAULT"), *self = program_invocation_short_name;
    const char *kind = program ? strchr(program, ':') : NULL;
    const char *number = kind ? strchr(kind + 1, ':') : NULL;
    if (!number || strncmp(program, self, (size_t)(kind - program)) != 0 ||
        self[kind - program] != '\0')
        return;
    fault.at = strtoul(number + 1, NULL, 10);
    fault.under = getenv("QDIFF_FAULT_UNDER");
    fault.length = (size_t)(number - kind) - 1;
    fault.kind = kind + 1;
}

/* What a target lacks is a finding about it, and no fault of qdiff's. */
static int is_worker(void)
{
    char name[16] = "";
    return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "qdiff-worker") == 0;
}

static int is_kind(const char *kind)
{
    return fault.kind && strlen(kind) == fault.length &&
           strncmp(kind, fault.kind, fault.length) == 0;
}

static int fails(const char *kind, int number)
{
    if (!is_kind(kind) || ++fault.count != fault.at || is_worker())
        return 0;
    errno = number;
    return 1;
}

/* The function that this one stands before. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* --- Counting ----------------------------------------------------------------------------------- */

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("QDIFF_FAULT_COUNT");
    char line[32];
    int counts = fault.kind && fault.at == 0 && path && !is_worker();
    fault.kind = NULL;
    int file =
        counts ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file < 0)
        return;
    int size = snprintf(line, sizeof line, "%lu\n", fault.count);
    syscall(SYS_write, file, line, size);
    close(file);
}

/* What was forked often ends so, without destructors. */
EXPORTED void _exit(int status)
{
    end();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

/* --- Which files -------------------------------------------------------------------------------- */

static int is_below(const char *path)
{
    size_t length = strlen(fault.under);
    return strncmp(path, fault.under, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int is_file_below(int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return is_below(path);
}

/* A path that does not begin at the root is below its directory. */
static int counts_at(int directory, const char *path)
{
    char here[PATH_MAX];
    if (!fault.under || path[0] == '/')
        return !fault.under || is_below(path);
    if (directory != AT_FDCWD)
        return is_file_below(directory);
    return getcwd(here, sizeof here) && is_below(here);
}

static int fails_at(const char *kind, int number, int directory, const char *path)
{
    return is_kind(kind) && counts_at(directory, path) && fails(kind, number);
}

static int fails_in(const char *kind, int number, int fd)
{
    return is_kind(kind) && fd != STDERR_FILENO &&
           (!fault.under || fd == STDOUT_FILENO || is_file_below(fd)) && fails(kind, number);
}

/* --- Memory ------------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size); /* NOLINT: glibc's own, which need no dlsym */
extern void *__libc_calloc(size_t count, size_t size);       /* NOLINT */
extern void *__libc_realloc(void *old, size_t size);         /* NOLINT */
extern void *__libc_memalign(size_t alignment, size_t size); /* NOLINT */

EXPORTED void *malloc(size_t size)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_calloc(count, size);
}

EXPORTED void *realloc(void *old, size_t size)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_realloc(old, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return fails("malloc", ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

/* --- Files and processes ------------------------------------------------------------------------ */

EXPORTED ssize_t write(int fd, const void *bytes, size_t size)
{
    __extension__ ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))next("write");
    return fails_in("write", ENOSPC, fd) ? -1 : real(fd, bytes, size);
}

EXPORTED int fflush(FILE *file)
{
    __extension__ int (*real)(FILE *) = (int (*)(FILE *))next("fflush");
    return fails("write", ENOSPC) ? EOF : real(file);
}

/* The file is closed, as the C library says. */
EXPORTED int fclose(FILE *file)
{
    __extension__ int (*real)(FILE *) = (int (*)(FILE *))next("fclose");
    int failed = fails("write", ENOSPC), answer = real(file);
    if (failed)
        errno = ENOSPC;
    return failed ? EOF : answer;
}

EXPORTED pid_t fork(void)
{
    __extension__ pid_t (*real)(void) = (pid_t(*)(void))next("fork");
    return fails("fork", EAGAIN) ? -1 : real();
}

EXPORTED int rename(const char *from, const char *to)
{
    __extension__ int (*real)(const char *, const char *) =
        (int (*)(const char *, const char *))next("rename");
    return fails_at("rename", ENOSPC, AT_FDCWD, from) ? -1 : real(from, to);
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
    __extension__ FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) next("fopen");
    return fails_at("open", EMFILE, AT_FDCWD, path) ? NULL : real(path, mode);
}

static int open_at(int directory, const char *path, int flags, va_list more)
{
    int creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = creates ? va_arg(more, mode_t) : 0;
    if (fails_at("open", EMFILE, directory, path))
        return -1;
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

/* `name`(…, int flags, mode): the same with 64 is what the large files of old had. */
#define OPEN(name, directory, ...)                      \
    EXPORTED int name(__VA_ARGS__, int flags, ...)      \
    {                                                   \
        va_list more;                                   \
        va_start(more, flags);                          \
        int fd = open_at(directory, path, flags, more); \
        va_end(more);                                   \
        return fd;                                      \
    }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, at, int at, const char *path)
OPEN(openat64, at, int at, const char *path)
