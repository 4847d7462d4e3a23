/* SPDX-License-Identifier: Apache-2.0 */
/* Cases and models: what comes back unchanged, and what is refused with which status. */
#include "hostile_testlib.h"

static struct bytes encode(struct qd_arena *arena, const struct qd_case *kase)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct qd_error error;
    assert_ok(qd_case_encode(kase, arena, &bytes, &size, &error), error);
    return (struct bytes){bytes, size};
}

static void assert_same_bytes(struct bytes have, struct bytes want)
{
    assert_int_equal(have.size, want.size);
    assert_memory_equal(have.bytes, want.bytes, want.size);
}

static void test_round_trip(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase = sample_conv_case(arena), again;
    struct qd_error error;
    struct qd_tensor output = sample_tensor(arena, QD_U8, 1, (int64_t[]){2}, (int64_t[]){5, 6});
    kase.seed = UINT64_MAX;
    kase.generator = "g1";
    kase.symptom = "wrong-value";
    kase.request = (const uint8_t *)"a\0b";
    kase.request_size = 3;
    struct qd_tensor wrong =
        sample_tensor(arena, QD_U8, 4, (int64_t[]){1, 2, 4, 4}, (int64_t[32]){9, 8, 7});
    kase.wrong_outputs = &wrong;
    kase.wrong_count = 1;
    kase.stored_outputs = &output;
    kase.output_count = 1;
    struct bytes bytes = encode(arena, &kase);
    assert_ok(qd_case_decode(bytes.bytes, bytes.size, arena, &again, &error), error);
    assert_same_bytes(encode(arena, &again), bytes);
    assert_same_bytes((struct bytes){again.model, again.model_size},
                      (struct bytes){kase.model, kase.model_size});
    assert_string_equal(again.id, kase.id);
    assert_string_equal(again.op, "QLinearConv");
    assert_string_equal(again.note, "a note");
    assert_string_equal(again.generator, "g1");
    assert_true(again.seed == UINT64_MAX);
    assert_same_tensor(&again.inputs[0], &kase.inputs[0]);
    assert_int_equal(again.output_count, 1);
    assert_same_tensor(&again.stored_outputs[0], &output);
    assert_string_equal(again.symptom, "wrong-value");
    assert_int_equal(again.wrong_count, 1);
    assert_same_tensor(&again.wrong_outputs[0], &wrong);
    assert_int_equal(again.request_size, 3);
    assert_memory_equal(again.request, "a\0b", 3);
}

static void test_steps(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase = sample_conv_case(arena), again;
    struct qd_error error;
    struct qd_case_step steps[] = {
        {.graph = kase.graph, .inputs = kase.inputs, .runs = 3},
        {.model = kase.model,
         .model_size = kase.model_size,
         .graph = kase.graph,
         .inputs = kase.inputs,
         .runs = 1,
         .keep = true},
        {.model = kase.model, .model_size = kase.model_size, .graph = kase.graph}};
    kase.steps = steps;
    kase.step_count = 3;
    struct bytes bytes = encode(arena, &kase);
    assert_ok(qd_case_decode(bytes.bytes, bytes.size, arena, &again, &error), error);
    assert_same_bytes(encode(arena, &again), bytes);
    assert_int_equal(again.step_count, 3);
    assert_ptr_equal(again.steps[0].graph, again.graph);
    assert_int_equal(again.steps[0].runs, 3);
    assert_int_equal(again.steps[0].model_size, 0);
    assert_same_tensor(&again.steps[0].inputs[0], &kase.inputs[0]);
    assert_same_bytes((struct bytes){again.steps[1].model, again.steps[1].model_size},
                      (struct bytes){kase.model, kase.model_size});
    assert_true(again.steps[1].keep && !again.steps[2].keep);
    assert_int_equal(again.steps[2].runs, 0);
}

static void refuse_steps(struct qd_case *kase, enum qd_status want, const char *words)
{
    struct qd_arena arena;
    struct qd_case again;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    struct bytes bytes = encode(&arena, kase);
    assert_int_equal(qd_case_decode(bytes.bytes, bytes.size, &arena, &again, &error), want);
    assert_non_null(strstr(error.text, words));
    qd_arena_clear(&arena);
}

static void test_steps_are_checked(void **state)
{
    struct qd_arena *arena = *state;
    struct qd_case kase = sample_conv_case(arena);
    struct qd_tensor other = sample_tensor(arena, QD_S8, 1, (int64_t[]){1}, (int64_t[]){1});
    struct qd_case_step good = {.graph = kase.graph, .inputs = kase.inputs, .runs = 1},
                        steps[QD_CASE_MAX_STEPS + 1];
    for (size_t i = 0; i <= QD_CASE_MAX_STEPS; i++)
        steps[i] = good;
    kase.steps = steps;
    kase.step_count = QD_CASE_MAX_STEPS + 1;
    refuse_steps(&kase, QD_LIMIT, "steps before the case");
    kase.step_count = 2;
    steps[1].runs = QD_CASE_MAX_STEP_RUNS + 1;
    refuse_steps(&kase, QD_LIMIT, "step 1 before the case: 65 runs");
    steps[1] = good;
    steps[1].inputs = &other;
    refuse_steps(&kase, QD_INVALID, "step 1 before the case: input 0 is s8[1]");
    struct qd_graph none = {.input_count = 0};
    steps[1] = (struct qd_case_step){.graph = &none, .inputs = kase.inputs, .runs = 1};
    refuse_steps(&kase, QD_INVALID, "0 input tensors for 1 runs");
    steps[1] = (struct qd_case_step){
        .graph = kase.graph, .model = (const uint8_t *)"\x08\x08", .model_size = 2};
    refuse_steps(&kase, QD_INVALID, "step 1 before the case");
}

/* A repack would drop the first field (no schema of ours has it) and shorten the second. */
static void test_model_verbatim(void **state)
{
    static uint8_t odd[] = {0xa2, 0x06, 1, 0x55, 0x28, 0x81, 0x80, 0x00};
    struct qd_arena *arena = *state;
    struct bytes model = identity_model(arena, NOTHING, NOTHING, (struct bytes){odd, sizeof odd});
    struct bytes bytes = case_of_model(arena, model, NOTHING);
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_case_decode(bytes.bytes, bytes.size, arena, &kase, &error), error);
    assert_same_bytes((struct bytes){kase.model, kase.model_size}, model);
    assert_ok(qd_case_from_model(model.bytes, model.size, arena, &kase, &error), error);
    assert_same_bytes((struct bytes){kase.model, kase.model_size}, model);
    assert_null(kase.inputs);
    assert_int_equal(kase.input_count, 1);
    assert_int_equal(kase.opset, 13);
    assert_string_equal(kase.id, "unnamed");
}

/* The default domain may be written as "ai.onnx"; a node of another imported domain decodes, though nobody knows it. */
static void test_domains(void **state)
{
    struct qd_arena *arena = *state;
    struct bytes opset = join(arena, field_text(arena, 1, "my.domain"), field_varint(arena, 2, 3));
    struct bytes model = identity_model(arena, field_text(arena, 7, "my.domain"), NOTHING,
                                        field_bytes(arena, 8, opset));
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_case_from_model(model.bytes, model.size, arena, &kase, &error), error);
    assert_int_equal(kase.graph->nodes[0].opset, 3);
    assert_null(kase.graph->nodes[0].op);
    assert_string_equal(kase.op, "my.domain:Identity");
    model = identity_model(arena, field_text(arena, 7, "ai.onnx"), NOTHING, NOTHING);
    assert_ok(qd_case_from_model(model.bytes, model.size, arena, &kase, &error), error);
    assert_string_equal(kase.graph->nodes[0].domain, "");
    assert_int_equal(kase.graph->nodes[0].opset, 13);
    assert_string_equal(kase.op, "Identity");
}

/* A graph input with an initializer of its name is a default, not something to feed. */
static void test_input_with_initializer(void **state)
{
    static const uint8_t tensor[] = {0x08, 1, 0x10, 1, 0x42, 1, 'x', 0x4a, 4, 0, 0, 0x80, 0x3f};
    struct qd_arena *arena = *state;
    struct bytes initializer = {tensor, sizeof tensor};
    struct bytes model =
        identity_model(arena, NOTHING, field_bytes(arena, 5, initializer), NOTHING);
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_case_from_model(model.bytes, model.size, arena, &kase, &error), error);
    assert_int_equal(kase.input_count, 0);
    assert_int_equal(kase.graph->value_count, 2);
    assert_non_null(kase.graph->values[0].initializer);
}

static void refuse_model(struct qd_arena *arena, struct bytes model, enum qd_status want,
                         const char *part)
{
    struct qd_case kase = {.seed = 77};
    struct qd_error error = {0};
    assert_refused(qd_case_from_model(model.bytes, model.size, arena, &kase, &error), want, &error,
                   part);
    assert_int_equal(kase.seed, 77);
}

static void test_refused_models(void **state)
{
    struct qd_arena *a = *state;
    struct bytes twice = field_bytes(a, 8, field_varint(a, 2, 13));
    struct bytes twice_by_name =
        field_bytes(a, 8, join(a, field_text(a, 1, "ai.onnx"), field_varint(a, 2, 13)));
    struct bytes version = field_bytes(a, 8, join(a, field_text(a, 1, "d"), field_varint(a, 2, 0)));
    struct bytes function = field_bytes(a, 25, field_text(a, 1, "MyFunction"));
    const struct {
        struct bytes node, graph, model;
        enum qd_status want;
        const char *part;
    } rows[] = {
        {NOTHING, NOTHING, field_varint(a, 1, 15), QD_UNSUPPORTED, "ir_version 15"},
        {NOTHING, NOTHING, field_varint(a, 1, 2), QD_UNSUPPORTED, "ir_version 2"},
        {NOTHING, NOTHING, field_varint(a, 1, 0), QD_INVALID, "ir_version"},
        {NOTHING, NOTHING, twice, QD_INVALID, "twice"},
        {NOTHING, NOTHING, twice_by_name, QD_INVALID, "twice"},
        {NOTHING, NOTHING, version, QD_INVALID, "version 0"},
        {NOTHING, NOTHING, function, QD_UNSUPPORTED, "MyFunction"},
        {NOTHING, NOTHING, field_bytes(a, 20, NOTHING), QD_UNSUPPORTED, "training_info"},
        {NOTHING, NOTHING, field_bytes(a, 7, NOTHING), QD_MALFORMED, "graph"},
        {NOTHING, field_bytes(a, 15, NOTHING), NOTHING, QD_UNSUPPORTED, "sparse"},
        {field_text(a, 7, "other"), NOTHING, NOTHING, QD_INVALID, "'other'"},
        {field_text(a, 4, ""), NOTHING, NOTHING, QD_INVALID, "op_type"},
        {field_text(a, 1, "ghost"), NOTHING, NOTHING, QD_INVALID, "'ghost'"},
        {field_text(a, 1, "y"), NOTHING, NOTHING, QD_INVALID, "'the node'"},
        {field_text(a, 2, "x"), NOTHING, NOTHING, QD_INVALID, "'x'"},
        {field_text(a, 2, "y"), NOTHING, NOTHING, QD_INVALID, "'y'"},
        {NOTHING, field_bytes(a, 12, field_text(a, 1, "ghost")), NOTHING, QD_INVALID, "'ghost'"},
        {NOTHING, field_bytes(a, 11, field_text(a, 1, "x")), NOTHING, QD_INVALID, "'x'"},
        {NOTHING, field_bytes(a, 11, field_text(a, 1, "untyped")), NOTHING, QD_INVALID,
         "'untyped'"},
        {NOTHING, field_bytes(a, 11, NOTHING), NOTHING, QD_INVALID, "no name"},
        {NOTHING, field_bytes(a, 5, NOTHING), NOTHING, QD_INVALID, "no name"},
        {NOTHING, field_bytes(a, 5, field_text(a, 8, "t")), NOTHING, QD_INVALID, "'t'"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        refuse_model(a, identity_model(a, rows[r].node, rows[r].graph, rows[r].model), rows[r].want,
                     rows[r].part);
    refuse_model(a, NOTHING, QD_INVALID, "ir_version");
    refuse_model(a, field_varint(a, 1, 8), QD_INVALID, "no graph");
    refuse_model(a, join(a, field_varint(a, 1, 8), field_bytes(a, 7, NOTHING)), QD_INVALID,
                 "no output");
}

/* Two nodes that read each other. */
static void test_cycle(void **state)
{
    struct qd_arena *a = *state;
    struct bytes there = join(a, field_text(a, 1, "q"), field_text(a, 2, "p"));
    struct bytes back = join(a, field_text(a, 1, "p"), field_text(a, 2, "q"));
    struct bytes nodes = join(a, field_bytes(a, 1, join(a, there, field_text(a, 4, "Relu"))),
                              field_bytes(a, 1, join(a, back, field_text(a, 4, "Relu"))));
    refuse_model(a, identity_model(a, NOTHING, nodes, NOTHING), QD_INVALID, "'q'");
}

static void test_refused_types(void **state)
{
    struct qd_arena *a = *state;
    struct bytes name = field_text(a, 1, "z");
    struct bytes dim = field_bytes(a, 1, field_varint(a, 1, (uint64_t)-5));
    struct bytes dims = NOTHING;
    for (int i = 0; i < 9; i++)
        dims = join(a, dims, field_bytes(a, 1, NOTHING));
    struct bytes sequence = field_bytes(a, 2, field_bytes(a, 4, NOTHING));
    struct bytes string = field_bytes(a, 2, field_bytes(a, 1, field_varint(a, 1, 8)));
    struct bytes negative = join(a, field_varint(a, 1, 1), field_bytes(a, 2, dim));
    struct bytes deep = join(a, field_varint(a, 1, 1), field_bytes(a, 2, dims));
    const struct {
        struct bytes type;
        enum qd_status want;
        const char *part;
    } rows[] = {
        {sequence, QD_UNSUPPORTED, "'z'"},
        {string, QD_UNSUPPORTED, "element type 8"},
        {field_bytes(a, 2, field_bytes(a, 1, negative)), QD_INVALID, "-5"},
        {field_bytes(a, 2, field_bytes(a, 1, deep)), QD_LIMIT, "9 dimensions"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        refuse_model(
            a, identity_model(a, NOTHING, field_bytes(a, 11, join(a, name, rows[r].type)), NOTHING),
            rows[r].want, rows[r].part);
}

static void test_refused_attributes(void **state)
{
    struct qd_arena *a = *state;
    struct bytes name = field_text(a, 1, "attr"), i = field_varint(a, 3, 1);
    struct bytes int_type = field_varint(a, 20, 2), graph_type = field_varint(a, 20, 5);
    struct bytes good = join(a, join(a, name, i), int_type);
    uint8_t nul[] = {'a', 0, 'b'};
    struct bytes text = join(a, field_bytes(a, 4, (struct bytes){nul, 3}), field_varint(a, 20, 3));
    const struct {
        struct bytes attr;
        enum qd_status want;
        const char *part;
    } rows[] = {
        {join(a, i, int_type), QD_INVALID, "no name"},
        {join(a, name, i), QD_INVALID, "type is not set"},
        {join(a, name, int_type), QD_INVALID, "value field"},
        {join(a, good, field_text(a, 4, "s")), QD_INVALID, "value field"},
        {join(a, name, join(a, i, field_varint(a, 20, 99))), QD_INVALID, "type is unknown"},
        {join(a, good, field_text(a, 21, "outer")), QD_INVALID, "ref_attr_name"},
        {join(a, name, join(a, field_bytes(a, 6, NOTHING), graph_type)), QD_UNSUPPORTED,
         "subgraph"},
        {join(a, name, field_varint(a, 20, 10)), QD_UNSUPPORTED, "subgraph"},
        {join(a, name, text), QD_INVALID, "NUL"},
        {join(a, name, join(a, field_bytes(a, 5, NOTHING), field_varint(a, 20, 4))), QD_INVALID,
         "data_type"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        refuse_model(a, identity_model(a, field_bytes(a, 5, rows[r].attr), NOTHING, NOTHING),
                     rows[r].want, rows[r].part);
    struct bytes twice = join(a, field_bytes(a, 5, good), field_bytes(a, 5, good));
    refuse_model(a, identity_model(a, twice, NOTHING, NOTHING), QD_INVALID, "occurs twice");
    struct bytes many = NOTHING;
    for (int n = 0; n < 65; n++)
        many = join(a, many, field_bytes(a, 5, good));
    refuse_model(a, identity_model(a, many, NOTHING, NOTHING), QD_LIMIT, "65 attributes");
}

/* A list of strings is something no operator of ours takes, but no reason to refuse the model. */
static void test_other_attribute(void **state)
{
    struct qd_arena *a = *state;
    struct bytes attr =
        join(a, field_text(a, 1, "words"), join(a, field_text(a, 9, "w"), field_varint(a, 20, 8)));
    struct bytes model = identity_model(a, field_bytes(a, 5, attr), NOTHING, NOTHING);
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_case_from_model(model.bytes, model.size, a, &kase, &error), error);
    assert_int_equal(qd_node_attr(&kase.graph->nodes[0], "words")->kind, QD_ATTR_OTHER);
}

static void test_refused_cases(void **state)
{
    struct qd_arena *a = *state;
    struct bytes model = identity_model(a, NOTHING, NOTHING, NOTHING);
    static const uint8_t u8_tensor[] = {0x08, 1, 0x10, 2, 0x4a, 1, 0};
    struct bytes tensor = {u8_tensor, sizeof u8_tensor};
    struct bytes must_reject = field_varint(a, 1, 1), rule = field_text(a, 2, "Op/rule");
    struct bytes wrong_value = field_bytes(a, 6, field_text(a, 6, "wrong-value"));
    const struct {
        struct bytes extra;
        enum qd_status want;
        const char *part;
    } rows[] = {
        {field_varint(a, 1, 2), QD_UNSUPPORTED, "schema is 2"},
        {field_text(a, 2, ""), QD_INVALID, "id ''"},
        {field_text(a, 2, "two words"), QD_INVALID, "two words"},
        {field_text(a, 2, "esc\x1b"), QD_INVALID, "id"},
        {field_text(a, 7, "a tag"), QD_INVALID, "a tag"},
        {field_bytes(a, 3, model), QD_MALFORMED, "Case.model"},
        {field_bytes(a, 4, tensor), QD_INVALID, "2 input tensors"},
        {field_bytes(a, 4, field_varint(a, 2, 1)), QD_INVALID, "2 input tensors"},
        {join(a, field_bytes(a, 8, tensor), field_bytes(a, 8, tensor)), QD_INVALID,
         "2 stored outputs"},
        {field_bytes(a, 8, NOTHING), QD_INVALID, "stored output 0"},
        {field_bytes(a, 6, field_text(a, 6, "odd")), QD_INVALID, "symptom 'odd'"},
        {wrong_value, QD_INVALID, "0 wrong outputs, the symptom 'wrong-value' has 1"},
        {field_bytes(a, 10, tensor), QD_INVALID, "1 wrong outputs, the symptom '' has 0"},
        {join(a, wrong_value, field_bytes(a, 10, tensor)), QD_INVALID, "which 'y' cannot be"},
        {join(a, wrong_value, field_bytes(a, 10, NOTHING)), QD_INVALID, "wrong output 0"},
        {field_bytes(a, 5, must_reject), QD_INVALID, "must-reject"},
        {field_bytes(a, 5, rule), QD_INVALID, "valid case"},
        {field_bytes(a, 5, field_varint(a, 1, 7)), QD_INVALID, "kind 7"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bytes bytes = case_of_model(a, model, rows[r].extra);
        struct qd_case kase = {.seed = 77};
        struct qd_error error = {0};
        assert_refused(qd_case_decode(bytes.bytes, bytes.size, a, &kase, &error), rows[r].want,
                       &error, rows[r].part);
        assert_int_equal(kase.seed, 77);
    }
    struct qd_case kase;
    struct qd_error error = {0};
    assert_refused(qd_case_decode(NULL, 0, a, &kase, &error), QD_UNSUPPORTED, &error,
                   "schema is 0");
    struct bytes bare = join(a, field_varint(a, 1, 1), field_text(a, 2, "bare"));
    assert_refused(qd_case_decode(bare.bytes, bare.size, a, &kase, &error), QD_INVALID, &error,
                   "no model");
}

/* An input tensor of another type or shape than the graph declares. */
static void test_mismatched_inputs(void **state)
{
    struct qd_arena *a = *state;
    static const struct {
        uint8_t tensor[16];
        size_t size;
        const char *part;
    } rows[] = {
        {{0x08, 1, 0x10, 2, 0x4a, 1, 0}, 7, "declares 'x' as f32"},
        {{0x08, 2, 0x10, 1, 0x4a, 8}, 14, "not declared to take"},
        {{0x10, 1, 0x4a, 4}, 8, "not declared to take"},
    };
    struct bytes model = identity_model(a, NOTHING, NOTHING, NOTHING);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bytes head = join(a, field_varint(a, 1, 1), field_text(a, 2, "id"));
        struct bytes tensor = {rows[r].tensor, rows[r].size};
        struct bytes bytes =
            join(a, join(a, head, field_bytes(a, 3, model)), field_bytes(a, 4, tensor));
        struct qd_case kase;
        struct qd_error error = {0};
        assert_refused(qd_case_decode(bytes.bytes, bytes.size, a, &kase, &error), QD_INVALID,
                       &error, rows[r].part);
    }
}

/* No proper beginning of a case is one, and none is a crash. */
static void test_truncation(void **state)
{
    struct qd_case kase = sample_conv_case(*state);
    struct bytes bytes = encode(*state, &kase);
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t size = 0; size < bytes.size; size++) {
        /* A copy of exactly this size, so that a sanitizer sees a read past the end. */
        uint8_t *copy = malloc(size ? size : 1);
        struct qd_error error;
        assert_non_null(copy);
        memcpy(copy, bytes.bytes, size);
        assert_int_not_equal(qd_case_decode(copy, size, &arena, &kase, &error), QD_OK);
        free(copy);
        qd_arena_reset(&arena);
    }
    qd_arena_clear(&arena);
}

/* Every case with one flipped bit is refused, or is a case like any other: it survives encoding. */
static void test_bit_flips(void **state)
{
    struct qd_case kase = sample_conv_case(*state);
    struct bytes encoded = encode(*state, &kase);
    uint8_t *bytes = qd_arena_copy(*state, encoded.bytes, encoded.size);
    struct qd_arena arena;
    assert_non_null(bytes);
    size_t accepted = 0, refused = 0;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t bit = 0; bit < 8 * encoded.size; bit++) {
        struct qd_error error;
        struct qd_case flipped, again;
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (qd_case_decode(bytes, encoded.size, &arena, &flipped, &error) == QD_OK) {
            struct bytes first = encode(&arena, &flipped);
            assert_ok(qd_case_decode(first.bytes, first.size, &arena, &again, &error), error);
            assert_same_bytes(encode(&arena, &again), first);
            accepted++;
        } else {
            refused++;
        }
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        qd_arena_reset(&arena);
    }
    assert_true(accepted > 0 && refused > 0);
    qd_arena_clear(&arena);
}

/* Whatever the budget, decoding either fits into it or says that it does not. */
static void test_budgets(void **state)
{
    struct qd_case kase = sample_conv_case(*state);
    struct bytes bytes = encode(*state, &kase);
    enum qd_status status = QD_NO_MEMORY;
    size_t budget = 0;
    for (; status == QD_NO_MEMORY && budget < ((size_t)1 << 20); budget += 64) {
        struct qd_arena arena;
        struct qd_error error;
        qd_arena_init(&arena, budget);
        status = qd_case_decode(bytes.bytes, bytes.size, &arena, &kase, &error);
        assert_true(arena.used <= budget);
        qd_arena_clear(&arena);
    }
    assert_int_equal(status, QD_OK);
    assert_true(budget > 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_model_verbatim),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_model_verbatim),
        cmocka_unit_test(test_steps_are_checked),
        cmocka_unit_test(test_model_verbatim),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_input_with_initializer),
        cmocka_unit_test(test_refused_models),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_refused_types),
        cmocka_unit_test(test_refused_attributes),
        cmocka_unit_test(test_other_attribute),
        cmocka_unit_test(test_refused_cases),
        cmocka_unit_test(test_mismatched_inputs),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_bit_flips),
        cmocka_unit_test(test_budgets),
    };
    return cmocka_run_group_tests_name("cases/case_codec", tests, arena_set_up, arena_tear_down);
}
