#include "bundle.h"

#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "\"\"\"%s\n"
                           "\n"
                           "pip install numpy onnxruntime\n"
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
    "if len(sys.argv) > 1:  # disable_all, enable_basic, enable_extended or enable_all\n"
    "    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, 'ORT_' + "
    "sys.argv[1].upper())\n"
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
    "    got = codes(value, want)\n"
    "    same = (got == want) | ((got != got) & (want != want))\n"
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

    if (text == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu bytes in base64", size);
    }
    base64_encode_raw(text, size, bytes);
    text[length] = '\0';
    for (size_t at = 0; at < length; at += 100) {
        fprintf(out, "    '%.100s'\n", text + at);
        if (at + 100 >= length) {
            break;
        }
    }
    free(text);
    return QD_OK;
}

static enum qd_status write_tensor(FILE *out, const char *name, const struct qd_tensor *tensor,
                                   struct qd_error *error)
{
    const struct qd_dtype_info *info = qd_dtype_info(tensor->dtype);
    enum qd_status status;

    if (info->bits < 8) {
        return qd_fail(error, QD_UNSUPPORTED, "'%s' is %s: NumPy has no type of %u bits", name,
                       info->word, info->bits);
    }
    fprintf(out, "    ('%s', %d, (", name, (int)info->onnx);
    for (unsigned i = 0; i < tensor->rank; i++) {
        fprintf(out, "%lld, ", (long long)tensor->dims[i]);
    }
    fputs("),\n", out);
    status = write_base64(out, tensor->data, qd_tensor_bytes(tensor), error);
    fputs("    ),\n", out);
    return status;
}

static enum qd_status check_points(const struct qd_evaluated *evaluated, struct qd_error *error)
{
    for (size_t i = 0; evaluated->values && i < evaluated->selected->kase->graph->output_count;
         i++) {
        for (int64_t j = 0; j < evaluated->values[i].want.count; j++) {
            struct qd_observation seen = qd_value_observe(&evaluated->values[i], j);

            if (seen.unspecified || seen.lo < seen.hi) {
                return qd_fail(error, QD_UNSUPPORTED,
                               "element %lld of output %zu has several admissible answers",
                               (long long)j, i);
            }
        }
    }
    return QD_OK;
}

/* Names come from a file: nothing in them may end a text of the script. */
static enum qd_status check_names(const struct qd_case *kase, struct qd_error *error)
{
    for (size_t i = 0; i < kase->graph->value_count; i++) {
        if (strpbrk(kase->graph->values[i].name, "'\"\\\n\r") != NULL) {
            return qd_fail(error, QD_UNSUPPORTED, "a value's name holds quotes, \\ or line ends");
        }
    }
    return strpbrk(kase->id, "'\"\\") == NULL
               ? QD_OK
               : qd_fail(error, QD_UNSUPPORTED, "the id holds quotes or \\");
}

static enum qd_status write_script(FILE *out, const struct qd_evaluated *evaluated,
                                   struct qd_error *error)
{
    const struct qd_case *kase = evaluated->selected->kase;
    bool rejected = kase->expect == QD_EXPECT_MUST_REJECT;
    enum qd_status status;

    fprintf(out, head, kase->id);
    fprintf(out, rejected ? "REJECT = '%s'\n" : "REJECT = None\n", kase->rule);
    fputs("MODEL = (\n", out);
    status = write_base64(out, kase->model, kase->model_size, error);
    fputs(")\nINPUTS = [  # name, type, shape, bytes\n", out);
    for (size_t i = 0; status == QD_OK && i < kase->input_count; i++) {
        status = write_tensor(out, kase->graph->values[kase->graph->inputs[i]].name,
                              &kase->inputs[i], error);
    }
    fputs("]\nOUTPUTS = [\n", out);
    for (size_t i = 0; status == QD_OK && !rejected && i < kase->graph->output_count; i++) {
        status = write_tensor(out, kase->graph->values[kase->graph->outputs[i]].name,
                              &evaluated->shapes[i], error);
    }
    fputs("]\n", out);
    fputs(body, out);
    return status;
}

enum qd_status qd_bundle_write(const struct qd_evaluated *evaluated, const char *path,
                               struct qd_arena *arena, struct qd_error *error)
{
    const char *file = qd_arena_printf(arena, "%s/reproduce.py", path);
    char *text = NULL;
    size_t size = 0;
    FILE *out;
    enum qd_status status = check_points(evaluated, error);

    if (status == QD_OK) {
        status = check_names(evaluated->selected->kase, error);
    }
    if (status != QD_OK) {
        return status;
    }
    out = open_memstream(&text, &size);
    if (out == NULL || file == NULL) {
        return qd_fail(error, QD_NO_MEMORY, "no memory for reproduce.py");
    }
    status = write_script(out, evaluated, error);
    if (fclose(out) != 0 && status == QD_OK) {
        status = qd_fail(error, QD_NO_MEMORY, "no memory for reproduce.py");
    }
    if (status == QD_OK) {
        status = qd_file_write(file, text, size, error);
    }
    free(text);
    return status;
}
