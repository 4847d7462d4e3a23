/* SPDX-License-Identifier: Apache-2.0 */
/* Networks: what opens, what is refused and why, and that no bytes crash it.
 * Alone: <build>/tests/cases/network_test */
#include "hostile_testlib.h"

#include <unistd.h>

#include "qdiff/random.h"
#include "qdiff/units.h"

struct world {
    struct qd_arena arena;
    const char *scratch, *path;
};

static int set_up(void **state)
{
    static struct world world;
    qd_arena_init(&world.arena, (size_t)1 << 30);
    world.scratch = make_scratch(&world.arena);
    world.path = qd_arena_printf(&world.arena, "%s/m.onnx", world.scratch);
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

static enum qd_status open_bytes(struct world *w, struct bytes model, struct qd_network *network,
                                 struct qd_error *error)
{
    assert_ok(qd_file_write(w->path, model.bytes, model.size, error), *error);
    return qd_network_open(w->path, &w->arena, network, error);
}

/* NodeProto; `rest` is appended. Names "" are left out. */
static struct bytes node(struct qd_arena *a, const char *op, const char *input, const char *output,
                         struct bytes rest)
{
    struct qd_wire_out out = {.arena = a};
    qd_wire_put_text(&out, 1, input);
    qd_wire_put_text(&out, 2, output);
    qd_wire_put_text(&out, 4, op);
    qd_wire_put_raw(&out, rest.bytes, rest.size);
    return bytes_of(&out);
}

static struct bytes graph_node(struct qd_arena *a, const char *op, const char *input,
                               const char *output)
{
    return field_bytes(a, 1, node(a, op, input, output, NOTHING));
}

static void refuse(struct world *w, struct bytes model, enum qd_status want, const char *part)
{
    struct qd_network network;
    struct qd_error error;
    assert_refused(open_bytes(w, model, &network, &error), want, &error, part);
}

/* x -> Identity -> y, and y -> Mystery(with a subgraph that reads x) -> m. */
static void unknown_operators_are_nodes(void **state)
{
    struct world *w = *state;
    struct qd_arena *a = &w->arena;
    struct bytes inner = field_bytes(a, 1, node(a, "Identity", "x", "inside", NOTHING));
    struct bytes attribute = join(a, field_text(a, 1, "body"),
                                  join(a, field_bytes(a, 6, inner), field_varint(a, 20, 5)));
    struct bytes mystery =
        field_bytes(a, 1, node(a, "Mystery", "y", "m", field_bytes(a, 5, attribute)));
    struct qd_network network;
    struct qd_error error;
    assert_ok(open_bytes(w, identity_model(a, NOTHING, mystery, NOTHING), &network, &error), error);
    assert_int_equal(network.node_count, 2);
    assert_null(network.nodes[1].op);
    assert_int_equal(network.nodes[1].capture_count, 1);
    assert_int_equal(network.nodes[1].captures[0], qd_network_find(&network, "x"));
    assert_int_equal(network.values[qd_network_find(&network, "x")].readers, 2);
    qd_network_close(&network);
}

static void cycles_and_gaps_are_refused(void **state)
{
    struct world *w = *state;
    struct qd_arena *a = &w->arena;
    struct bytes cycle = join(a, graph_node(a, "Relu", "b", "c"), graph_node(a, "Relu", "c", "b"));
    refuse(
        w, identity_model(a, NOTHING, cycle, NOTHING), QD_INVALID,
        "reads 'b', which node '' (Relu) gives later: the nodes are not sorted, or form a cycle");
    refuse(w, identity_model(a, NOTHING, graph_node(a, "Relu", "nowhere", "c"), NOTHING),
           QD_INVALID, "reads 'nowhere', which nothing gives");
    refuse(w, identity_model(a, NOTHING, graph_node(a, "Relu", "x", "y"), NOTHING), QD_INVALID,
           "gives 'y', which something else gives already");
    refuse(w, NOTHING, QD_INVALID, "empty");
    refuse(w, field_varint(a, 1, 8), QD_INVALID, "no graph");
}

static void too_many_nodes_are_refused(void **state)
{
    struct world *w = *state;
    struct qd_wire_out out = {.arena = &w->arena};
    for (int i = 0; i < 100000; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        size_t mark = qd_wire_begin(&out, 1);
        qd_wire_put_text(&out, 1, "x");
        qd_wire_put_text(&out, 2, name);
        qd_wire_put_text(&out, 4, "Relu");
        qd_wire_end(&out, mark);
    }
    refuse(w, identity_model(&w->arena, NOTHING, bytes_of(&out), NOTHING), QD_LIMIT,
           "more than 32768 nodes");
}

/* --- Functions -------------------------------------------------------------------------------- */

/* FunctionProto "F"(p) = r of two nodes: first Identity p -> t, then `op` t -> r. */
static struct bytes function(struct qd_arena *a, const char *op, const char *version)
{
    struct bytes import = field_varint(a, 2, (uint64_t)atoi(version));
    struct bytes head =
        join(a, field_text(a, 1, "F"), join(a, field_text(a, 4, "p"), field_text(a, 5, "r")));
    struct bytes nodes = join(a, field_bytes(a, 7, node(a, "Identity", "p", "t", NOTHING)),
                              field_bytes(a, 7, node(a, op, "t", "r", NOTHING)));
    struct bytes tail = join(a, field_bytes(a, 9, import), field_text(a, 10, "mine"));
    return field_bytes(a, 25, join(a, head, join(a, nodes, tail)));
}

/* y -> mine.F -> f */
static struct bytes call(struct qd_arena *a)
{
    return field_bytes(a, 1, node(a, "F", "y", "f", field_text(a, 7, "mine")));
}

static void functions_become_their_nodes(void **state)
{
    struct world *w = *state;
    struct qd_network network;
    struct qd_error error;
    assert_ok(open_bytes(w,
                         identity_model(&w->arena, NOTHING, call(&w->arena),
                                        function(&w->arena, "Relu", "13")),
                         &network, &error),
              error);
    assert_int_equal(network.node_count, 3);
    assert_int_equal(network.inlined, 1);
    assert_string_equal(network.nodes[1].op_type, "Identity");
    assert_int_equal(network.nodes[1].inputs[0], qd_network_find(&network, "y"));
    assert_string_equal(network.nodes[2].op_type, "Relu");
    assert_int_equal(network.nodes[2].inputs[0], network.nodes[1].outputs[0]);
    assert_int_equal(network.nodes[2].outputs[0], qd_network_find(&network, "f"));
    qd_network_close(&network);

    /* Operators of another version: the call stays a node that nobody knows. */
    assert_ok(open_bytes(w,
                         identity_model(&w->arena, NOTHING, call(&w->arena),
                                        function(&w->arena, "Relu", "12")),
                         &network, &error),
              error);
    assert_int_equal(network.node_count, 2);
    assert_null(network.nodes[1].op);
    qd_network_close(&network);
}

static void functions_that_call_themselves_are_refused(void **state)
{
    struct world *w = *state;
    struct qd_arena *a = &w->arena;
    struct bytes self = node(a, "F", "t", "r", field_text(a, 7, "mine"));
    struct bytes head =
        join(a, field_text(a, 1, "F"), join(a, field_text(a, 4, "p"), field_text(a, 5, "r")));
    struct bytes body =
        join(a, field_bytes(a, 7, node(a, "Identity", "p", "t", NOTHING)), field_bytes(a, 7, self));
    struct bytes whole =
        field_bytes(a, 25, join(a, head, join(a, body, field_text(a, 10, "mine"))));
    refuse(w, identity_model(a, NOTHING, call(a), whole), QD_LIMIT, "'F' calls itself");
}

/* A function of two calls of the next one, and the last of none: 2^n calls and not one node. */
static void functions_that_multiply_are_refused(void **state)
{
    struct world *w = *state;
    struct qd_arena *a = &w->arena;
    struct bytes functions = NOTHING;
    for (char c = 'A'; c < 'P'; c++) {
        char name[2] = {c, 0}, next[2] = {(char)(c + 1), 0};
        struct bytes body = NOTHING;
        for (int i = 0; i < 8; i++)
            body = join(a, body, field_bytes(a, 7, node(a, next, "", "", NOTHING)));
        functions = join(a, functions, field_bytes(a, 25, join(a, field_text(a, 1, name), body)));
    }
    functions = join(a, functions, field_bytes(a, 25, field_text(a, 1, "P")));
    struct bytes first = field_bytes(a, 1, node(a, "A", "", "", NOTHING));
    refuse(w, identity_model(a, NOTHING, first, functions), QD_LIMIT,
           "more than 32768 calls of functions");
}

/* --- Branches --------------------------------------------------------------------------------- */

/* An attribute that is a graph: Relu of the outer y with an own name "t", given as "t". */
static struct bytes branch(struct qd_arena *a, const char *name, const char *op, struct bytes rest)
{
    struct bytes graph = join(a, field_bytes(a, 1, node(a, op, "y", "t", rest)),
                              field_bytes(a, 12, field_text(a, 1, "t")));
    struct bytes attribute = join(a, field_text(a, 1, name), field_varint(a, 20, 5));
    return field_bytes(a, 5, join(a, attribute, field_bytes(a, 6, graph)));
}

static struct bytes if_node(struct qd_arena *a, struct bytes rest)
{
    struct bytes branches =
        join(a, branch(a, "then_branch", "Relu", rest), branch(a, "else_branch", "Abs", NOTHING));
    return field_bytes(a, 1, node(a, "If", "condition", "z", branches));
}

/* A bool initializer "condition" of one element. */
static struct bytes condition(struct qd_arena *a, int value)
{
    struct bytes tensor =
        join(a, join(a, field_varint(a, 2, 9), field_varint(a, 5, (uint64_t)value)),
             field_text(a, 8, "condition"));
    return field_bytes(a, 5, tensor);
}

static void constant_conditions_take_a_branch(void **state)
{
    struct world *w = *state;
    struct qd_arena *a = &w->arena;
    struct qd_network network;
    struct qd_error error;
    for (int value = 0; value < 2; value++) {
        struct bytes graph = join(a, condition(a, value), if_node(a, NOTHING));
        assert_ok(open_bytes(w, identity_model(a, NOTHING, graph, NOTHING), &network, &error),
                  error);
        assert_int_equal(network.branches, 1);
        assert_int_equal(network.node_count, 3);
        assert_string_equal(network.nodes[1].op_type, value ? "Relu" : "Abs");
        assert_int_equal(network.nodes[1].inputs[0], qd_network_find(&network, "y"));
        assert_int_equal(network.nodes[2].inputs[0], network.nodes[1].outputs[0]);
        assert_int_equal(network.nodes[2].outputs[0], qd_network_find(&network, "z"));
        assert_int_equal(qd_network_find(&network, "t"), QD_NO_VALUE);
        qd_network_close(&network);
    }
}

/* A condition that is computed, and a branch with a subgraph of its own: the If stays. */
static void other_conditions_stay(void **state)
{
    struct world *w = *state;
    struct qd_arena *a = &w->arena;
    struct bytes computed =
        join(a, graph_node(a, "Mystery", "x", "condition"), if_node(a, NOTHING));
    struct bytes nested =
        join(a, condition(a, 1), if_node(a, branch(a, "body", "Identity", NOTHING)));
    const struct bytes graphs[] = {computed, nested};
    for (int i = 0; i < 2; i++) {
        struct qd_network network;
        struct qd_error error;
        assert_ok(open_bytes(w, identity_model(a, NOTHING, graphs[i], NOTHING), &network, &error),
                  error);
        assert_int_equal(network.branches, 0);
        assert_string_equal(network.nodes[network.node_count - 1].op_type, "If");
        qd_network_close(&network);
    }
}

/* --- Constants -------------------------------------------------------------------------------- */

/* An initializer "w" of float [1] in the file `location`. */
static struct bytes external(struct qd_arena *a, const char *location)
{
    struct bytes entry =
        field_bytes(a, 13, join(a, field_text(a, 1, "location"), field_text(a, 2, location)));
    struct bytes tensor =
        join(a, join(a, field_varint(a, 1, 1), field_varint(a, 2, 1)), field_text(a, 8, "w"));
    return field_bytes(a, 5, join(a, tensor, join(a, field_varint(a, 14, 1), entry)));
}

static enum qd_status read_external(struct world *w, const char *location, struct qd_tensor *tensor,
                                    struct qd_error *error)
{
    struct qd_network network;
    struct bytes model = identity_model(&w->arena, NOTHING, external(&w->arena, location), NOTHING);
    assert_ok(open_bytes(w, model, &network, error), *error);
    enum qd_status status =
        qd_network_constant(&network, qd_network_find(&network, "w"), &w->arena, tensor, error);
    qd_network_close(&network);
    return status;
}

static void external_data_stays_in_the_directory(void **state)
{
    struct world *w = *state;
    struct qd_tensor tensor;
    struct qd_error error;
    const char *inside = qd_arena_printf(&w->arena, "%s/inside", w->scratch);
    assert_ok(qd_file_write(inside, "\0\0\x80?", 4, &error), error);
    assert_ok(read_external(w, "inside", &tensor, &error), error);
    assert_true(qd_tensor_value(&tensor, 0) == 1.0);
    assert_refused(read_external(w, "/etc/passwd", &tensor, &error), QD_INVALID, &error,
                   "initializer 'w'");
    assert_refused(read_external(w, "../inside", &tensor, &error), QD_INVALID, &error,
                   "external data: '../inside' is no name below the directory");
    const char *link = qd_arena_printf(&w->arena, "%s/link", w->scratch);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_refused(read_external(w, "link", &tensor, &error), QD_INVALID, &error,
                   "leads through a link");
    const char *above = qd_arena_printf(&w->arena, "%s/above", w->scratch);
    assert_int_equal(symlink("/etc", above), 0);
    assert_refused(read_external(w, "above/passwd", &tensor, &error), QD_INVALID, &error,
                   "leads through a link");
    assert_refused(read_external(w, "missing", &tensor, &error), QD_IO, &error, "cannot open");
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* Opens, cuts every unit out, and throws it away: any status will do. */
static bool exercise(struct world *w, struct qd_arena *arena, struct bytes model)
{
    struct qd_network network;
    const struct qd_unit *units;
    size_t count;
    struct qd_error error;
    assert_ok(qd_file_write(w->path, model.bytes, model.size, &error), error);
    if (qd_network_open(w->path, arena, &network, NULL) != QD_OK)
        return false;
    if (qd_units_find(&network, arena, &units, &count, NULL) == QD_OK)
        for (size_t i = 0; i < count; i++) {
            struct qd_network_cut cut = {.id = "mutant",
                                         .node_count = units[i].node_count,
                                         .nodes = units[i].nodes,
                                         .output_count = units[i].output_count,
                                         .outputs = units[i].outputs};
            struct qd_case kase;
            qd_network_cut_case(&network, &cut, NULL, arena, &kase, NULL);
        }
    qd_network_close(&network);
    return true;
}

static struct bytes whole_model(struct qd_arena *a)
{
    static const uint8_t one[] = {0x08, 1, 0x10, 1, 0x42, 1, 'k', 0x4a, 4, 0, 0, 0x80, 0x3f};
    struct bytes constant = field_bytes(a, 5, (struct bytes){one, sizeof one});
    struct bytes graph = join(a, join(a, call(a), graph_node(a, "Relu", "f", "z")), constant);
    return identity_model(a, NOTHING, graph, function(a, "Relu", "13"));
}

static void truncated_models_are_refused(void **state)
{
    struct world *w = *state;
    struct bytes whole = whole_model(&w->arena);
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    assert_true(exercise(w, &arena, whole));
    for (size_t size = 0; size < whole.size; size++) {
        exercise(w, &arena, (struct bytes){whole.bytes, size});
        qd_arena_reset(&arena);
    }
    qd_arena_clear(&arena);
}

static void mutants_do_no_harm(void **state)
{
    struct world *w = *state;
    struct bytes whole = whole_model(&w->arena);
    struct qd_random random = qd_random_seed("network mutants", 1);
    uint8_t *mutant = qd_arena_alloc(&w->arena, whole.size);
    struct qd_arena arena;
    int opened = 0;
    enum { RUNS = 1000 };
    qd_arena_init(&arena, (size_t)64 << 20);
    for (int i = 0; i < RUNS; i++) {
        memcpy(mutant, whole.bytes, whole.size);
        for (int64_t k = qd_random_range(&random, 1, 4); k > 0; k--)
            mutant[qd_random_range(&random, 0, (int64_t)whole.size - 1)] =
                (uint8_t)qd_random_range(&random, 0, 255);
        opened += exercise(w, &arena, (struct bytes){mutant, whole.size});
        qd_arena_reset(&arena);
    }
    assert_in_range(opened, 1, RUNS - 1);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_operators_are_nodes),
        cmocka_unit_test(cycles_and_gaps_are_refused),
        cmocka_unit_test(too_many_nodes_are_refused),
        cmocka_unit_test(functions_become_their_nodes),
        cmocka_unit_test(functions_that_call_themselves_are_refused),
        cmocka_unit_test(functions_that_multiply_are_refused),
        cmocka_unit_test(constant_conditions_take_a_branch),
        cmocka_unit_test(other_conditions_stay),
        cmocka_unit_test(external_data_stays_in_the_directory),
        cmocka_unit_test(truncated_models_are_refused),
        cmocka_unit_test(mutants_do_no_harm),
    };
    return cmocka_run_group_tests_name("cases/network", tests, set_up, tear_down);
}
