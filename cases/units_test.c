/* SPDX-License-Identifier: Apache-2.0 */
/* Networks cut into units: what a block holds, where it ends, and that cuts are cases.
 * Alone: <build>/tests/cases/units_test */
#include "case_testlib.h"

#include "qdiff/evaluate.h"
#include "qdiff/units.h"

struct world {
    struct qd_arena arena;
    const char *scratch;
};

static int set_up(void **state)
{
    static struct world world;
    qd_arena_init(&world.arena, QD_ARENA_DEFAULT_BUDGET);
    world.scratch = make_scratch(&world.arena);
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

/* Codes q of [1, 2] with scale 1/2 and zero point 128, float and code parameters as constants s and z. */
static struct qd_builder *begin(struct qd_arena *a)
{
    static const int64_t two[] = {1, 2}, codes[] = {130, 128}, zero[] = {128};
    struct qd_builder *b = qd_build_begin(a, 13);
    float half = 0.5f;
    assert_non_null(b);
    struct qd_tensor q = sample_tensor(a, QD_U8, 2, two, codes);
    struct qd_tensor s = sample_floats(a, 0, &half);
    struct qd_tensor z = sample_tensor(a, QD_U8, 0, NULL, zero);
    qd_build_input(b, "q", &q);
    qd_build_initializer(b, "s", &s);
    qd_build_initializer(b, "z", &z);
    return b;
}

static struct qd_network open_built(struct world *w, struct qd_builder *b)
{
    struct qd_case kase;
    struct qd_error error;
    struct qd_network network;
    const char *path = qd_arena_printf(&w->arena, "%s/m.onnx", w->scratch);
    assert_ok(qd_build_finish(b, "built", false, &kase, &error), error);
    assert_ok(qd_file_write(path, kase.model, kase.model_size, &error), error);
    assert_ok(qd_network_open(path, &w->arena, &network, &error), error);
    return network;
}

/* "DequantizeLinear Relu QuantizeLinear -> y | ...": every unit, its operators and outputs. */
static const char *describe(struct world *w, const struct qd_network *network)
{
    const struct qd_unit *units;
    size_t count;
    struct qd_error error;
    char *text = qd_arena_string(&w->arena, "");
    assert_ok(qd_units_find(network, &w->arena, &units, &count, &error), error);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < units[i].node_count; j++) {
            const char *op = network->nodes[units[i].nodes[j]].op_type;
            text = qd_arena_printf(&w->arena, "%s%s%s", text,
                                   j > 0   ? " "
                                   : i > 0 ? " | "
                                           : "",
                                   strcmp(op, "DequantizeLinear") == 0 ? "DQ"
                                   : strcmp(op, "QuantizeLinear") == 0 ? "Q"
                                                                       : op);
        }
        for (size_t j = 0; j < units[i].output_count; j++)
            text = qd_arena_printf(&w->arena, "%s%s%s", text, j > 0 ? "," : " -> ",
                                   network->values[units[i].outputs[j]].name);
    }
    return text;
}

/* Nodes by name: "DequantizeLinear q,s,z x; Relu x r". */
static void build_nodes(struct world *w, struct qd_builder *b, const char *text)
{
    char *rest = qd_arena_string(&w->arena, text), *end;
    for (char *node = strtok_r(rest, ";", &end); node; node = strtok_r(NULL, ";", &end)) {
        char *op, *inputs, *outputs, *at;
        op = strtok_r(node, " ", &at);
        inputs = strtok_r(NULL, " ", &at);
        outputs = strtok_r(NULL, " ", &at);
        qd_build_node(b, "", op, inputs, outputs);
    }
}

/* The units of these nodes, of which the two values of that type are outputs. */
static void check_units(struct world *w, const char *nodes, const char *first, const char *second,
                        enum qd_dtype type, const char *want)
{
    struct qd_builder *b = begin(&w->arena);
    build_nodes(w, b, nodes);
    qd_build_output_inferred(b, first, type);
    if (second)
        qd_build_output_inferred(b, second, type);
    struct qd_network network = open_built(w, b);
    assert_string_equal(describe(w, &network), want);
    qd_network_close(&network);
}

/* A residual: the DequantizeLinear of q belongs to both blocks that read it. */
static void blocks_share_a_dequantize_linear(void **state)
{
    check_units(*state,
                "DequantizeLinear q,s,z x; Relu x r; QuantizeLinear r,s,z rq; "
                "DequantizeLinear rq,s,z rx; Add x,rx t; QuantizeLinear t,s,z y",
                "y", NULL, QD_U8, "DQ Relu Q -> rq | DQ DQ Add Q -> y");
}

/* A float value with two readers, or that is an output, ends a block, and what reads it begins none. */
static void shared_floats_end_blocks(void **state)
{
    check_units(*state,
                "DequantizeLinear q,s,z x; Relu x r; Abs r a; QuantizeLinear r,s,z y1; "
                "QuantizeLinear a,s,z y2",
                "y1", "y2", QD_U8, "DQ Relu -> r | Abs -> a | Q -> y1 | Q -> y2");
}

/* What reads it outside of blocks makes a DequantizeLinear a unit of its own as well. */
static void a_dequantized_output_is_a_unit(void **state)
{
    check_units(*state, "DequantizeLinear q,s,z x; Relu x r; Tanh r t", "x", "t", QD_F32,
                "DQ -> x | DQ Relu Tanh -> t");
}

/* A cut is a case that the reference computes: relu((130 - 128) / 2) = 1 is code 130, and with its own input fed. */
static void cuts_are_cases(void **state)
{
    struct world *w = *state;
    struct qd_builder *b = begin(&w->arena);
    const struct qd_unit *units;
    size_t count;
    struct qd_error error;
    build_nodes(w, b,
                "DequantizeLinear q,s,z x; Relu x r; QuantizeLinear r,s,z rq; "
                "DequantizeLinear rq,s,z y");
    qd_build_output_inferred(b, "y", QD_F32);
    struct qd_network network = open_built(w, b);
    assert_ok(qd_units_find(&network, &w->arena, &units, &count, &error), error);
    assert_int_equal(count, 2);
    static const int64_t two[] = {1, 2}, codes[] = {132, 100};
    struct qd_network_feed feed = {.value = units[0].inputs[0],
                                   .tensor = sample_tensor(&w->arena, QD_U8, 2, two, codes)};
    struct qd_network_cut cut = {.id = "cut/0001",
                                 .node_count = units[0].node_count,
                                 .nodes = units[0].nodes,
                                 .feed_count = 1,
                                 .feeds = &feed,
                                 .output_count = 1,
                                 .outputs = units[0].outputs};
    struct qd_case kase;
    struct qd_value value;
    assert_ok(qd_network_cut_case(&network, &cut, NULL, &w->arena, &kase, &error), error);
    assert_int_equal(kase.input_count, 1);
    assert_ok(qd_graph_evaluate(kase.graph, kase.inputs, NULL, &w->arena, &value, &error), error);
    assert_int_equal(qd_tensor_get(&value.want, 0), 132);
    assert_int_equal(qd_tensor_get(&value.want, 1), 128);

    /* Without the feed, nothing gives q. */
    cut.feed_count = 0;
    assert_refused(qd_network_cut_case(&network, &cut, NULL, &w->arena, &kase, &error), QD_USAGE,
                   &error, "'q'");

    /* Both units together. */
    struct qd_unit joined;
    assert_ok(qd_unit_join(&network, units, 2, &w->arena, &joined, &error), error);
    assert_int_equal(joined.node_count, 4);
    assert_int_equal(joined.input_count, 1);
    assert_int_equal(joined.output_count, 1);
    assert_string_equal(network.values[joined.outputs[0]].name, "y");
    assert_true(qd_unit_is_quantized(&network, &joined));
    qd_network_close(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_share_a_dequantize_linear),
        cmocka_unit_test(shared_floats_end_blocks),
        cmocka_unit_test(a_dequantized_output_is_a_unit),
        cmocka_unit_test(cuts_are_cases),
    };
    return cmocka_run_group_tests_name("cases/units", tests, set_up, tear_down);
}
