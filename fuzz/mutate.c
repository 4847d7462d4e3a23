/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/mutate.h"

#include <stdbool.h>
#include <string.h>

size_t qd_random_below(struct qd_random *random, size_t bound)
{
    return (size_t)(qd_random_next(random) % bound);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* Replaces `removed` bytes at `at` by `size` bytes; what does not fit is left out at the end. */
static void replace(struct qd_mutant *mutant, size_t at, size_t removed, const uint8_t *bytes,
                    size_t size)
{
    if (size > mutant->capacity - at)
        size = mutant->capacity - at;
    size_t tail = mutant->size - at - removed;
    if (tail > mutant->capacity - at - size)
        tail = mutant->capacity - at - size;
    memmove(mutant->bytes + at + size, mutant->bytes + at + removed, tail);
    if (size > 0)
        memcpy(mutant->bytes + at, bytes, size);
    mutant->size = at + size + tail;
}

#define MAX_RANGE 256

static void repeat_range(struct qd_mutant *mutant, size_t from, size_t size, size_t to)
{
    uint8_t copy[MAX_RANGE];
    memcpy(copy, mutant->bytes + from, size);
    replace(mutant, to, 0, copy, size);
}

static void splice(struct qd_mutant *mutant, const uint8_t *other, size_t other_size,
                   struct qd_random *random)
{
    size_t at = qd_random_below(random, mutant->size + 1);
    size_t from = qd_random_below(random, other_size);
    replace(mutant, at, mutant->size - at, other + from, other_size - from);
}

void qd_mutate_bytes(struct qd_mutant *mutant, const uint8_t *other, size_t other_size,
                     struct qd_random *random)
{
    if (mutant->size == 0) {
        if (other_size > 0)
            replace(mutant, 0, 0, other, other_size);
        return;
    }
    size_t at = qd_random_below(random, mutant->size);
    size_t rest = mutant->size - at, limit = rest < MAX_RANGE ? rest : MAX_RANGE;
    size_t range = 1 + qd_random_below(random, limit);
    static const uint8_t telling[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x0b, 0x3a};
    switch (qd_random_below(random, 8)) {
    case 0:
    case 1: mutant->bytes[at] ^= (uint8_t)(1u << qd_random_below(random, 8)); break;
    case 2: mutant->bytes[at] = (uint8_t)qd_random_next(random); break;
    case 3: mutant->bytes[at] = telling[qd_random_below(random, sizeof telling)]; break;
    case 4: mutant->size = at; break;
    case 5: replace(mutant, at, range, NULL, 0); break;
    case 6: repeat_range(mutant, at, range, qd_random_below(random, mutant->size + 1)); break;
    default:
        if (other_size > 0)
            splice(mutant, other, other_size, random);
        break;
    }
}

/* --- Wire format ------------------------------------------------------------------------------ */

struct field {
    size_t start, content, end; /* of the tag, of what follows tag and length, after it */
    unsigned type;
    uint64_t number, value;
};

static bool read_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < size; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static size_t write_varint(uint64_t value, uint8_t *bytes)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    return size;
}

static bool read_field(const uint8_t *bytes, size_t size, size_t at, struct field *field)
{
    uint64_t tag;
    field->start = at;
    if (!read_varint(bytes, size, &at, &tag))
        return false;
    field->type = (unsigned)(tag & 7);
    field->number = tag >> 3;
    field->content = at;
    if (field->type == 0 || field->type == 2) {
        if (!read_varint(bytes, size, &at, &field->value))
            return false;
        field->content = field->type == 2 ? at : field->content;
    }
    uint64_t length = field->type == 2   ? field->value
                      : field->type == 1 ? 8
                      : field->type == 5 ? 4
                                         : 0;
    if (field->number == 0 || field->type == 3 || field->type == 4 || field->type > 5 ||
        length > size - at)
        return false;
    field->end = at + (size_t)length;
    return true;
}

static size_t count_fields(const uint8_t *bytes, size_t size)
{
    struct field field;
    size_t count = 0;
    for (size_t at = 0; at < size; at = field.end, count++)
        if (!read_field(bytes, size, at, &field))
            return 0;
    return count;
}

/* Whatever is around the changed field: where each enclosing message's field starts. */
#define MAX_DEPTH 24
struct path {
    size_t depth;
    struct field fields[MAX_DEPTH];
};

/* Walks down from the whole input to one field, at random; false when there is none. */
static bool choose(const struct qd_mutant *mutant, struct qd_random *random, struct path *path)
{
    size_t begin = 0, end = mutant->size;
    for (path->depth = 0; path->depth < MAX_DEPTH; path->depth++) {
        size_t count = count_fields(mutant->bytes + begin, end - begin);
        if (count == 0)
            break;
        struct field *field = &path->fields[path->depth];
        size_t at = begin;
        for (size_t skip = qd_random_below(random, count) + 1; skip > 0; skip--, at = field->end)
            read_field(mutant->bytes, end, at, field);
        begin = field->content;
        end = field->end;
        if (field->type != 2 || qd_random_below(random, 6) == 0) {
            path->depth++;
            break;
        }
    }
    return path->depth > 0;
}

/* After `field` grew by `delta` bytes (as two's complement), writes the lengths of the messages around it anew. */
static void correct(struct qd_mutant *mutant, struct path *path, size_t delta)
{
    for (size_t d = path->depth - 1; d-- > 0;) {
        const struct field *outer = &path->fields[d];
        uint8_t length[10];
        size_t tag_end = outer->start;
        uint64_t tag;
        read_varint(mutant->bytes, mutant->size, &tag_end, &tag);
        size_t size = write_varint(outer->value + delta, length);
        size_t before = outer->content - tag_end;
        replace(mutant, tag_end, before, length, size);
        delta += size - before;
    }
}

static uint64_t telling_value(uint64_t value, struct qd_random *random)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      8,
                                      127,
                                      128,
                                      255,
                                      256,
                                      65535,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      1u << 28,
                                      UINT64_MAX,
                                      UINT64_MAX - 127,
                                      (uint64_t)1 << 63,
                                      (uint64_t)1 << 40};
    if (qd_random_below(random, 3) == 0)
        return value + qd_random_below(random, 5) - 2;
    return values[qd_random_below(random, sizeof values / sizeof *values)];
}

static void change_content(struct qd_mutant *mutant, const struct field *field,
                           struct qd_random *random)
{
    size_t size = field->end - field->content;
    if (size > 0)
        mutant->bytes[field->content + qd_random_below(random, size)] ^=
            (uint8_t)(1u << qd_random_below(random, 8));
}

/* Replaces the bytes from `from` to the field's end, and corrects what is around. */
static void rewrite(struct qd_mutant *mutant, struct path *path, size_t from, const uint8_t *bytes,
                    size_t size)
{
    size_t removed = path->fields[path->depth - 1].end - from;
    if (size > removed && size - removed > mutant->capacity - mutant->size)
        return;
    replace(mutant, from, removed, bytes, size);
    correct(mutant, path, size - removed);
}

static void repeat_field(struct qd_mutant *mutant, struct path *path, const struct field *field)
{
    size_t size = field->end - field->start;
    /* Room for the field and for longer lengths around it. */
    if (mutant->capacity - mutant->size < size + 10 * path->depth)
        return;
    memmove(mutant->bytes + field->end + size, mutant->bytes + field->end,
            mutant->size - field->end);
    memcpy(mutant->bytes + field->end, mutant->bytes + field->start, size);
    mutant->size += size;
    correct(mutant, path, size);
}

/* The same field under another number: what was a text becomes a message, what was known is not. */
static void renumber(struct qd_mutant *mutant, struct path *path, const struct field *field,
                     struct qd_random *random)
{
    size_t tag_end = field->start;
    uint64_t tag;
    uint8_t bytes[16];
    read_varint(mutant->bytes, mutant->size, &tag_end, &tag);
    size_t size =
        write_varint((uint64_t)(1 + qd_random_below(random, 26)) << 3 | field->type, bytes);
    if (size > mutant->capacity - mutant->size)
        return;
    replace(mutant, field->start, tag_end - field->start, bytes, size);
    correct(mutant, path, size - (tag_end - field->start));
}

void qd_mutate_wire(struct qd_mutant *mutant, struct qd_random *random)
{
    struct path path = {0};
    if (mutant->capacity - mutant->size < 10 * MAX_DEPTH || !choose(mutant, random, &path))
        return;
    const struct field field = path.fields[path.depth - 1];
    uint8_t bytes[16];
    switch (qd_random_below(random, 6)) {
    case 0: rewrite(mutant, &path, field.start, NULL, 0); break;
    case 1: repeat_field(mutant, &path, &field); break;
    case 2: renumber(mutant, &path, &field, random); break;
    default:
        if (field.type == 0)
            rewrite(mutant, &path, field.content, bytes,
                    write_varint(telling_value(field.value, random), bytes));
        else
            change_content(mutant, &field, random);
        break;
    }
}
