/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy files. Source: NumPy's documentation, numpy.lib.format. */
#include <stdlib.h>
#include <string.h>

#include "qdiff/import.h"

/* The header is a Python literal such as {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }. */
struct header {
    char descr[16];
    bool has_descr, has_order, has_shape, fortran;
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
};

struct parser {
    const char *at, *end;
    const char *problem;
    enum qd_status status; /* of the problem */
};

static bool refuse(struct parser *parser, enum qd_status status, const char *problem)
{
    if (!parser->problem) {
        parser->status = status;
        parser->problem = problem;
    }
    return false;
}

static void skip_space(struct parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n'))
        parser->at++;
}

/* Takes the character if it is next. */
static bool accept(struct parser *parser, char c)
{
    skip_space(parser);
    if (parser->at == parser->end || *parser->at != c)
        return false;
    parser->at++;
    return true;
}

static bool expect(struct parser *parser, char c)
{
    return accept(parser, c) ||
           refuse(parser, QD_MALFORMED, "the header is no dictionary as NumPy writes it");
}

static bool parse_string(struct parser *parser, char *text, size_t size)
{
    skip_space(parser);
    if (parser->at == parser->end || (*parser->at != '\'' && *parser->at != '"'))
        return refuse(parser, QD_MALFORMED, "the header lacks a string");
    char quote = *parser->at++;
    size_t length = 0;
    while (parser->at < parser->end && *parser->at != quote) {
        if (length + 1 == size)
            return refuse(parser, QD_UNSUPPORTED, "the header holds a string that is too long");
        text[length++] = *parser->at++;
    }
    text[length] = '\0';
    return expect(parser, quote);
}

static bool parse_bool(struct parser *parser, bool *value)
{
    static const char *const words[2] = {"False", "True"};
    skip_space(parser);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(parser->end - parser->at) >= length &&
            memcmp(parser->at, words[i], length) == 0) {
            parser->at += length;
            *value = i;
            return true;
        }
    }
    return refuse(parser, QD_MALFORMED, "fortran_order is neither True nor False");
}

static bool parse_dim(struct parser *parser, int64_t *dim)
{
    int64_t value = 0;
    const char *start = parser->at;
    for (; parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9'; parser->at++) {
        if (value > QD_MAX_ELEMENTS)
            return refuse(parser, QD_LIMIT, "a dimension is too large");
        value = 10 * value + (*parser->at - '0');
    }
    *dim = value;
    return parser->at > start || refuse(parser, QD_MALFORMED, "a dimension is no number");
}

static bool parse_shape(struct parser *parser, struct header *header)
{
    if (!expect(parser, '('))
        return false;
    header->rank = 0;
    while (!accept(parser, ')')) {
        if (header->rank == QD_MAX_RANK)
            return refuse(parser, QD_LIMIT, "more than 8 dimensions");
        skip_space(parser);
        if (!parse_dim(parser, &header->dims[header->rank++]))
            return false;
        if (!accept(parser, ','))
            return expect(parser, ')');
    }
    return true;
}

static bool parse_descr(struct parser *parser, struct header *header)
{
    skip_space(parser);
    if (parser->at < parser->end && *parser->at == '[')
        return refuse(parser, QD_UNSUPPORTED, "a structured array; save one field of it");
    return parse_string(parser, header->descr, sizeof header->descr);
}

static bool parse_entry(struct parser *parser, struct header *header)
{
    char key[16];
    bool *has;
    if (!parse_string(parser, key, sizeof key) || !expect(parser, ':'))
        return false;
    if (strcmp(key, "descr") == 0)
        has = &header->has_descr;
    else if (strcmp(key, "fortran_order") == 0)
        has = &header->has_order;
    else if (strcmp(key, "shape") == 0)
        has = &header->has_shape;
    else
        return refuse(parser, QD_MALFORMED, "the header has an unknown key");
    if (*has)
        return refuse(parser, QD_MALFORMED, "the header has a key twice");
    *has = true;
    if (has == &header->has_descr)
        return parse_descr(parser, header);
    return has == &header->has_order ? parse_bool(parser, &header->fortran)
                                     : parse_shape(parser, header);
}

static bool parse_header(struct parser *parser, struct header *header)
{
    if (!expect(parser, '{'))
        return false;
    while (!accept(parser, '}')) {
        if (!parse_entry(parser, header))
            return false;
        if (accept(parser, ','))
            continue;
        if (!expect(parser, '}'))
            return false;
        break;
    }
    skip_space(parser);
    if (parser->at != parser->end)
        return refuse(parser, QD_MALFORMED, "the header goes on after its dictionary");
    return (header->has_descr && header->has_order && header->has_shape) ||
           refuse(parser, QD_MALFORMED, "the header lacks descr, fortran_order or shape");
}

/* Finds the header's text and where the data starts. */
static const char *find_header(const uint8_t *bytes, size_t size, struct parser *parser,
                               size_t *data)
{
    static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    if (size >= 2 && bytes[0] == 'P' && bytes[1] == 'K')
        return "a .npz archive; save one array with numpy.save";
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0)
        return "not a .npy file";
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return "a .npy format newer than 3.0";
    size_t length = bytes[8] | (size_t)bytes[9] << 8, start = 10;
    if (bytes[6] > 1) {
        if (size < 12)
            return "the header is cut off";
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
        start = 12;
    }
    if (length > size - start)
        return "the header is cut off";
    *parser = (struct parser){(const char *)bytes + start, (const char *)bytes + start + length,
                              NULL, QD_OK};
    *data = start + length;
    return NULL;
}

/* --- Types ------------------------------------------------------------------------------------ */

static enum qd_dtype dtype_of_descr(const char *descr)
{
    static const struct {
        const char *descr;
        enum qd_dtype dtype;
    } rows[] = {
        {"<f4", QD_F32}, {"<f8", QD_F64}, {"<f2", QD_F16}, {"|b1", QD_BOOL}, {"|u1", QD_U8},
        {"|i1", QD_S8},  {"<u2", QD_U16}, {"<i2", QD_S16}, {"<i4", QD_S32},  {"<i8", QD_S64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(descr, rows[i].descr) == 0)
            return rows[i].dtype;
    return QD_DTYPE_NONE;
}

/* True when the elements of a file of type `descr` are the codes of `want`, one each. */
static bool holds_codes(const char *descr, enum qd_dtype want)
{
    bool opaque1 = strcmp(descr, "|V1") == 0 || strcmp(descr, "<V1") == 0;
    bool opaque2 = strcmp(descr, "|V2") == 0 || strcmp(descr, "<V2") == 0;
    switch (want) {
    case QD_BF16: return opaque2 || strcmp(descr, "<u2") == 0;
    case QD_S4:
    case QD_S2: return opaque1 || strcmp(descr, "|i1") == 0;
    case QD_U4:
    case QD_U2:
    case QD_F4E2M1:
    case QD_F8E4M3FN:
    case QD_F8E4M3FNUZ:
    case QD_F8E5M2:
    case QD_F8E5M2FNUZ:
    case QD_F8E8M0: return opaque1 || strcmp(descr, "|u1") == 0;
    default: return false;
    }
}

static enum qd_status choose_dtype(const struct header *header, enum qd_dtype want,
                                   enum qd_dtype *dtype, struct qd_error *error)
{
    enum qd_dtype own = dtype_of_descr(header->descr);
    if (header->descr[0] == '>')
        return qd_fail(error, QD_UNSUPPORTED, "big-endian elements (%s)", header->descr);
    if (want != QD_DTYPE_NONE && holds_codes(header->descr, want)) {
        *dtype = want;
        return QD_OK;
    }
    if (own == QD_DTYPE_NONE)
        return qd_fail(error, QD_UNSUPPORTED, "elements of type '%s'", header->descr);
    if (want != QD_DTYPE_NONE && want != own)
        return qd_fail(error, QD_INVALID, "elements are %s, wanted are %s",
                       qd_dtype_info(own)->name, qd_dtype_info(want)->name);
    *dtype = own;
    return QD_OK;
}

/* One byte an element to packed codes. ml_dtypes leaves the upper bits of an int4 byte to sign or zero: both do. */
static enum qd_status pack(const uint8_t *bytes, const struct qd_tensor *tensor,
                           struct qd_error *error)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    for (int64_t i = 0; i < tensor->count; i++) {
        unsigned rest = bytes[i] >> info->bits, ones = 0xffu >> info->bits;
        bool negative = bytes[i] >> (info->bits - 1) & 1;
        bool sign = info->kind == QD_CLASS_SINT && negative && rest == ones;
        if (rest != 0 && !sign)
            return qd_fail(error, QD_INVALID, "element %lld is byte 0x%02x, no code of %s",
                           (long long)i, bytes[i], info->name);
        qd_tensor_set(tensor, i, bytes[i] & ((1u << info->bits) - 1));
    }
    return QD_OK;
}

static enum qd_status check_bools(const uint8_t *bytes, const struct qd_tensor *tensor,
                                  struct qd_error *error)
{
    for (int64_t i = 0; tensor->dtype == QD_BOOL && i < tensor->count; i++)
        if (bytes[i] > 1)
            return qd_fail(error, QD_INVALID, "bool element %lld is %u", (long long)i, bytes[i]);
    return QD_OK;
}

enum qd_status qd_npy_decode(const uint8_t *bytes, size_t size, enum qd_dtype want,
                             struct qd_arena *arena, struct qd_tensor *tensor,
                             struct qd_error *error)
{
    struct parser parser;
    struct header header = {0};
    struct qd_tensor read;
    size_t data;
    enum qd_dtype dtype = QD_DTYPE_NONE;
    const char *problem = find_header(bytes, size, &parser, &data);
    if (problem)
        return qd_fail(error, QD_MALFORMED, "%s", problem);
    if (!parse_header(&parser, &header))
        return qd_fail(error, parser.status, "%s", parser.problem);
    enum qd_status status = choose_dtype(&header, want, &dtype, error);
    if (status == QD_OK && header.fortran && header.rank > 1)
        status =
            qd_fail(error, QD_UNSUPPORTED, "Fortran order; save numpy.ascontiguousarray of it");
    if (status == QD_OK)
        status = qd_tensor_init(&read, arena, dtype, header.rank, header.dims, error);
    if (status != QD_OK)
        return status;
    bool packed = qd_dtype_info(dtype)->bits < 8;
    size_t need = packed ? (size_t)read.count : qd_tensor_bytes(&read);
    if (size - data != need)
        return qd_fail(error, QD_MALFORMED, "%zu bytes of elements, the shape needs %zu",
                       size - data, need);
    status = packed ? pack(bytes + data, &read, error) : check_bools(bytes + data, &read, error);
    if (status != QD_OK)
        return status;
    if (!packed && need > 0)
        memcpy(read.data, bytes + data, need);
    *tensor = read;
    return QD_OK;
}

enum qd_status qd_npy_read(const char *path, enum qd_dtype want, struct qd_arena *arena,
                           struct qd_tensor *tensor, struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_file_read(path, QD_CASE_MAX_BYTES, arena, &bytes, &size, error);
    if (status != QD_OK)
        return status;
    status = qd_npy_decode(bytes, size, want, arena, tensor, error);
    return status == QD_OK ? QD_OK : qd_fail_context(error, status, "%s", path);
}
