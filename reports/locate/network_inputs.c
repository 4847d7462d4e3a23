/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a network: from files, or drawn. */
#include "locate/network_inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/import.h"
#include "qdiff/random.h"

/* --- Names on the command line ------------------------------------------------------------------ */

/* What stands after "NAME=" in a list of options, the last that does; NULL if none does. */
static const char *find_option(const struct qd_words *list, const char *name)
{
    const char *found = NULL;
    size_t length = strlen(name);

    for (size_t i = 0; i < list->count; i++)
        if (strncmp(list->items[i], name, length) == 0 && list->items[i][length] == '=')
            found = list->items[i] + length + 1;
    return found;
}

/* Every NAME=... names an input. */
static enum qd_status check_names(const struct qd_network *network, const struct qd_words *list,
                                  const char *option, struct qd_error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        struct qd_words one = {1, &list->items[i]};
        bool found = false;

        for (size_t j = 0; j < network->input_count && !found; j++)
            found = find_option(&one, network->values[network->inputs[j]].name) != NULL;
        if (!found)
            return qd_fail(error, QD_USAGE, "%s %s: NAME=... is wanted, and %s has %s%s%s", option,
                           list->items[i], network->path,
                           network->input_count > 0 ? "the input " : "no inputs",
                           network->input_count > 0 ? network->values[network->inputs[0]].name : "",
                           network->input_count > 1 ? " and others" : "");
    }
    return QD_OK;
}

/* --- Shapes ------------------------------------------------------------------------------------- */

static enum qd_status parse_shape(const char *name, const char *text, struct qd_tensor *shape,
                                  struct qd_error *error)
{
    const char *rest = text;

    shape->rank = 0;
    while (*rest != '\0') {
        char *end;
        long long dim = strtoll(rest, &end, 10);

        if (end == rest || dim < 0 || (*end != ',' && *end != '\0') || shape->rank == QD_MAX_RANK)
            return qd_fail(error, QD_USAGE, "--shape %s=%s: numbers as 1,3,48,192 are wanted", name,
                           text);
        shape->dims[shape->rank++] = dim;
        rest = *end == ',' ? end + 1 : end;
    }
    return QD_OK;
}

static enum qd_status choose_shape(const struct qd_network_value *value,
                                   const struct qd_options *options, struct qd_tensor *shape,
                                   struct qd_error *error)
{
    const char *given = find_option(&options->shapes, value->name);

    *shape = (struct qd_tensor){.dtype = value->dtype};
    if (value->dtype == QD_DTYPE_NONE)
        return qd_fail(error, QD_USAGE,
                       "the input '%.100s' is declared without a type that is known; give it with "
                       "--input '%.100s'=FILE.npy",
                       value->name, value->name);
    if (given)
        return parse_shape(value->name, given, shape, error);
    if (value->rank < 0)
        return qd_fail(error, QD_USAGE,
                       "the input '%.100s' is declared without a shape; give --shape "
                       "'%.100s'=D,D,... or --input '%.100s'=FILE.npy",
                       value->name, value->name, value->name);
    shape->rank = (unsigned)value->rank;
    for (int i = 0; i < value->rank; i++)
        shape->dims[i] = value->dims[i] < 0 ? 1 : value->dims[i];
    return QD_OK;
}

/* --- Numbers ------------------------------------------------------------------------------------ */

/* How the input is quantized: the parameters of the first QuantizeLinear that reads it. */
struct range {
    double scale, zero_point, lowest, highest;
    bool known;
};

static bool read_constant(const struct qd_network *network, const struct qd_network_node *node,
                          size_t input, struct qd_arena *arena, struct qd_tensor *tensor)
{
    int value = input < node->input_count ? node->inputs[input] : QD_NO_VALUE;

    return value != QD_NO_VALUE && network->values[value].is_constant &&
           qd_network_constant(network, value, arena, tensor, NULL) == QD_OK && tensor->count == 1;
}

static struct range find_range(const struct qd_network *network, int value, struct qd_arena *arena)
{
    for (size_t i = 0; i < network->node_count; i++) {
        const struct qd_network_node *node = &network->nodes[i];
        struct qd_tensor scale, zero_point;

        if (strcmp(node->op_type, "QuantizeLinear") != 0 || node->input_count < 3 ||
            node->inputs[0] != value || !read_constant(network, node, 1, arena, &scale) ||
            !read_constant(network, node, 2, arena, &zero_point) ||
            !qd_dtype_is_integer(zero_point.dtype))
            continue;
        const struct qd_dtype_info *info = qd_dtype_info(zero_point.dtype);
        return (struct range){.scale = qd_tensor_value(&scale, 0),
                              .zero_point = qd_tensor_value(&zero_point, 0),
                              .lowest = (double)info->min,
                              .highest = (double)info->max,
                              .known = true};
    }
    return (struct range){.known = false};
}

/* A quarter of the numbers are ties between two codes, the others a code's value. */
static double draw_number(const struct range *range, struct qd_random *random)
{
    if (!range->known)
        return (double)qd_random_range(random, -4096, 4096) / 4096;
    double code = (double)qd_random_range(random, (int64_t)range->lowest, (int64_t)range->highest);
    double offset = qd_random_range(random, 0, 3) == 0 ? 0.5 : 0;
    return (code + offset - range->zero_point) * range->scale;
}

static void draw(const struct qd_tensor *tensor, const struct range *range,
                 struct qd_random *random)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);

    for (int64_t i = 0; i < tensor->count; i++) {
        if (!qd_dtype_is_integer(tensor->dtype))
            qd_tensor_set(
                tensor, i,
                (int64_t)qd_float_encode(tensor->dtype, draw_number(range, random), true));
        else if (info->bits <= 8 && tensor->dtype != QD_BOOL)
            qd_tensor_set(tensor, i, qd_random_range(random, info->min, info->max));
        else
            qd_tensor_set(tensor, i, qd_random_range(random, 0, 1));
    }
}

/* --- All ---------------------------------------------------------------------------------------- */

static enum qd_status read_file(const char *path, enum qd_dtype want, struct qd_arena *arena,
                                struct qd_tensor *tensor, struct qd_error *error)
{
    size_t length = strlen(path), size;
    const char *name;
    uint8_t *bytes;

    if (length < 3 || strcmp(path + length - 3, ".pb") != 0)
        return qd_npy_read(path, want, arena, tensor, error);
    enum qd_status status = qd_file_read(path, QD_CASE_MAX_BYTES, arena, &bytes, &size, error);
    if (status == QD_OK)
        status = qd_tensor_decode(bytes, size, arena, &name, tensor, error);
    return status == QD_OK ? QD_OK : qd_fail_context(error, status, "%s", path);
}

/* Whether a file's tensor is what the model declares. */
static enum qd_status check_declared(const struct qd_network_value *value,
                                     const struct qd_tensor *tensor, struct qd_error *error)
{
    bool fits = value->rank < 0 || (unsigned)value->rank == tensor->rank;
    char text[160];

    for (int i = 0; i < value->rank && fits; i++)
        fits = value->dims[i] < 0 || value->dims[i] == tensor->dims[i];
    if (fits && (value->dtype == QD_DTYPE_NONE || value->dtype == tensor->dtype))
        return QD_OK;
    return qd_fail(error, QD_INVALID,
                   "--input %s is %s, which the model does not declare it to take", value->name,
                   qd_tensor_describe(tensor, text, sizeof text));
}

static enum qd_status put_input(const struct qd_network *network, const struct qd_options *options,
                                int value, struct qd_arena *arena, struct qd_kept_values *kept,
                                FILE *out, struct qd_error *error)
{
    const struct qd_network_value *input = &network->values[value];
    const char *path = find_option(&options->inputs, input->name);
    struct qd_tensor tensor = {0}, shape = {0};
    char text[160];
    enum qd_status status;

    if (path) {
        status = read_file(path, input->dtype, arena, &tensor, error);
        if (status == QD_OK)
            status = check_declared(input, &tensor, error);
        return status == QD_OK
                   ? qd_kept_values_put(kept, value, &tensor, QD_SOURCE_GIVEN, false, false, error)
                   : status;
    }
    status = choose_shape(input, options, &shape, error);
    if (status == QD_OK)
        status = qd_tensor_init(&tensor, arena, shape.dtype, shape.rank, shape.dims, error);
    if (status != QD_OK)
        return status;
    struct range range = find_range(network, value, arena);
    struct qd_random random = qd_random_seed(input->name, options->seed);
    draw(&tensor, &range, &random);
    fprintf(out, "input     %s %s is drawn, seed %" PRIu64 "\n", input->name,
            qd_tensor_describe(&tensor, text, sizeof text), options->seed);
    return qd_kept_values_put(kept, value, &tensor, QD_SOURCE_DRAWN, false, false, error);
}

enum qd_status qd_network_inputs_put(const struct qd_network *network,
                                     const struct qd_options *options, struct qd_arena *arena,
                                     struct qd_kept_values *kept, FILE *out, struct qd_error *error)
{
    enum qd_status status = check_names(network, &options->inputs, "--input", error);

    if (status == QD_OK)
        status = check_names(network, &options->shapes, "--shape", error);
    for (size_t i = 0; i < network->input_count && status == QD_OK; i++)
        status = put_input(network, options, network->inputs[i], arena, kept, out, error);
    return status;
}
