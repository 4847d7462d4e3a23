/* SPDX-License-Identifier: Apache-2.0 */
/* Operators tested by rows of text: one call, one node.
 *
 *   row("MatMulInteger", 10, "u8[1,2] 1 2; u8[2,1] 3 4", "", "s32[1,1] 11");
 *
 * A tensor is "<type>[<dims>] <elements>", an absent input "-"; inputs and outputs are separated
 * by ';'. An element is a number, nan, inf or -inf; "3..5" is the hull 3 to 5 with the canonical
 * value 3, "3..4..5" with the canonical value 4, "3~5" without one, "3|5" is 3 (the canonical value) or 5 and
 * nothing between, "3^5^7" is 3, and 5 and 7 of dropped
 * orders, "*" unspecified. Attributes are "axis=1 perm=0,2,1 auto_pad=VALID alpha=0.5f
 * shape=[]": a comma or brackets make a list. Instead of outputs: "!slug" wants INVALID by rule
 * <Op>/slug, "?text" UNSUPPORTED and "#text" LIMIT with the text in the message; "2!slug" gives
 * the node two outputs. "com.microsoft:QGemm" is the operator of that domain. A row whose inputs
 * have hulls calls the operator itself, the others a graph of one node. */
#ifndef QDIFF_REFERENCE_ROW_TESTLIB_H
#define QDIFF_REFERENCE_ROW_TESTLIB_H

#include "qdiff/semantics.h"

/* Fails the running cmocka test with the row's text when the operator answers something else. */
void row_check(const char *file, int line, const char *switches, const char *op, long long opset,
               const char *inputs, const char *attributes, const char *want);

/* row(op, opset, inputs, attributes, want); variadic so that a macro can stand for op and opset. */
#define row(...) row_check(__FILE__, __LINE__, "", __VA_ARGS__)

/* row_under(switches, op, opset, …): the same under switches ("accumulator=wrap32"). */
#define row_under(switches, ...) row_check(__FILE__, __LINE__, switches, __VA_ARGS__)

#endif
