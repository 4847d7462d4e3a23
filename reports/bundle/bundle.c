/* SPDX-License-Identifier: Apache-2.0 */
/* Writes reproduce.py: a case as one script that needs nothing but NumPy and the target's package. */
#include "bundle/bundle.h"
#include "qdiff/memory_stream.h"

#include <math.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "\"\"\"%s\n"
                           "\n"
                           "pip install numpy %s\n"
                           "exit: 0 the answer is the expected one, 1 it is not\n"
                           "\"\"\"\n"
                           "import base64\n"
                           "import ctypes\n"
                           "import sys\n"
                           "\n"
                           "import numpy\n"
                           "import onnxruntime\n"
                           "\n";

static const char body[] =
    "\n"
    "# ONNX's numbers of element types, and NumPy types of that size.\n"
    "NUMPY = {1: 'f4', 2: 'u1', 3: 'i1', 4: 'u2', 5: 'i2', 6: 'i4', 7: 'i8', 9: '?', 10: 'f2', 11: "
    "'f8',\n"
    "         16: 'u2', 17: 'u1', 18: 'u1', 19: 'u1', 20: 'u1', 24: 'u1'}\n"
    "\n"
    "\n"
    "def array(number, shape, text):\n"
    "    return numpy.frombuffer(base64.b64decode(text), NUMPY[number]).reshape(shape).copy()\n"
    "\n"
    "\n"
    "def feed(number, shape, text):\n"
    "    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array(number, shape, "
    "text), number)\n"
    "\n"
    "\n"
    "def codes(value, like):\n"
    "    return numpy.frombuffer(ctypes.string_at(value.data_ptr(), like.nbytes), "
    "like.dtype).reshape(like.shape)\n"
    "\n"
    "\n"
    "print('onnxruntime', onnxruntime.__version__)\n"
    "onnxruntime.set_default_logger_severity(4)\n"
    "options = onnxruntime.SessionOptions()\n"
    "level = sys.argv[1] if len(sys.argv) > 1 else LEVEL\n"
    "if level:  # disable_all, enable_basic, enable_extended or enable_all\n"
    "    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, 'ORT_' + "
    "level.upper())\n"
    "model = base64.b64decode(MODEL)\n"
    "try:\n"
    "    session = onnxruntime.InferenceSession(model, options, "
    "providers=['CPUExecutionProvider'])\n"
    "    have = session.run_with_ort_values(None, {name: feed(*rest) for name, *rest in INPUTS})\n"
    "except Exception as error:\n"
    "    print('refused:', error)\n"
    "    sys.exit(1 if REJECT is None else 0)\n"
    "if REJECT is not None:\n"
    "    print('taken, but it breaks the rule', REJECT)\n"
    "    sys.exit(1)\n"
    "bad = 0\n"
    "for value, (name, *rest) in zip(have, OUTPUTS):\n"
    "    want = array(*rest)\n"
    "    if tuple(value.shape()) != want.shape:\n"
    "        print(f'{name}: want shape {want.shape}, have {tuple(value.shape())}')\n"
    "        bad += 1\n"
    "        continue\n"
    "    got = codes(value, want)\n"
    "    same = (got == want) | ((got != got) & (want != want))\n"
    "    if name in LATITUDE:  # the least and greatest right answers; 1: anything is, 2: so is "
    "NaN\n"
    "        low, high, flags = (array(*part) for part in LATITUDE[name])\n"
    "        same |= (low <= got) & (got <= high) | (flags & 1 > 0) | (flags & 2 > 0) & (got != "
    "got)\n"
    "    for place in numpy.argwhere(~same)[:10]:\n"
    "        place = tuple(int(i) for i in place)\n"
    "        print(f'{name}{list(place)}: want {want[place]}, have {got[place]}')\n"
    "    bad += int((~same).sum())\n"
    "    print(f'{name}: {int((~same).sum())} of {want.size} elements differ')\n"
    "sys.exit(bad > 0)\n";

static enum qd_status write_base64(FILE *out, const void *bytes, size_t size,
                                   struct qd_error *error)
{
    size_t length = BASE64_ENCODE_RAW_LENGTH(size);
    char *text = malloc(length + 1);

    if (!text)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu bytes in base64", size);
    base64_encode_raw(text, size, bytes);
    text[length] = '\0';
    for (size_t at = 0; at == 0 || at < length; at += 100)
        fprintf(out, "    '%.100s'\n", text + at);
    free(text);
    return QD_OK;
}

static void write_shape(FILE *out, const struct qd_tensor *tensor)
{
    fputs("(", out);
    for (unsigned i = 0; i < tensor->rank; i++)
        fprintf(out, "%lld, ", (long long)tensor->dims[i]);
    fputs("),\n", out);
}

static enum qd_status write_tensor(FILE *out, const char *name, const struct qd_tensor *tensor,
                                   struct qd_error *error)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);

    if (info->bits < 8) {
        return qd_fail(error, QD_UNSUPPORTED, "'%s' is %s: NumPy has no type of %u bits", name,
                       info->word, info->bits);
    }
    fprintf(out, "    ('%s', %d, ", name, (int)info->onnx);
    write_shape(out, tensor);
    enum qd_status status = write_base64(out, tensor->data, qd_tensor_bytes(tensor), error);
    fputs("    ),\n", out);
    return status;
}

/* --- Outputs with several right answers ----------------------------------------------------------- */

enum { ANYTHING = 1, OR_NAN = 2 };

/* The ends of what is right, and flags, per element. */
struct latitude {
    double *low, *high;
    uint8_t *flags;
    bool any; /* some element has more than one answer */
};

static enum qd_status find_latitude(const struct qd_value *value, struct qd_arena *arena,
                                    struct latitude *latitude, struct qd_error *error)
{
    size_t count = (size_t)value->want.count;
    struct latitude found = {qd_arena_array(arena, count, sizeof(double)),
                             qd_arena_array(arena, count, sizeof(double)),
                             qd_arena_array(arena, count, 1), false};

    if (!found.low || !found.high || !found.flags)
        return qd_fail(error, QD_NO_MEMORY, "no memory for reproduce.py");
    for (size_t i = 0; i < count; i++) {
        struct qd_observation seen = qd_value_observe(value, (int64_t)i);
        bool only_nan = seen.nan && isnan(qd_tensor_value(&value->want, (int64_t)i));

        found.low[i] = seen.lo;
        found.high[i] = seen.hi;
        found.flags[i] =
            (uint8_t)((seen.unspecified ? ANYTHING : 0) | (seen.nan && !only_nan ? OR_NAN : 0));
        found.any = found.any || found.flags[i] != 0 || seen.lo < seen.hi;
    }
    *latitude = found;
    return QD_OK;
}

static bool numpy_has(enum qd_dtype dtype)
{
    return !qd_dtype_is_float(dtype) || dtype == QD_F16 || dtype == QD_F32 || dtype == QD_F64;
}

static enum qd_status write_part(FILE *out, const struct qd_tensor *like, int onnx,
                                 const void *bytes, size_t size, struct qd_error *error)
{
    fprintf(out, "     (%d, ", onnx);
    write_shape(out, like);
    enum qd_status status = write_base64(out, bytes, size, error);
    fputs("     ),\n", out);
    return status;
}

static enum qd_status write_latitude(FILE *out, const char *name, const struct qd_value *value,
                                     struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_tensor *want = &value->want;
    size_t count = (size_t)want->count;
    struct latitude latitude = {NULL, NULL, NULL, false};
    enum qd_status status = find_latitude(value, arena, &latitude, error);

    if (status != QD_OK || !latitude.any)
        return status;
    if (!numpy_has(want->dtype)) {
        return qd_fail(error, QD_UNSUPPORTED,
                       "'%s' has several admissible answers, and NumPy has no type like %s", name,
                       qd_dtype_info(want->dtype)->word);
    }
    fprintf(out, "    '%s': (\n", name);
    status = write_part(out, want, 11, latitude.low, count * sizeof(double), error);
    if (status == QD_OK)
        status = write_part(out, want, 11, latitude.high, count * sizeof(double), error);
    if (status == QD_OK)
        status = write_part(out, want, 2, latitude.flags, count, error);
    fputs("    ),\n", out);
    return status;
}

/* --- The script --------------------------------------------------------------------------------- */

/* Names come from a file: nothing in them may end a text of the script. */
static enum qd_status check_names(const struct qd_case *kase, struct qd_error *error)
{
    for (size_t i = 0; i < kase->graph->value_count; i++)
        if (strpbrk(kase->graph->values[i].name, "'\"\\\n\r"))
            return qd_fail(error, QD_UNSUPPORTED, "a value's name holds quotes, \\ or line ends");
    return !strpbrk(kase->id, "'\"\\")
               ? QD_OK
               : qd_fail(error, QD_UNSUPPORTED, "the id holds quotes or \\");
}

static enum qd_status write_inputs(FILE *out, const struct qd_case *kase, struct qd_error *error)
{
    enum qd_status status = QD_OK;

    fputs("INPUTS = [  # name, type, shape, bytes\n", out);
    for (size_t i = 0; status == QD_OK && i < kase->input_count; i++) {
        status = write_tensor(out, kase->graph->values[kase->graph->inputs[i]].name,
                              &kase->inputs[i], error);
    }
    fputs("]\n", out);
    return status;
}

static enum qd_status write_outputs(FILE *out, const struct qd_evaluated *evaluated,
                                    struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_graph *graph = evaluated->kase->graph;
    size_t count = evaluated->values ? graph->output_count : 0;
    enum qd_status status = QD_OK;

    fputs("OUTPUTS = [\n", out);
    for (size_t i = 0; status == QD_OK && i < count; i++) {
        status =
            write_tensor(out, graph->values[graph->outputs[i]].name, &evaluated->shapes[i], error);
    }
    fputs("]\nLATITUDE = {\n", out);
    for (size_t i = 0; status == QD_OK && i < count; i++) {
        status = write_latitude(out, graph->values[graph->outputs[i]].name, &evaluated->values[i],
                                arena, error);
    }
    fputs("}\n", out);
    return status;
}

/* ONNX Runtime's word for the setting opt=... of a target's id; "" without one. */
static const char *level_of(const char *target)
{
    static const struct {
        const char *setting, *word;
    } levels[] = {{"opt=none", "disable_all"},
                  {"opt=basic", "enable_basic"},
                  {"opt=extended", "enable_extended"},
                  {"opt=all", "enable_all"}};

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (strstr(target, levels[i].setting))
            return levels[i].word;
    return "";
}

/* "onnxruntime==1.26.0", or without a version if the target has none. */
static const char *package_of(const char *target, struct qd_arena *arena)
{
    const char *at = strchr(target, '@');
    size_t length = at ? strspn(at + 1, "0123456789.") : 0;

    return length > 0 ? qd_arena_printf(arena, "onnxruntime==%.*s", (int)length, at + 1)
                      : "onnxruntime";
}

static enum qd_status write_script(FILE *out, const struct qd_evaluated *evaluated,
                                   const char *target, struct qd_arena *arena,
                                   struct qd_error *error)
{
    const struct qd_case *kase = evaluated->kase;
    bool rejected = kase->expect == QD_EXPECT_MUST_REJECT;
    const char *package = package_of(target, arena);

    if (!package)
        return qd_fail(error, QD_NO_MEMORY, "no memory for reproduce.py");
    fprintf(out, head, kase->id, package);
    fprintf(out, "LEVEL = '%s'\n", level_of(target));
    fprintf(out, rejected ? "REJECT = '%s'\n" : "REJECT = None\n", kase->rule);
    fputs("MODEL = (\n", out);
    enum qd_status status = write_base64(out, kase->model, kase->model_size, error);
    fputs(")\n", out);
    if (status == QD_OK)
        status = write_inputs(out, kase, error);
    if (status == QD_OK)
        status = write_outputs(out, evaluated, arena, error);
    fputs(body, out);
    return status;
}

enum qd_status qd_bundle_write(const struct qd_evaluated *evaluated, const char *target,
                               const char *path, struct qd_arena *arena, struct qd_error *error)
{
    const char *file = qd_arena_printf(arena, "%s/reproduce.py", path);
    enum qd_status status = check_names(evaluated->kase, error);

    if (status != QD_OK)
        return status;
    struct qd_memory_stream stream;
    if (!file || !qd_memory_open(&stream))
        return qd_fail(error, QD_NO_MEMORY, "no memory for reproduce.py");
    status = write_script(stream.out, evaluated, target, arena, error);
    if (!qd_memory_close(&stream) && status == QD_OK)
        status = qd_fail(error, QD_NO_MEMORY, "no memory for reproduce.py");
    if (status == QD_OK)
        status = qd_file_write(file, stream.text, stream.size, error);
    free(stream.text);
    return status;
}
