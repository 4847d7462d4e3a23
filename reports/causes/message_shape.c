/* SPDX-License-Identifier: Apache-2.0 */
/* Takes numbers, names and places out of a target's words. */
#include "causes/message_shape.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "qdiff/utf8.h"

/* --- The shape ---------------------------------------------------------------------------------- */

struct writer {
    char *text;
    size_t used, size;
    const char *type; /* the first type that the message names, NULL before */
    size_t type_length;
};

static void put(struct writer *writer, const char *bytes, size_t length)
{
    if (writer->used + length >= writer->size)
        return;
    memcpy(writer->text + writer->used, bytes, length);
    writer->used += length;
    writer->text[writer->used] = '\0';
}

/* One placeholder for a row of them: "{#, #,#" is "{#". */
static void put_hole(struct writer *writer)
{
    size_t end = writer->used;

    while (end > 0 && strchr(" ,", writer->text[end - 1]))
        end--;
    if (end > 0 && writer->text[end - 1] == '#') {
        writer->used = end;
        writer->text[end] = '\0';
        return;
    }
    put(writer, "#", 1);
}

static void put_blank(struct writer *writer)
{
    if (writer->used > 0 && writer->text[writer->used - 1] != ' ')
        put(writer, " ", 1);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_./+-", c));
}

static size_t word_length(const char *at)
{
    size_t length = 0;

    while (is_word(at[length]))
        length++;
    return length;
}

/* Past the quoted name that begins here, or the "[with T = float]" of a template; `at` itself if none does: an
 * apostrophe inside a word opens nothing. */
static const char *past_name(const char *message, const char *at)
{
    static const char with[] = "[with ";
    if (strncmp(at, with, sizeof with - 1) == 0 && strchr(at, ']'))
        return strchr(at, ']') + 1;
    if ((*at != '\'' && *at != '"') || (at > message && isalnum((unsigned char)at[-1])))
        return at;
    const char *end = strchr(at + 1, *at);
    return end ? end + 1 : at;
}

/* "torch.aten.mm": what stands in quotes is kept if it names a function, not a thing of the case. */
static bool is_function(const char *name, size_t length)
{
    bool dotted = false;

    for (size_t i = 0; i < length; i++) {
        dotted = dotted || (name[i] == '.' && i > 0 && i + 1 < length);
        if (!isalpha((unsigned char)name[i]) && name[i] != '.' && name[i] != '_')
            return false;
    }
    return dotted;
}

static bool has_digit(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (isdigit((unsigned char)word[i]))
            return true;
    return false;
}

/* "F16", "uint8", "bf16". */
static bool is_type(const char *word, size_t length)
{
    static const char *const bases[] = {"i", "s", "u", "f", "bf", "int", "uint", "float", "bfloat"};
    static const char *const widths[] = {"4", "8", "16", "32", "64"};

    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        size_t base = strlen(bases[b]);
        if (base >= length || strncasecmp(word, bases[b], base) != 0)
            continue;
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            if (length - base == strlen(widths[w]) &&
                memcmp(word + base, widths[w], length - base) == 0)
                return true;
    }
    return false;
}

/* A hole, and a mark for a type that is not the first one: "F16 got F32" is another complaint than "3,I8 got 4,I8". */
static void put_varying(struct writer *writer, const char *word, size_t length)
{
    put_hole(writer);
    if (!is_type(word, length))
        return;
    if (!writer->type) {
        writer->type = word;
        writer->type_length = length;
    }
    if (length != writer->type_length || memcmp(word, writer->type, length) != 0)
        put(writer, "~", 1);
}

/* The operator, or its dotted domain and it: "com.microsoft.QGemm" of "QGemm". */
static bool is_operator(const char *word, size_t length, const char *op)
{
    size_t rest = strlen(op);

    return rest > 0 && length >= rest && strncmp(word + length - rest, op, rest) == 0 &&
           (length == rest || word[length - rest - 1] == '.');
}

/* A word of the message: the last part of a path; a hole where it changes from case to case. */
static void put_word(struct writer *writer, const char *word, size_t length, const char *op)
{
    for (size_t i = length; i > 0; i--) {
        if (word[i - 1] == '/') {
            put_hole(writer);
            word += i;
            length -= i;
            break;
        }
    }
    if (length == 0)
        return;
    if (is_operator(word, length, op))
        put_hole(writer);
    else if (has_digit(word, length))
        put_varying(writer, word, length);
    else
        put(writer, word, length);
}

enum { MOST_DEPTH = 32 };

/* An open bracket, where it stands, and whether something in it changes from case to case. */
struct bracket {
    char closing;
    size_t at;
    bool has_hole;
};

/* Brackets with a hole in them become one: "(tensor<#>, list) -> tensor<#>" is "# -> tensor#". So does one that is
 * not closed where a message was cut. */
static const char *close_brackets(char *shape)
{
    static const char opening[] = "([{<", closing[] = ")]}>";
    struct bracket open[MOST_DEPTH];
    struct writer writer = {.text = shape, .size = strlen(shape) + 1};
    size_t depth = 0;

    for (const char *from = shape; *from != '\0'; from++) {
        char c = *from;
        const char *kind = strchr(opening, c);

        if (kind && depth < MOST_DEPTH && !(c == '<' && strchr(" =", from[1]))) {
            open[depth++] = (struct bracket){closing[kind - opening], writer.used, false};
        } else if (depth > 0 && c == open[depth - 1].closing) {
            bool hole = open[--depth].has_hole;

            if (hole)
                writer.used = open[depth].at;
            if (hole && depth > 0)
                open[depth - 1].has_hole = true;
            if (hole) {
                put_hole(&writer);
                continue;
            }
        } else if (c == '#' && depth > 0) {
            open[depth - 1].has_hole = true;
        }
        shape[writer.used++] = c;
    }
    for (; depth > 0; depth--) {
        if (open[depth - 1].closing != '>' && open[depth - 1].has_hole) {
            writer.used = open[depth - 1].at;
            put_hole(&writer);
        }
    }
    shape[writer.used] = '\0';
    return shape;
}

/* Where the target's own words end: an emulator adds a line to those of a signal. */
static const char *end_of_words(const char *message)
{
    const char *emulator = strstr(message, "qemu: uncaught target signal");
    return emulator > message ? emulator : message + strlen(message);
}

const char *qd_message_shape(const char *message, const char *op, char *shape, size_t size)
{
    struct writer writer = {.text = shape, .size = size};
    const char *domain = strrchr(op, ':'), *end = end_of_words(message);

    shape[0] = '\0';
    if (domain)
        op = domain + 1;
    for (const char *at = message; at < end;) {
        const char *past = past_name(message, at);
        size_t length = word_length(at), character = qd_utf8_length(at, QD_UTF8_MOST);

        if (past > at) {
            if (*at != '[' && is_function(at + 1, (size_t)(past - at) - 2))
                put(&writer, at, (size_t)(past - at));
            else
                put_hole(&writer);
            at = past;
        } else if (length > 0) {
            put_word(&writer, at, length, op);
            at += length;
        } else if (character == 0 || (unsigned char)*at <= 0x20 || *at == 0x7F) {
            put_blank(&writer);
            at++;
        } else {
            put(&writer, at, character);
            at += character;
        }
    }
    while (writer.used > 0 && shape[writer.used - 1] == ' ')
        shape[--writer.used] = '\0';
    return close_brackets(shape);
}

bool qd_message_shape_is_telling(const char *shape)
{
    enum { ENOUGH = 6 };
    unsigned words = 0;

    while (*shape != '\0') {
        size_t letters = 0;

        while (isalpha((unsigned char)shape[letters]))
            letters++;
        words += letters > 1;
        shape += letters > 0 ? letters : 1;
    }
    return words >= ENOUGH;
}

/* --- The pattern -------------------------------------------------------------------------------- */

enum { MOST_PIECES = 64, LEAST_PIECE = 4 };

struct piece {
    const char *text;
    size_t length;
    bool taken;
};

/* What stands between holes and other places where a shape is not the message itself: blanks and ends of paths are
 * not, at their edges. */
static size_t find_pieces(const char *shape, struct piece *pieces)
{
    static const char edges[] = "#~ \t";
    size_t count = 0;

    while (*shape != '\0' && count < MOST_PIECES) {
        size_t length = strcspn(shape, "#");
        struct piece piece = {shape, length, false};

        while (piece.length > 0 && strchr(edges, *piece.text)) {
            piece.text++;
            piece.length--;
        }
        while (piece.length > 0 && strchr(edges, piece.text[piece.length - 1]))
            piece.length--;
        if (piece.length >= LEAST_PIECE)
            pieces[count++] = piece;
        shape += length + (shape[length] == '#');
    }
    return count;
}

static void take_longest(struct piece *pieces, size_t count)
{
    struct piece *longest = NULL;

    for (size_t i = 0; i < count; i++)
        if (!pieces[i].taken && (!longest || pieces[i].length > longest->length))
            longest = &pieces[i];
    if (longest)
        longest->taken = true;
}

/* A piece with what fnmatch() would read as a pattern escaped; a blank stands for any run of them. */
static void put_piece(struct writer *writer, const struct piece *piece)
{
    if (writer->used + 2 * piece->length + 2 >= writer->size)
        return;
    for (size_t i = 0; i < piece->length; i++) {
        if (strchr("*?[]\\", piece->text[i]))
            put(writer, "\\", 1);
        put(writer, &piece->text[i], 1);
    }
    put(writer, "*", 1);
}

const char *qd_message_shape_pattern(const char *shape, size_t most, char *pattern, size_t size)
{
    struct writer writer = {.text = pattern, .size = size};
    struct piece pieces[MOST_PIECES];
    size_t count = find_pieces(shape, pieces);

    pattern[0] = '\0';
    if (count > 0)
        pieces[count - 1].taken = true; /* many end with the reason */
    for (size_t i = 1; i < most; i++)
        take_longest(pieces, count);
    put(&writer, "*", 1);
    for (size_t i = 0; i < count; i++)
        if (pieces[i].taken)
            put_piece(&writer, &pieces[i]);
    if (writer.used == 1)
        pattern[0] = '\0';
    return pattern;
}
