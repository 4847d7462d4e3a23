/* SPDX-License-Identifier: Apache-2.0 */
/* Files, whole: read up to a limit, below a directory without links, and written so that none is ever torn. */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qdiff/case.h"

static enum qd_status fail_errno(struct qd_error *error, const char *path, const char *what)
{
    return qd_fail(error, qd_status_of_errno(errno), "%s: cannot %s: %s", path, what,
                   strerror(errno));
}

/* Reads until the end or until `size` bytes are there. */
static enum qd_status read_all(int fd, const char *path, uint8_t *bytes, size_t size,
                               struct qd_error *error)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(error, path, "read");
        if (n == 0)
            return qd_fail(error, QD_IO, "%s: it shrank while it was read", path);
        done += (size_t)n;
    }
    return QD_OK;
}

static enum qd_status read_open(int fd, const char *path, size_t limit, struct qd_arena *arena,
                                uint8_t **bytes, size_t *size, struct qd_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fail_errno(error, path, "examine");
    if (!S_ISREG(info.st_mode))
        return qd_fail(error, QD_IO, "%s: not a regular file", path);
    if ((uintmax_t)info.st_size > limit)
        return qd_fail(error, QD_LIMIT, "%s: %jd bytes, at most %zu are read", path,
                       (intmax_t)info.st_size, limit);
    uint8_t *read = qd_arena_alloc(arena, (size_t)info.st_size);
    if (!read)
        return qd_fail(error, QD_NO_MEMORY, "%s: no room for %jd bytes", path,
                       (intmax_t)info.st_size);
    enum qd_status status = read_all(fd, path, read, (size_t)info.st_size, error);
    if (status != QD_OK)
        return status;
    *bytes = read;
    *size = (size_t)info.st_size;
    return QD_OK;
}

enum qd_status qd_file_read(const char *path, size_t limit, struct qd_arena *arena, uint8_t **bytes,
                            size_t *size, struct qd_error *error)
{
    /* Without O_NONBLOCK a FIFO in the way would hang us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(error, path, "open");
    enum qd_status status = read_open(fd, path, limit, arena, bytes, size, error);
    close(fd);
    return status;
}

/* The next part of a name, "a" of "a/b"; false where it could lead out of the directory. */
static bool take_part(const char **name, char part[NAME_MAX + 1])
{
    size_t length = strcspn(*name, "/");
    if (length == 0 || length > NAME_MAX)
        return false;
    memcpy(part, *name, length);
    part[length] = '\0';
    *name += length + ((*name)[length] == '/');
    return strcmp(part, "..") != 0;
}

static bool stays_below(const char *name)
{
    char part[NAME_MAX + 1];
    bool below = *name != '\0';
    while (below && *name)
        below = take_part(&name, part);
    return below;
}

/* Opens part after part, each without following links: what replaces one in the meantime changes nothing. */
static enum qd_status open_parts(int directory, const char *name, int *fd, struct qd_error *error)
{
    char part[NAME_MAX + 1];
    const char *rest = name;
    int at = directory;
    while (*rest && take_part(&rest, part)) {
        int flags = O_CLOEXEC | O_NOFOLLOW | (*rest ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK);
        int next = openat(at, part, flags), why = errno;
        if (at != directory)
            close(at);
        if (next < 0 && (why == ELOOP || why == ENOTDIR))
            return qd_fail(error, QD_INVALID, "%s: leads through a link", name);
        if (next < 0)
            return qd_fail(error, QD_IO, "%s: cannot open: %s", name, strerror(why));
        at = next;
    }
    *fd = at;
    return QD_OK;
}

enum qd_status qd_file_open_below(const char *directory, const char *name, int *fd,
                                  struct qd_error *error)
{
    struct stat info;
    int opened = -1;
    if (!stays_below(name))
        return qd_fail(error, QD_INVALID, "'%s' is no name below the directory", name);
    int below = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (below < 0)
        return fail_errno(error, directory, "open");
    enum qd_status status = open_parts(below, name, &opened, error);
    close(below);
    if (status != QD_OK)
        return status;
    if (fstat(opened, &info) == 0 && S_ISREG(info.st_mode)) {
        *fd = opened;
        return QD_OK;
    }
    close(opened);
    return qd_fail(error, QD_INVALID, "%s: not a regular file", name);
}

enum qd_status qd_file_read_below(const char *directory, const char *name, size_t limit,
                                  struct qd_arena *arena, uint8_t **bytes, size_t *size,
                                  struct qd_error *error)
{
    int fd = -1;
    enum qd_status status = qd_file_open_below(directory, name, &fd, error);
    if (status != QD_OK)
        return status;
    status = read_open(fd, name, limit, arena, bytes, size, error);
    close(fd);
    return status;
}

bool qd_file_write_fd(int fd, const void *bytes, size_t size)
{
    const uint8_t *left = bytes;
    while (size > 0) {
        ssize_t n = write(fd, left, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        left += n;
        size -= (size_t)n;
    }
    return true;
}

/* The name the bytes have until they are complete: beside `path`, so that rename does not cross file systems. */
static int create_beside(const char *path, char *name, size_t size)
{
    snprintf(name, size, "%s.%ld.tmp", path, (long)getpid());
    /* A process of the same number that was killed may have left one. */
    unlink(name);
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

enum qd_status qd_file_write(const char *path, const void *bytes, size_t size,
                             struct qd_error *error)
{
    char name[PATH_MAX];
    if (strlen(path) > sizeof name - 32)
        return qd_fail(error, QD_IO, "%.80s...: the path is too long", path);
    int fd = create_beside(path, name, sizeof name);
    if (fd < 0)
        return fail_errno(error, path, "create a file next to it");
    enum qd_status status = QD_OK;
    if (!qd_file_write_fd(fd, bytes, size) || fsync(fd) != 0)
        status = fail_errno(error, path, "write");
    if (close(fd) != 0 && status == QD_OK)
        status = fail_errno(error, path, "write");
    if (status == QD_OK && rename(name, path) != 0)
        status = fail_errno(error, path, "replace");
    if (status != QD_OK)
        unlink(name);
    return status;
}
