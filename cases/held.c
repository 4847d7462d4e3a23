/* SPDX-License-Identifier: Apache-2.0 */
/* Which graph values a case holds: inputs and initializers. */
#include "qdiff/case.h"

/* Decoding numbers the values so that graph->inputs ascends; a linear search would be quadratic in a hostile graph. */
int qd_case_input(const struct qd_case *kase, int value)
{
    size_t low = 0, high = kase->graph->input_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kase->graph->inputs[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < kase->graph->input_count && kase->graph->inputs[low] == value ? (int)low : -1;
}

const struct qd_tensor *qd_case_tensor(const struct qd_case *kase, int value)
{
    if (value == QD_NO_VALUE)
        return NULL;
    if (kase->graph->values[value].initializer)
        return kase->graph->values[value].initializer;
    int input = qd_case_input(kase, value);
    return input >= 0 && kase->inputs ? &kase->inputs[input] : NULL;
}
