/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/tensor.h"

#include <stdio.h>
#include <string.h>

enum qd_status qd_shape_count(unsigned rank, const int64_t *dims, int64_t *count,
                              struct qd_error *error)
{
    if (rank > QD_MAX_RANK)
        return qd_fail(error, QD_LIMIT, "rank %u is more than %d", rank, QD_MAX_RANK);
    int64_t product = 1;
    bool empty = false;
    for (unsigned i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return qd_fail(error, QD_INVALID, "dimension %u is %lld", i, (long long)dims[i]);
        if (dims[i] == 0)
            empty = true;
        else if (dims[i] > QD_MAX_ELEMENTS / product)
            return qd_fail(error, QD_LIMIT, "a shape of more than %lld elements",
                           (long long)QD_MAX_ELEMENTS);
        else
            product *= dims[i];
    }
    *count = empty ? 0 : product;
    return QD_OK;
}

enum qd_status qd_tensor_init(struct qd_tensor *tensor, struct qd_arena *arena, enum qd_dtype dtype,
                              unsigned rank, const int64_t *dims, struct qd_error *error)
{
    struct qd_tensor made = {.dtype = dtype, .rank = rank};
    enum qd_status status = qd_shape_count(rank, dims, &made.count, error);
    if (status != QD_OK)
        return status;
    if (rank > 0)
        memcpy(made.dims, dims, rank * sizeof *dims);
    made.data = qd_arena_alloc(arena, qd_tensor_bytes(&made));
    if (!made.data)
        return qd_fail(error, QD_NO_MEMORY, "no room for a tensor of %lld elements",
                       (long long)made.count);
    *tensor = made;
    return QD_OK;
}

size_t qd_tensor_bytes(const struct qd_tensor *tensor)
{
    return (size_t)qd_dtype_bytes(tensor->dtype, (uint64_t)tensor->count);
}

/* Elements smaller than a byte: the first stands in the low bits. */
static unsigned load_packed(const unsigned char *bytes, unsigned bits, int64_t i)
{
    int64_t bit = i * bits;
    return (unsigned)(bytes[bit / 8] >> (bit % 8)) & ((1U << bits) - 1);
}

static int64_t extend(unsigned code, unsigned bits)
{
    unsigned sign = 1U << (bits - 1);
    return (int64_t)(code ^ sign) - (int64_t)sign;
}

/* Fixed sizes, so that each is one load; little endian machines only: CMake checks. */
#define LOAD(type)                                                    \
    do {                                                              \
        type code;                                                    \
        memcpy(&code, bytes + i * (int64_t)sizeof code, sizeof code); \
        return (int64_t)code;                                         \
    } while (0)

int64_t qd_tensor_get(const struct qd_tensor *tensor, int64_t i)
{
    const unsigned char *bytes = tensor->data;
    switch (tensor->dtype) {
    case QD_S8: LOAD(int8_t);
    case QD_U16:
    case QD_F16:
    case QD_BF16: LOAD(uint16_t);
    case QD_S16: LOAD(int16_t);
    case QD_F32: LOAD(uint32_t);
    case QD_S32: LOAD(int32_t);
    case QD_S64:
    case QD_F64: LOAD(int64_t);
    case QD_U4:
    case QD_F4E2M1: return load_packed(bytes, 4, i);
    case QD_S4: return extend(load_packed(bytes, 4, i), 4);
    case QD_U2: return load_packed(bytes, 2, i);
    case QD_S2: return extend(load_packed(bytes, 2, i), 2);
    default: return bytes[i]; /* u8, bool, float8 */
    }
}
#undef LOAD

static void store_packed(unsigned char *bytes, unsigned bits, int64_t i, int64_t code)
{
    int64_t bit = i * bits;
    unsigned mask = ((1U << bits) - 1) << (bit % 8);
    unsigned value = ((unsigned)code << (bit % 8)) & mask;
    bytes[bit / 8] = (unsigned char)((bytes[bit / 8] & ~mask) | value);
}

void qd_tensor_set(const struct qd_tensor *tensor, int64_t i, int64_t code)
{
    unsigned bits = qd_dtype_info(tensor->dtype)->bits;
    unsigned char *bytes = tensor->data;
    switch (bits) {
    case 8: bytes[i] = (unsigned char)code; break;
    case 16: memcpy(bytes + 2 * i, &code, 2); break;
    case 32: memcpy(bytes + 4 * i, &code, 4); break;
    case 64: memcpy(bytes + 8 * i, &code, 8); break;
    default: store_packed(bytes, bits, i, code); break;
    }
}

double qd_tensor_value(const struct qd_tensor *tensor, int64_t i)
{
    int64_t code = qd_tensor_get(tensor, i);
    return qd_dtype_is_float(tensor->dtype) ? qd_float_decode(tensor->dtype, (uint64_t)code)
                                            : (double)code;
}

bool qd_tensor_same_shape(const struct qd_tensor *a, const struct qd_tensor *b)
{
    if (a->rank != b->rank)
        return false;
    for (unsigned i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

const char *qd_tensor_describe(const struct qd_tensor *tensor, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s[", qd_dtype_info(tensor->dtype)->word);
    for (unsigned i = 0; i < tensor->rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "",
                                 (long long)tensor->dims[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

void qd_tensor_coordinates(const struct qd_tensor *tensor, int64_t i, int64_t *coordinates)
{
    for (unsigned axis = tensor->rank; axis-- > 0;) {
        int64_t dim = tensor->dims[axis] ? tensor->dims[axis] : 1;
        coordinates[axis] = i % dim;
        i /= dim;
    }
}
