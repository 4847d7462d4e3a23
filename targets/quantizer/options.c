/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the quantizer role, against what a worker says that its tool has. */
#include <stdlib.h>
#include <string.h>

#include "qdiff/quantizer.h"

/* What a worker declares of one option: NULL where nothing, "" where every value will do, else the values "2,3". */
static const char *values_of(const char *const *words, const char *option)
{
    size_t length = strlen(option);
    for (; *words; words++)
        if (strncmp(*words, option, length) == 0 && strchr("=", (*words)[length]))
            return *words + length + ((*words)[length] == '=');
    return NULL;
}

/* The value, or what the tool has instead: the first that is declared, the default of an option that is not. */
static long nearest(const char *values, long value)
{
    char *end = NULL;
    if (!values || !*values)
        return values ? value : 0;
    long first = strtol(values, &end, 10);
    for (long one = first; one != value; one = strtol(end + 1, &end, 10))
        if (*end != ',')
            return first;
    return value;
}

bool qd_quantizer_fit(const char *const *words, struct qd_quantizer_options *options)
{
    struct qd_quantizer_options fit = *options;
    const struct {
        const char *word;
        bool *flag;
    } flags[] = {
        {"per_channel", &fit.per_channel},
        {"reduce_range", &fit.reduce_range},
        {"symmetric_activations", &fit.symmetric_activations},
        {"symmetric_weights", &fit.symmetric_weights},
        {"restricted_asymmetric", &fit.restricted_asymmetric},
    };
    const struct {
        const char *word;
        const char *const **list;
    } lists[] = {{"exclude", &fit.exclude}, {"op", &fit.ops}, {"extra", &fit.extra}};
    bool changed = false;
    fit.scheme = (enum qd_quantizer_scheme)nearest(values_of(words, "scheme"), fit.scheme);
    fit.format = (enum qd_quantizer_format)nearest(values_of(words, "format"), fit.format);
    fit.activation_type =
        (int32_t)nearest(values_of(words, "activation_type"), fit.activation_type);
    fit.weight_type = (int32_t)nearest(values_of(words, "weight_type"), fit.weight_type);
    changed = fit.scheme != options->scheme || fit.format != options->format ||
              fit.activation_type != options->activation_type ||
              fit.weight_type != options->weight_type;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        bool asked = *flags[i].flag;
        *flags[i].flag = nearest(values_of(words, flags[i].word), asked) != 0;
        changed |= *flags[i].flag != asked;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!values_of(words, lists[i].word) && *lists[i].list && **lists[i].list) {
            *lists[i].list = NULL;
            changed = true;
        }
    *options = fit;
    return changed;
}

bool qd_quantizer_declined(const struct qd_quantizer_answer *answer)
{
    static const char *const stages[] = {"options: ", "import: "};
    if (answer->outcome == QD_QUANTIZED_SKIPPED)
        return true;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (answer->outcome == QD_QUANTIZED_REJECTED &&
            strncmp(answer->message, stages[i], strlen(stages[i])) == 0)
            return true;
    return false;
}
