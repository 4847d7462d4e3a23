/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: ONNX's TensorProto.DataType, their ranges and formats.
 *
 * Source: onnx.proto (TensorProto.DataType), ONNX docs "Float stored in 8 bits" and "4-bit integer
 * types". */
#ifndef QDIFF_DTYPE_H
#define QDIFF_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

/* QD_DTYPE(NAME, onnx number, short word, onnx word, bits, class, min code, max code)
 * min and max are the least and greatest code of an integer type, 0 for others. */
#define QD_DTYPE_LIST(QD_DTYPE)                                              \
    QD_DTYPE(F32, 1, "f32", "float", 32, FLOAT, 0, 0)                        \
    QD_DTYPE(U8, 2, "u8", "uint8", 8, UINT, 0, 255)                          \
    QD_DTYPE(S8, 3, "s8", "int8", 8, SINT, -128, 127)                        \
    QD_DTYPE(U16, 4, "u16", "uint16", 16, UINT, 0, 65535)                    \
    QD_DTYPE(S16, 5, "s16", "int16", 16, SINT, -32768, 32767)                \
    QD_DTYPE(S32, 6, "s32", "int32", 32, SINT, INT32_MIN, INT32_MAX)         \
    QD_DTYPE(S64, 7, "s64", "int64", 64, SINT, INT64_MIN, INT64_MAX)         \
    QD_DTYPE(BOOL, 9, "bool", "bool", 8, UINT, 0, 1)                         \
    QD_DTYPE(F16, 10, "f16", "float16", 16, FLOAT, 0, 0)                     \
    QD_DTYPE(F64, 11, "f64", "double", 64, FLOAT, 0, 0)                      \
    QD_DTYPE(BF16, 16, "bf16", "bfloat16", 16, FLOAT, 0, 0)                  \
    QD_DTYPE(F8E4M3FN, 17, "f8e4m3fn", "float8e4m3fn", 8, FLOAT, 0, 0)       \
    QD_DTYPE(F8E4M3FNUZ, 18, "f8e4m3fnuz", "float8e4m3fnuz", 8, FLOAT, 0, 0) \
    QD_DTYPE(F8E5M2, 19, "f8e5m2", "float8e5m2", 8, FLOAT, 0, 0)             \
    QD_DTYPE(F8E5M2FNUZ, 20, "f8e5m2fnuz", "float8e5m2fnuz", 8, FLOAT, 0, 0) \
    QD_DTYPE(U4, 21, "u4", "uint4", 4, UINT, 0, 15)                          \
    QD_DTYPE(S4, 22, "s4", "int4", 4, SINT, -8, 7)                           \
    QD_DTYPE(F4E2M1, 23, "f4e2m1", "float4e2m1", 4, FLOAT, 0, 0)             \
    QD_DTYPE(F8E8M0, 24, "f8e8m0", "float8e8m0", 8, FLOAT, 0, 0)             \
    QD_DTYPE(U2, 25, "u2", "uint2", 2, UINT, 0, 3)                           \
    QD_DTYPE(S2, 26, "s2", "int2", 2, SINT, -2, 1)

#define QD_DTYPE_ENUM(name, number, word, onnx, bits, kind, min, max) QD_##name,
enum qd_dtype { QD_DTYPE_NONE, QD_DTYPE_LIST(QD_DTYPE_ENUM) QD_DTYPE_COUNT };
#undef QD_DTYPE_ENUM

enum qd_dtype_class { QD_CLASS_NONE, QD_CLASS_UINT, QD_CLASS_SINT, QD_CLASS_FLOAT };

/* Facts of a type; min and max are 0 for float types. */
struct qd_dtype_info {
    int32_t onnx;     /* TensorProto.DataType number */
    const char *word; /* "u8" */
    const char *name; /* "uint8" */
    unsigned bits;    /* 2, 4, 8, 16, 32 or 64 */
    enum qd_dtype_class kind;
    int64_t min, max;
};

/* Facts of a binary floating-point format of at most 64 bits.
 * A finite value is (-1)^s · 1.f · 2^(E − bias) for E ≥ 1, (-1)^s · 0.f · 2^(1 − bias) for E =
 * 0. */
struct qd_float_format {
    unsigned exponent_bits, fraction_bits;
    int bias;
    bool is_signed;
    bool has_inf;        /* all-ones exponent with fraction 0 is an infinity */
    bool has_nan;        /* some code is NaN */
    bool ieee_top;       /* the whole all-ones exponent is Inf/NaN (f16, bf16, f32, f64, f8e5m2) */
    bool negative_zero;  /* false: the code of −0 is NaN (the FNUZ types) or absent (f8e8m0) */
    double largest;      /* greatest finite value */
    double least_normal; /* smallest positive normal value */
};

/* Facts of a type. Of NONE bits is 0 and the words are "none". */
const struct qd_dtype_info *qd_dtype_info(enum qd_dtype dtype);

/* The format of a float type (f8e8m0 has one too: unsigned, no fraction, no subnormals), NULL for
 * other types. */
const struct qd_float_format *qd_float_format(enum qd_dtype dtype);

/* Type of an ONNX number / of a word ("u8" or "uint8"); QD_DTYPE_NONE when unknown. */
enum qd_dtype qd_dtype_of_onnx(int32_t number);
enum qd_dtype qd_dtype_of_word(const char *word);

bool qd_dtype_is_integer(enum qd_dtype dtype); /* bool and int64 included */
bool qd_dtype_is_float(enum qd_dtype dtype);
bool qd_dtype_is_8bit_code(enum qd_dtype dtype); /* u8 or s8 */

/* The value of an integer type (not of bool) whose low bits are those of x in two's complement. */
int64_t qd_dtype_wrap(int64_t x, enum qd_dtype dtype);

/* Bytes that hold `count` elements; sub-byte types pack low bits first, rounded up to whole bytes
 * (ONNX: "int4/uint4 are packed, first element in the low nibble"). No overflow below 2^60
 * elements. */
uint64_t qd_dtype_bytes(enum qd_dtype dtype, uint64_t count);

enum qd_direction { QD_NEAREST_EVEN, QD_TO_MINUS_INFINITY, QD_TO_PLUS_INFINITY };

/* The double that a code of a float type stands for (NaN, ±Inf, −0 kept). */
double qd_float_decode(enum qd_dtype dtype, uint64_t code);

/* The value of the float type nearest to x in the given direction, as a double. Every type's range
 * is respected IEEE-wise: overflow gives ±Inf (or the largest finite value when rounding towards
 * zero); subnormals are kept. Types without infinity are treated as if they had one: see
 * qd_float_encode. Correct when x is the exact value to be rounded. */
double qd_float_round(enum qd_dtype dtype, enum qd_direction direction, double x);

/* The code of a double that is a value of the type, of NaN, or of ±Inf. `saturate` decides what a
 * type makes of an infinity or overflow (QuantizeLinear's table for float8): true → largest finite,
 * false → Inf or NaN as the type has it. Source: ONNX technical page "Float stored in 8 bits",
 * section Cast. */
uint64_t qd_float_encode(enum qd_dtype dtype, double x, bool saturate);

#endif
