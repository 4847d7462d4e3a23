/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: mapped bytes, and external data that stays inside the model's directory. */
#include "model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qdiff/import.h"
#include "tensor_codec.h"

static enum qd_status map(const char *path, int fd, const uint8_t **bytes, size_t *size,
                          struct qd_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return qd_fail(error, QD_IO, "%s: not a regular file", path);
    if ((uintmax_t)info.st_size > QD_IMPORT_MAX_BYTES)
        return qd_fail(error, QD_LIMIT, "%s: %jd bytes, at most %zu are read", path,
                       (intmax_t)info.st_size, QD_IMPORT_MAX_BYTES);
    if (info.st_size == 0)
        return qd_fail(error, QD_INVALID, "%s: the file is empty", path);
    void *mapping = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot map: %s", path,
                       strerror(errno));
    *bytes = mapping;
    *size = (size_t)info.st_size;
    return QD_OK;
}

enum qd_status qd_model_file_map(const char *path, const uint8_t **bytes, size_t *size,
                                 struct qd_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot open: %s", path,
                       strerror(errno));
    enum qd_status status = map(path, fd, bytes, size, error);
    close(fd);
    return status;
}

void qd_model_file_unmap(const uint8_t *bytes, size_t size)
{
    union {
        const uint8_t *mapped;
        void *start;
    } file = {bytes};
    munmap(file.start, size);
}

/* --- External data ---------------------------------------------------------------------------- */

static const char *entry(const Onnx__TensorProto *proto, const char *key)
{
    for (size_t i = 0; i < proto->n_external_data; i++)
        if (proto->external_data[i]->key && proto->external_data[i]->value &&
            strcmp(proto->external_data[i]->key, key) == 0)
            return proto->external_data[i]->value;
    return NULL;
}

static bool parse_size(const char *text, uint64_t otherwise, uint64_t *value)
{
    char *end;
    if (!text) {
        *value = otherwise;
        return true;
    }
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static enum qd_status read_from(const char *path, int fd, uint64_t offset, void *bytes, size_t size,
                                struct qd_error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, (uint8_t *)bytes + done, size - done, (off_t)(offset + done));
        if (n == 0)
            return qd_fail(error, QD_INVALID, "%s: ends before byte %llu", path,
                           (unsigned long long)(offset + size));
        if (n < 0 && errno != EINTR)
            return qd_fail(error, qd_status_of_errno(errno), "%s: cannot read: %s", path,
                           strerror(errno));
        if (n > 0)
            done += (size_t)n;
    }
    return QD_OK;
}

/* A location names a file beside the model or below, nothing else. */
static enum qd_status read_part(const char *directory, const char *location, uint64_t offset,
                                void *bytes, size_t size, struct qd_error *error)
{
    int fd;
    enum qd_status status = qd_file_open_below(directory, location, &fd, error);
    if (status == QD_OK) {
        status = read_from(location, fd, offset, bytes, size, error);
        close(fd);
    }
    return status == QD_OK ? QD_OK : qd_fail_context(error, status, "external data");
}

static enum qd_status read_external(const char *model, const Onnx__TensorProto *proto,
                                    struct qd_arena *arena, struct qd_tensor *tensor,
                                    struct qd_error *error)
{
    const char *location = entry(proto, "location");
    uint64_t offset, length;
    enum qd_dtype dtype = qd_dtype_of_onnx(proto->data_type);
    if (!location)
        return qd_fail(error, QD_INVALID, "external data without a location");
    if (dtype == QD_DTYPE_NONE || proto->n_dims > QD_MAX_RANK)
        return qd_fail(error, QD_UNSUPPORTED, "data_type %d with %zu dimensions", proto->data_type,
                       proto->n_dims);
    enum qd_status status =
        qd_tensor_init(tensor, arena, dtype, (unsigned)proto->n_dims, proto->dims, error);
    if (status != QD_OK)
        return status;
    size_t size = qd_tensor_bytes(tensor);
    if (!parse_size(entry(proto, "offset"), 0, &offset) ||
        !parse_size(entry(proto, "length"), size, &length) || length != size ||
        offset > INT64_MAX - size)
        return qd_fail(error, QD_INVALID, "external data: offset or length do not fit %zu bytes",
                       size);
    const char *slash = strrchr(model, '/');
    const char *directory =
        slash ? qd_arena_printf(arena, "%.*s", (int)(slash - model) + 1, model) : ".";
    return directory ? read_part(directory, location, offset, tensor->data, size, error)
                     : qd_fail(error, QD_NO_MEMORY, "no room for the path of external data");
}

enum qd_status qd_model_file_tensor(const char *path, const Onnx__TensorProto *proto,
                                    struct qd_arena *arena, struct qd_tensor *tensor,
                                    struct qd_error *error)
{
    bool external = proto->has_data_location &&
                    proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    return external ? read_external(path, proto, arena, tensor, error)
                    : qd_tensor_of_proto(proto, arena, tensor, error);
}
