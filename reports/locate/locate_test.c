/* SPDX-License-Identifier: Apache-2.0 */
/* A network of more than 300 nodes with one wrong kernel: the unit, its diagnosis and a small case are named.
 * Alone: <build>/tests/reports/locate/locate_test */
#include "case_testlib.h"

#include <math.h>
#include <sys/resource.h>

#include "command/command.h"
#include "qdiff/session.h"
#include "text/capture_testlib.h"

enum { CHANNELS = 2, SIDE = 4, FILLERS = 60 };

struct world {
    struct qd_arena arena;
    const char *scratch, *model;
};

/* --- A network ---------------------------------------------------------------------------------- */

/* A network under construction: `last` is its newest code tensor u8 [1, 2, 4, 4], of scale 1/8 and zero point 128. */
struct draft {
    struct qd_arena *arena;
    struct qd_builder *builder;
    const char *last;
    int count; /* of blocks */
};

static const char *name(struct draft *d, const char *format, const char *part)
{
    return qd_arena_printf(d->arena, format, part);
}

static void put_codes(struct draft *d, const char *label, enum qd_dtype dtype, unsigned rank,
                      const int64_t *dims, const int64_t *codes)
{
    struct qd_tensor tensor = sample_tensor(d->arena, dtype, rank, dims, codes);

    qd_build_initializer(d->builder, label, &tensor);
}

static void put_floats(struct draft *d, const char *label, size_t count, const float *values)
{
    struct qd_tensor tensor = sample_floats(d->arena, count, values);

    qd_build_initializer(d->builder, label, &tensor);
}

/* Another name for operands or values of a block: "<block>_<part>". */
static const char *of(struct draft *d, const char *block, const char *part)
{
    return qd_arena_printf(d->arena, "%s_%s", block, part);
}

/* What a block of a convolution has besides: everything else is alike in all blocks. */
struct conv {
    bool bias, per_channel, pads, clip, relu, zero_point, swaps;
};

/* DequantizeLinear of the last codes and of s8 weights [2, 2, 1, 1], Conv, QuantizeLinear. */
static void add_conv(struct draft *d, const char *block, const struct conv *conv)
{
    static const int64_t dims[] = {2, 2, 1, 1}, weights[] = {3, -2, 1, 4},
                         swapping[] = {0, 4, 4, 0}, two[] = {2}, bias[] = {40, -56},
                         zeros[] = {5, 5}, none[] = {0, 0};
    static const int64_t pads[] = {1, 0, 0, 0}, strides[] = {1, 1};
    static const float scales[] = {0.25f, 0.125f}, alike[] = {0.25f, 0.25f};
    static const float bias_scales[] = {0.25f / 8, 0.125f / 8};
    const char *w = of(d, block, "w"), *ws = of(d, block, "ws"), *wz = of(d, block, "wz");
    const char *x = of(d, block, "x"), *wf = of(d, block, "wf"), *t = of(d, block, "t");
    const char *operands = qd_arena_printf(d->arena, "%s,%s", x, wf), *y = of(d, block, "y");

    put_codes(d, w, QD_S8, 4, dims, conv->swaps ? swapping : weights);
    put_floats(d, ws, 2, conv->per_channel ? scales : alike);
    put_codes(d, wz, QD_S8, 1, two, conv->zero_point ? zeros : none);
    qd_build_node(d->builder, "", "DequantizeLinear", name(d, "%s,s,z", d->last), x);
    qd_build_node(d->builder, "", "DequantizeLinear",
                  qd_arena_printf(d->arena, "%s,%s,%s", w, ws, wz), wf);
    qd_build_attr_int(d->builder, "axis", 0);
    if (conv->bias) {
        const char *b = of(d, block, "b"), *bs = of(d, block, "bs"), *bf = of(d, block, "bf");

        put_codes(d, b, QD_S32, 1, two, bias);
        put_floats(d, bs, 2, conv->per_channel ? bias_scales : alike);
        qd_build_node(d->builder, "", "DequantizeLinear", qd_arena_printf(d->arena, "%s,%s", b, bs),
                      bf);
        qd_build_attr_int(d->builder, "axis", 0);
        operands = qd_arena_printf(d->arena, "%s,%s", operands, bf);
    }
    qd_build_node(d->builder, "", "Conv", operands, t);
    if (conv->pads) {
        qd_build_attr_ints(d->builder, "pads", pads, 4);
        qd_build_attr_ints(d->builder, "strides", strides, 2);
    }
    if (conv->relu || conv->clip) {
        const char *r = of(d, block, "r");

        qd_build_node(d->builder, "", conv->relu ? "Relu" : "Clip",
                      conv->relu ? t : qd_arena_printf(d->arena, "%s,low,high", t), r);
        t = r;
    }
    qd_build_node(d->builder, "", "QuantizeLinear", name(d, "%s,s,z", t), y);
    d->last = y;
}

/* A residual block, right under every quirk of the test: the mean of x and x with its channels swapped, so that
 * numbers stay. */
static void add_filler(struct draft *d)
{
    const char *block = qd_arena_printf(d->arena, "filler%d", d->count++);
    const char *from = d->last;
    const char *a = of(d, block, "a"), *b = of(d, block, "b2"), *t = of(d, block, "sum"),
               *y = of(d, block, "out");

    add_conv(d, block, &(struct conv){.swaps = true});
    qd_build_node(d->builder, "", "DequantizeLinear", name(d, "%s,s,z", from), a);
    qd_build_node(d->builder, "", "DequantizeLinear", name(d, "%s,s,z", d->last), b);
    qd_build_node(d->builder, "", "Add", qd_arena_printf(d->arena, "%s,%s", a, b), t);
    qd_build_node(d->builder, "", "QuantizeLinear", name(d, "%s,wide,z", t), y);
    d->last = y;
}

/* QuantizeLinear, 60 residual blocks, and between them one of each kind that a quirk is about: some 500 nodes. */
static void write_network(struct world *w)
{
    static const struct {
        const char *block;
        struct conv conv;
    } special[] = {{"with_bias", {.bias = true}}, {"per_channel", {.per_channel = true}},
                   {"with_pads", {.pads = true}}, {"with_clip", {.clip = true}},
                   {"with_relu", {.relu = true}}, {"with_zero_point", {.zero_point = true}}};
    static const int64_t dims[] = {1, CHANNELS, SIDE, SIDE}, zero[] = {128};
    const float scale = 0.125f, wide = 0.25f, low = -0.5f, high = 0.5f;
    struct draft d = {.arena = &w->arena, .builder = qd_build_begin(&w->arena, 13), .last = "xq"};
    struct qd_tensor x = sample_tensor(&w->arena, QD_F32, 4, dims, (int64_t[32]){0});
    struct qd_case kase;
    struct qd_error error;

    assert_non_null(d.builder);
    qd_build_input(d.builder, "x", &x);
    put_floats(&d, "s", 0, &scale);
    put_floats(&d, "wide", 0, &wide);
    put_floats(&d, "low", 0, &low);
    put_floats(&d, "high", 0, &high);
    put_codes(&d, "z", QD_U8, 0, NULL, zero);
    qd_build_node(d.builder, "", "QuantizeLinear", "x,s,z", "xq");
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        const char *before;

        for (int k = 0; k < FILLERS / 6; k++)
            add_filler(&d);
        before = d.last;
        add_conv(&d, special[i].block, &special[i].conv);
        qd_build_output_inferred(d.builder, d.last, QD_U8);
        d.last = before; /* the network goes on beside it */
    }
    qd_build_output_inferred(d.builder, d.last, QD_U8);
    assert_ok(qd_build_finish(d.builder, "planted", false, &kase, &error), error);
    assert_true(kase.graph->node_count > 300);
    w->model = qd_arena_printf(&w->arena, "%s/planted.onnx", w->scratch);
    assert_ok(qd_file_write(w->model, kase.model, kase.model_size, &error), error);
}

static int set_up(void **state)
{
    static struct world world;

    qd_arena_init(&world.arena, QD_ARENA_DEFAULT_BUDGET);
    world.scratch = make_scratch(&world.arena);
    write_network(&world);
    *state = &world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    remove_scratch(world->scratch);
    qd_arena_clear(&world->arena);
    return 0;
}

/* --- Asking ------------------------------------------------------------------------------------- */

/* Runs `qdiff locate` with these words; *text is what it printed, in the arena. */
static enum qd_exit locate(struct world *w, const char *const *words, const char **text)
{
    char *argv[32] = {(char[]){"qdiff"}, (char[]){"locate"}};
    struct qd_capture out, err;
    int argc = 2;

    for (; *words; words++) {
        argv[argc] = qd_arena_string(&w->arena, *words);
        assert_non_null(argv[argc++]);
    }
    qd_capture_begin(&out);
    qd_capture_begin(&err);
    enum qd_exit code =
        qd_command_main(argc, argv, &(struct qd_console){.out = out.out, .err = err.out});
    *text = qd_arena_printf(&w->arena, "%s%s", qd_capture_text(&out), qd_capture_text(&err));
    qd_capture_end(&out);
    qd_capture_end(&err);
    assert_non_null(*text);
    return code;
}

static void want_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("want \"%s\" in\n%s", part, text);
}

/* The rest of the line that begins with this word, in text[size]. */
static const char *field(const char *text, const char *begin, char *line, size_t size)
{
    const char *found = strstr(text, begin);

    if (!found)
        fail_msg("want a line \"%s\" in\n%s", begin, text);
    snprintf(line, size, "%.*s", (int)strcspn(found, "\n"), found);
    return line;
}

/* The greatest number of output elements in "reduced   from A to B output elements". */
static long reduced_to(const char *text)
{
    char line[400];
    const char *to = strstr(field(text, "  reduced   from ", line, sizeof line), " to ");

    assert_non_null(to);
    return strtol(to + 4, NULL, 10);
}

/* Of this process and of those that it waited for: targets, diagnosis and reduction are in them. */
static double cpu_seconds(void)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    struct rusage usage;
    double seconds = 0;

    for (size_t i = 0; i < sizeof whose / sizeof *whose; i++) {
        assert_int_equal(getrusage(whose[i], &usage), 0);
        seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return seconds;
}

static void a_right_network_is_right(void **state)
{
    struct world *w = *state;
    const char *text;
    const char *const words[] = {w->model, "-t", "reference", NULL};

    assert_int_equal(locate(w, words, &text), QD_EXIT_OK);
    want_text(text, "x f32[1,2,4,4] is drawn, seed 1");
    want_text(text, "; 0 wrong\n");
    want_text(text, "100.0 %");
}

/* The kernel that is wrong, the block that it shows in first, and whether it is the only one that has what it is
 * wrong about. */
static const struct {
    const char *quirk, *gives;
    bool only;
} planted[] = {
    {"bias-dropped", "with_bias_y", true},
    {"scale-of-channel-0", "per_channel_y", true},
    {"axis-ignored", "per_channel_y", true},
    {"axis-default", "per_channel_y", true},
    {"axis-last", "per_channel_y", true},
    {"axis-off-by-one", "per_channel_y", true},
    {"axis-0-as-none", "per_channel_y", true},
    {"pads-begin-end-swapped", "with_pads_y", true},
    {"pads-of-axes-swapped", "with_pads_y", true},
    {"clip-dropped", "with_clip_y", true},
    {"relu-dropped", "with_relu_y", true},
    {"constant-zero-points-ignored", "with_zero_point_y", true},
    {"round-half-away", "xq", false},
    {"round-half-up", "xq", false},
    {"round-toward-zero", "xq", false},
    {"round-down", "xq", false},
    {"zero-points-ignored", "xq", false},
    {"zero-point-added", "xq", false},
    {"output-saturated-as-int8", "xq", false},
    {"x-uint8-read-as-int8", "filler0_y", false},
};

/* The first wrong unit is the right one, it has its name, and a small case. */
static void one_wrong_kernel_is_named(void **state)
{
    struct world *w = *state;
    double most = 0;
    long largest = 0;

    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        double began = cpu_seconds();
        const char *text;
        const char *target = qd_arena_printf(&w->arena, "quirk:%s", planted[i].quirk);
        const char *const words[] = {w->model, "-t", target, NULL};
        char line[400];

        enum qd_exit code = locate(w, words, &text);
        want_text(text, qd_arena_printf(&w->arena, "\n  gives     %s\n", planted[i].gives));
        if (planted[i].only)
            want_text(text, "; 1 wrong\n");
        assert_int_equal(code, QD_EXIT_DIVERGENCE);
        want_text(field(text, "  reduced   from ", line, sizeof line), planted[i].quirk);
        assert_in_range(reduced_to(text), 1, 16);
        largest = reduced_to(text) > largest ? reduced_to(text) : largest;
        most = fmax(most, cpu_seconds() - began);
    }
    print_message("# %zu planted kernels: at most %.1f s of CPU, reduced to %ld elements\n",
                  sizeof planted / sizeof *planted, most, largest);
    assert_true(most < 60);
}

/* What was kept runs as cases: the wrong one fails, the others pass. */
static void units_are_kept_as_cases(void **state)
{
    struct world *w = *state;
    const char *text, *units = qd_arena_printf(&w->arena, "%s/units", w->scratch);
    const char *results = qd_arena_printf(&w->arena, "%s/r.jsonl", w->scratch);
    const char *const words[] = {w->model, "-t", "quirk:bias-dropped", "--output", units, "-r",
                                 results,  NULL};

    assert_int_equal(locate(w, words, &text), QD_EXIT_DIVERGENCE);
    struct qd_capture out, err;
    char *argv[] = {(char[]){"qdiff"}, (char[]){"run"}, qd_arena_string(&w->arena, units),
                    (char[]){"-t"}, (char[]){"reference"}};
    qd_capture_begin(&out);
    qd_capture_begin(&err);
    assert_int_equal(qd_command_main(5, argv, &(struct qd_console){.out = out.out, .err = err.out}),
                     QD_EXIT_OK);
    want_text(qd_capture_text(&out), "ok 22 - planted/0022-Conv [reference]");
    qd_capture_end(&out);
    qd_capture_end(&err);
    char *bytes;
    size_t size;
    struct qd_error error;
    assert_ok(qd_file_read(results, 1 << 24, &w->arena, (uint8_t **)&bytes, &size, &error), error);
    text = qd_arena_printf(&w->arena, "%.*s", (int)size, bytes);
    want_text(text, "\"record\": \"header\"");
    want_text(text, "\"kind\": \"fail\"");
    want_text(text, "\"complete\": true");
}

/* Without what two runs never have alike: cost and times. */
static const char *without_times(struct world *w, const char *text)
{
    static const char *const words[] = {"cost", "  reduced", "{\"record\": \"summary\"",
                                        "{\"record\": \"header\""};
    const char *kept = "";

    while (*text != '\0') {
        size_t length = strcspn(text, "\n") + 1;
        bool left_out = false;

        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            left_out = left_out || strncmp(text, words[i], strlen(words[i])) == 0;
        if (!left_out)
            kept = qd_arena_printf(&w->arena, "%s%.*s", kept, (int)length, text);
        assert_non_null(kept);
        text += text[length - 1] == '\0' ? length - 1 : length;
    }
    return kept;
}

static const char *read_text(struct world *w, const char *path)
{
    uint8_t *bytes;
    size_t size;
    struct qd_error error;

    assert_ok(qd_file_read(path, 1 << 24, &w->arena, &bytes, &size, &error), error);
    return qd_arena_printf(&w->arena, "%.*s", (int)size, (const char *)bytes);
}

/* Several processes tell what one does, of wrong units that are diagnosed one after the other: text and results. */
static void processes_tell_what_one_does(void **state)
{
    struct world *w = *state;
    static const char *const quirks[] = {"quirk:zero-points-ignored", "quirk:bias-dropped"};
    static const char *const jobs[] = {"1", "3"};
    const char *results = qd_arena_printf(&w->arena, "%s/jobs.jsonl", w->scratch);

    for (size_t q = 0; q < sizeof quirks / sizeof *quirks; q++) {
        const char *text[2], *lines[2];

        for (size_t i = 0; i < 2; i++) {
            const char *const words[] = {w->model,    "-t",           quirks[q], "-t",
                                         "reference", "-r",           results,   "--jobs",
                                         jobs[i],     "--end-to-end", NULL};
            assert_int_equal(locate(w, words, &text[i]), QD_EXIT_DIVERGENCE);
            lines[i] = without_times(w, read_text(w, results));
            text[i] = without_times(w, text[i]);
        }
        assert_string_equal(text[0], text[1]);
        assert_string_equal(lines[0], lines[1]);
    }
}

static void mistakes_are_said(void **state)
{
    struct world *w = *state;
    const char *text;
    const char *const no_model[] = {"/nowhere.onnx", "-t", "reference", NULL};
    const char *const no_input[] = {w->model, "-t", "reference", "--input", "v=x.npy", NULL};
    const char *const bad_shape[] = {w->model, "-t", "reference", "--shape", "x=1,b", NULL};
    const char *const no_target[] = {w->model, NULL};

    assert_int_equal(locate(w, no_model, &text), QD_EXIT_USAGE);
    want_text(text, "/nowhere.onnx: cannot open");
    assert_int_equal(locate(w, no_input, &text), QD_EXIT_USAGE);
    want_text(text, "has the input x");
    assert_int_equal(locate(w, bad_shape, &text), QD_EXIT_USAGE);
    want_text(text, "--shape x=1,b");
    assert_int_equal(locate(w, no_target, &text), QD_EXIT_USAGE);
}

/* --- A layer that is too large ------------------------------------------------------------------- */

/* A convolution of 29 million units of work, and one of few after it. */
static void write_large(struct world *w, const char *path)
{
    static const int64_t dims[] = {1, 8, 16, 16}, filters[] = {16, 8, 3, 3}, bias[] = {16},
                         few[] = {1, 16, 1, 1}, zero[] = {128};
    static int64_t codes[16 * 8 * 9], biases[16];
    static const float scale = 0.125f, wide = 16;
    struct draft d = {.arena = &w->arena, .builder = qd_build_begin(&w->arena, 13)};
    struct qd_tensor x = sample_tensor(&w->arena, QD_F32, 4, dims, (int64_t[8 * 16 * 16]){0});
    struct qd_case kase;
    struct qd_error error;

    for (int64_t i = 0; i < 16 * 8 * 9; i++)
        codes[i] = i * 37 % 15 - 7;
    for (int64_t i = 0; i < 16; i++)
        biases[i] = 5000;
    qd_build_input(d.builder, "x", &x);
    put_floats(&d, "s", 0, &scale);
    put_floats(&d, "wide", 0, &wide);
    put_codes(&d, "z", QD_U8, 0, NULL, zero);
    put_codes(&d, "w", QD_S8, 4, filters, codes);
    put_codes(&d, "b", QD_S32, 1, bias, biases);
    put_codes(&d, "v", QD_S8, 4, few, codes);
    qd_build_node(d.builder, "", "QuantizeLinear", "x,s,z", "xq");
    qd_build_node(d.builder, "", "DequantizeLinear", "xq,s,z", "xf");
    qd_build_node(d.builder, "", "DequantizeLinear", "w,s", "wf");
    qd_build_node(d.builder, "", "DequantizeLinear", "b,s", "bf");
    qd_build_node(d.builder, "", "Conv", "xf,wf,bf", "t");
    qd_build_node(d.builder, "", "QuantizeLinear", "t,wide,z", "large");
    qd_build_node(d.builder, "", "DequantizeLinear", "large,wide,z", "lf");
    qd_build_node(d.builder, "", "DequantizeLinear", "v,s", "vf");
    qd_build_node(d.builder, "", "Conv", "lf,vf", "u");
    qd_build_node(d.builder, "", "QuantizeLinear", "u,wide,z", "small");
    qd_build_output_inferred(d.builder, "small", QD_U8);
    assert_ok(qd_build_finish(d.builder, "large", false, &kase, &error), error);
    assert_ok(qd_file_write(path, kase.model, kase.model_size, &error), error);
}

/* What is chosen of it is judged, what is not is said, and what comes after is judged with a target's values. */
static void a_layer_that_is_too_large_is_sampled(void **state)
{
    struct world *w = *state;
    const char *text, *path = qd_arena_printf(&w->arena, "%s/large.onnx", w->scratch);
    const char *results = qd_arena_printf(&w->arena, "%s/large.jsonl", w->scratch);
    const char *const right[] = {path, "-t", "reference", "--work", "16000000", NULL};
    const char *const wrong[] = {path,    "-t", "quirk:bias-dropped", "--work", "16000000", "-r",
                                 results, NULL};
    const char *const whole[] = {path, "-t", "reference", NULL};

    write_large(w, path);
    assert_int_equal(locate(w, whole, &text), QD_EXIT_OK);
    want_text(text, "units     3 of 3; 3 judged; 0 wrong");
    assert_int_equal(locate(w, right, &text), QD_EXIT_OK);
    want_text(text, "units     3 of 3; 3 judged; 1 judged in part; 0 wrong");
    want_text(text, "sample: all of 1 of 16 channels, and all channels at ");
    want_text(text, " of 196 positions\n");
    want_text(text,
              "values    of 1 unit, which the reference does not compute, are those of reference");
    assert_int_equal(locate(w, wrong, &text), QD_EXIT_DIVERGENCE);
    want_text(text, "3 judged; 1 judged in part; 1 wrong");
    want_text(text, "the first wrong unit is large/0002-Conv");
    want_text(read_text(w, results), "\"sample\": \"all of 1 of 16 channels, and all channels at ");
}

/* --- Across units ------------------------------------------------------------------------------- */

static bool has_ort(struct qd_arena *arena, const char *version)
{
    const char *const *versions;
    const struct qd_builtin_target *ort = qd_builtin_target_find("ort");

    if (!ort || ort->versions(arena, &versions, NULL) != QD_OK)
        return false;
    for (; *versions; versions++)
        if (strcmp(*versions, version) == 0)
            return true;
    return false;
}

/* Codes of steps of 2, then of 1/2, in the middle of a network: ONNX Runtime 1.26.0 makes one step of them
 * (reports/findings/double-quantize-intersected). Each of the two is right alone. */
static void write_twice(struct world *w, const char *path)
{
    static const int64_t dims[] = {1, CHANNELS, SIDE, SIDE}, zero[] = {128}, none[] = {0};
    const float scale = 0.125f, wide = 0.25f, two = 2, half = 0.5f;
    struct draft d = {.arena = &w->arena, .builder = qd_build_begin(&w->arena, 13), .last = "xq"};
    struct qd_tensor x = sample_tensor(&w->arena, QD_F32, 4, dims, (int64_t[32]){0});
    struct qd_case kase;
    struct qd_error error;

    qd_build_input(d.builder, "x", &x);
    put_floats(&d, "s", 0, &scale);
    put_floats(&d, "wide", 0, &wide);
    put_floats(&d, "two", 0, &two);
    put_floats(&d, "half", 0, &half);
    put_codes(&d, "z", QD_U8, 0, NULL, zero);
    put_codes(&d, "none", QD_U8, 0, NULL, none);
    qd_build_node(d.builder, "", "QuantizeLinear", "x,s,z", "xq");
    for (int i = 0; i < FILLERS / 3; i++)
        add_filler(&d);
    qd_build_node(d.builder, "", "DequantizeLinear", name(&d, "%s,s,z", d.last), "f");
    qd_build_node(d.builder, "", "QuantizeLinear", "f,two,none", "coarse");
    qd_build_node(d.builder, "", "DequantizeLinear", "coarse,two,none", "g");
    qd_build_node(d.builder, "", "QuantizeLinear", "g,half,none", "fine");
    qd_build_node(d.builder, "", "DequantizeLinear", "fine,half,none", "h");
    qd_build_node(d.builder, "", "QuantizeLinear", "h,s,z", "back");
    d.last = "back";
    for (int i = 0; i < FILLERS / 3; i++)
        add_filler(&d);
    qd_build_output_inferred(d.builder, d.last, QD_U8);
    assert_ok(qd_build_finish(d.builder, "twice", false, &kase, &error), error);
    assert_true(kase.graph->node_count > 300);
    assert_ok(qd_file_write(path, kase.model, kase.model_size, &error), error);
}

static void a_fusion_across_units_is_narrowed(void **state)
{
    struct world *w = *state;
    const char *text, *path = qd_arena_printf(&w->arena, "%s/twice.onnx", w->scratch);
    const char *const alone[] = {path, "-t", "ort@1.26.0[opt=all]", NULL};
    const char *const together[] = {path, "-t", "ort@1.26.0[opt=all]", "--end-to-end", NULL};

    if (!has_ort(&w->arena, "1.26.0")) {
        print_message("# skipped: ONNX Runtime 1.26.0 is not set up\n");
        return;
    }
    write_twice(w, path);
    assert_int_equal(locate(w, alone, &text), QD_EXIT_OK);
    double began = cpu_seconds();
    assert_int_equal(locate(w, together, &text), QD_EXIT_DIVERGENCE);
    print_message("# a fusion across units: %.1f s of CPU\n", cpu_seconds() - began);
    assert_true(cpu_seconds() - began < 60);
    want_text(text, "differ together, and none of them alone");
    want_text(text, ": 1 regions differ; ");
    want_text(text, "diagnosis: double-quantize");
    assert_in_range(reduced_to(text), 1, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_network_is_right),
        cmocka_unit_test(one_wrong_kernel_is_named),
        cmocka_unit_test(units_are_kept_as_cases),
        cmocka_unit_test(processes_tell_what_one_does),
        cmocka_unit_test(mistakes_are_said),
        cmocka_unit_test(a_layer_that_is_too_large_is_sampled),
        cmocka_unit_test(a_fusion_across_units_is_narrowed),
    };
    return cmocka_run_group_tests_name("reports/locate", tests, set_up, tear_down);
}
