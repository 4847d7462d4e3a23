/* SPDX-License-Identifier: Apache-2.0 */
/* No plug-in but a library for LD_PRELOAD (scripts/fault_sweep): the Nth call of one kind fails, once in each process
 * but those of targets. QDIFF_FAULT=<kind>:<N>; with N = 0 none fails, and at its end the process that was started
 * writes how many there were to $QDIFF_FAULT_COUNT. Kinds: malloc, write, fork, rename, open. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static struct {
    char kind[16];
    unsigned long at, count;
    pid_t first;
} fault;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("QDIFF_FAULT");
    const char *colon = text ? strchr(text, ':') : NULL;
    if (!colon || (size_t)(colon - text) >= sizeof fault.kind)
        return;
    fault.first = getpid();
    fault.at = strtoul(colon + 1, NULL, 10);
    memcpy(fault.kind, text, (size_t)(colon - text));
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("QDIFF_FAULT_COUNT");
    if (!path || fault.at != 0 || fault.first != getpid())
        return;
    fault.kind[0] = '\0';
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "%lu\n", fault.count);
    fclose(file);
}

/* What a target lacks is a finding about it, and no fault of qdiff's. */
static int is_worker(void)
{
    char name[16] = "";
    return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "qdiff-worker") == 0;
}

static int fails(const char *kind, int number)
{
    if (strcmp(fault.kind, kind) != 0 || ++fault.count != fault.at || is_worker())
        return 0;
    errno = number;
    return 1;
}

/* The function that this one stands before. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

extern void *__libc_malloc(size_t size); /* NOLINT: glibc's own, which need no dlsym */
extern void *__libc_calloc(size_t count, size_t size); /* NOLINT */
extern void *__libc_realloc(void *old, size_t size);   /* NOLINT */

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

EXPORTED ssize_t write(int fd, const void *bytes, size_t size)
{
    __extension__ ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))next("write");
    return fails("write", ENOSPC) ? -1 : real(fd, bytes, size);
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
    return fails("rename", ENOSPC) ? -1 : real(from, to);
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
    __extension__ FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) next("fopen");
    return fails("open", EMFILE) ? NULL : real(path, mode);
}
