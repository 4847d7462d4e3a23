/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a node out of a model, and NumPy's arrays. The .npy bytes below are numpy.save's own. */
#include "hostile_testlib.h"

#include <unistd.h>

#include "qdiff/evaluate.h"
#include "qdiff/import.h"

static const char *in(struct qd_arena *arena, const char *directory, const char *name)
{
    const char *path = qd_arena_printf(arena, "%s/%s", directory, name);
    assert_non_null(path);
    return path;
}

static const char *write_file(struct qd_arena *arena, const char *directory, const char *name,
                              struct bytes bytes)
{
    struct qd_error error;
    const char *path = in(arena, directory, name);
    assert_ok(qd_file_write(path, bytes.bytes, bytes.size, &error), error);
    return path;
}

/* --- .npy ------------------------------------------------------------------------------------- */

/* Version 1.0, the header padded with spaces as NumPy does; `data` follows. */
static struct bytes npy(struct qd_arena *arena, const char *header, const char *data, size_t size)
{
    struct qd_wire_out out = {.arena = arena};
    char padded[119];
    int used = snprintf(padded, sizeof padded, "%-117s\n", header);
    assert_int_equal(used, 118);
    qd_wire_put_raw(&out, "\x93NUMPY\x01\x00v\x00", 10);
    qd_wire_put_raw(&out, padded, 118);
    qd_wire_put_raw(&out, data, size);
    return bytes_of(&out);
}

/* The first is numpy.save of [[1.5, -2.0]]; the void types are what it makes of ml_dtypes' arrays. */
static const struct {
    const char *header, *data;
    size_t size;
    enum qd_dtype want, have;
    unsigned rank;
    int64_t count, codes[3];
} arrays[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
     "\0\0\xc0?\0\0\0\xc0",
     8,
     QD_DTYPE_NONE,
     QD_F32,
     2,
     2,
     {0x3fc00000, 0xc0000000}},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\x07", 1, QD_U8, QD_U8, 0, 1, {7}},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }",
     "",
     0,
     QD_DTYPE_NONE,
     QD_F64,
     2,
     0,
     {0}},
    {"{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }",
     "\x80?\x80\xbf",
     4,
     QD_BF16,
     QD_BF16,
     1,
     2,
     {0x3f80, 0xbf80}},
    {"{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }",
     "\x80?\x80\xbf",
     4,
     QD_BF16,
     QD_BF16,
     1,
     2,
     {0x3f80, 0xbf80}},
    {"{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }",
     "\x01\x0e",
     2,
     QD_S4,
     QD_S4,
     1,
     2,
     {1, -2}},
    {"{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }",
     "\x01\xfe\xf8",
     3,
     QD_S4,
     QD_S4,
     1,
     3,
     {1, -2, -8}},
    {"{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }",
     "\x01\t",
     2,
     QD_U4,
     QD_U4,
     1,
     2,
     {1, 9}},
    {"{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }",
     "8@",
     2,
     QD_F8E4M3FN,
     QD_F8E4M3FN,
     1,
     2,
     {0x38, 0x40}},
    {"{'descr': '|i1', 'fortran_order': True, 'shape': (2,), }",
     "\xff\x02",
     2,
     QD_S8,
     QD_S8,
     1,
     2,
     {-1, 2}},
    {"{'shape': (1,), 'fortran_order': False, 'descr': '|b1'}",
     "\x01",
     1,
     QD_DTYPE_NONE,
     QD_BOOL,
     1,
     1,
     {1}},
};

static void test_npy(void **state)
{
    const char *scratch = make_scratch(*state);
    for (size_t r = 0; r < sizeof arrays / sizeof *arrays; r++) {
        struct qd_tensor tensor;
        struct qd_error error;
        const char *path =
            write_file(*state, scratch, "a.npy",
                       npy(*state, arrays[r].header, arrays[r].data, arrays[r].size));
        assert_ok(qd_npy_read(path, arrays[r].want, *state, &tensor, &error), error);
        assert_int_equal(tensor.dtype, arrays[r].have);
        assert_int_equal(tensor.rank, arrays[r].rank);
        assert_int_equal(tensor.count, arrays[r].count);
        for (int64_t i = 0; i < tensor.count; i++)
            assert_int_equal(qd_tensor_get(&tensor, i), arrays[r].codes[i]);
    }
    remove_scratch(scratch);
}

/* numpy.lib.format.write_array(..., version=(3, 0)) of [True, False]. */
static void test_npy_version_3(void **state)
{
    struct qd_wire_out out = {.arena = *state};
    char padded[117];
    snprintf(padded, sizeof padded, "%-115s\n",
             "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }");
    qd_wire_put_raw(&out, "\x93NUMPY\x03\x00t\x00\x00\x00", 12);
    qd_wire_put_raw(&out, padded, 116);
    qd_wire_put_raw(&out, "\x01\x00", 2);
    const char *scratch = make_scratch(*state),
               *path = write_file(*state, scratch, "a.npy", bytes_of(&out));
    struct qd_tensor tensor;
    struct qd_error error;
    assert_ok(qd_npy_read(path, QD_DTYPE_NONE, *state, &tensor, &error), error);
    assert_int_equal(tensor.dtype, QD_BOOL);
    assert_int_equal(qd_tensor_get(&tensor, 0), 1);
    assert_int_equal(qd_tensor_get(&tensor, 1), 0);
    remove_scratch(scratch);
}

static void refuse_npy(struct qd_arena *arena, struct bytes bytes, enum qd_dtype dtype,
                       enum qd_status want, const char *part)
{
    const char *scratch = make_scratch(arena), *path = write_file(arena, scratch, "a.npy", bytes);
    struct qd_tensor tensor;
    struct qd_error error = {0};
    assert_refused(qd_npy_read(path, dtype, arena, &tensor, &error), want, &error, part);
    assert_non_null(strstr(error.text, "a.npy"));
    remove_scratch(scratch);
}

static void test_npy_refused(void **state)
{
    static const struct {
        const char *header;
        enum qd_dtype dtype;
        enum qd_status want;
        const char *part;
    } rows[] = {
        {"{'descr': '>i2', 'fortran_order': False, 'shape': (1,), }", 0, QD_UNSUPPORTED,
         "big-endian"},
        {"{'descr': '|i1', 'fortran_order': True, 'shape': (2, 1), }", 0, QD_UNSUPPORTED,
         "Fortran"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 0, QD_UNSUPPORTED, "<c8"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 0, QD_UNSUPPORTED, "|O"},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", 0, QD_UNSUPPORTED, "<u4"},
        {"{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }", 0, QD_UNSUPPORTED, "<V2"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 0, QD_UNSUPPORTED,
         "structured"},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", QD_U8, QD_INVALID, "int8"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", QD_U4, QD_INVALID,
         "byte 0x7f"},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", 0, QD_INVALID, "bool"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", 0, QD_MALFORMED, "2 bytes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", 0, QD_MALFORMED, "2 bytes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,), }", 0,
         QD_LIMIT, "dimension"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (99999, 99999), }", 0, QD_LIMIT,
         "elements"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2), }", 0, QD_LIMIT,
         "8 dimensions"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (-2,), }", 0, QD_MALFORMED,
         "no number"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': 2, }", 0, QD_MALFORMED, "dictionary"},
        {"{'descr': '|u1', 'fortran_order': Maybe, 'shape': (2,), }", 0, QD_MALFORMED,
         "fortran_order"},
        {"{'descr': '|u1', 'shape': (2,), }", 0, QD_MALFORMED, "lacks"},
        {"{'descr': '|u1', 'descr': '|u1', 'shape': (2,), }", 0, QD_MALFORMED, "twice"},
        {"{'descr': '|u1', 'order': False, 'shape': (2,), }", 0, QD_MALFORMED, "unknown key"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), } x", 0, QD_MALFORMED, "goes on"},
        {"{'descr': '|u1", 0, QD_UNSUPPORTED, "too long"},
        {"", 0, QD_MALFORMED, "dictionary"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        refuse_npy(*state, npy(*state, rows[r].header, "\x7f\xff", 2), rows[r].dtype, rows[r].want,
                   rows[r].part);
    refuse_npy(*state, NOTHING, 0, QD_MALFORMED, "not a .npy");
    refuse_npy(*state, (struct bytes){(const uint8_t *)"PK\3\4", 4}, 0, QD_MALFORMED, ".npz");
    refuse_npy(*state, (struct bytes){(const uint8_t *)"\x93NUMPY\x09\x00v\x00", 10}, 0,
               QD_MALFORMED, "newer");
    refuse_npy(*state, (struct bytes){(const uint8_t *)"\x93NUMPY\x01\x00v\x00", 10}, 0,
               QD_MALFORMED, "cut off");
    struct bytes whole =
        npy(*state, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\1\2", 2);
    for (size_t size = 0; size < whole.size; size++) {
        struct qd_tensor tensor;
        const char *scratch = make_scratch(*state);
        const char *path = write_file(*state, scratch, "a.npy", (struct bytes){whole.bytes, size});
        assert_int_not_equal(qd_npy_read(path, QD_DTYPE_NONE, *state, &tensor, NULL), QD_OK);
        remove_scratch(scratch);
    }
}

/* --- Models ----------------------------------------------------------------------------------- */

/* x -> QLinearConv n0 -> t -> QLinearConv n1 -> y, both with their constants; outputs t and y. */
static struct qd_case chain(struct qd_arena *arena)
{
    static const int64_t x_codes[9] = {1, 20, 3, 40, 5, 60, 7, 80, 9}, w_codes[2] = {3, 250};
    const float scale = 0.5f;
    struct qd_case kase;
    struct qd_error error;
    struct qd_builder *builder = qd_build_begin(arena, 10);
    struct qd_tensor x = sample_tensor(arena, QD_U8, 4, (int64_t[]){1, 1, 3, 3}, x_codes);
    struct qd_tensor w = sample_tensor(arena, QD_U8, 4, (int64_t[]){2, 1, 1, 1}, w_codes);
    struct qd_tensor v = sample_tensor(arena, QD_U8, 4, (int64_t[]){1, 2, 1, 1}, w_codes);
    struct qd_tensor zero = sample_tensor(arena, QD_U8, 0, NULL, (int64_t[]){4});
    struct qd_tensor half = sample_floats(arena, 0, &scale);
    qd_build_input(builder, "x", &x);
    qd_build_initializer(builder, "s", &half);
    qd_build_initializer(builder, "z", &zero);
    qd_build_initializer(builder, "w", &w);
    qd_build_initializer(builder, "v", &v);
    qd_build_node(builder, "", "QLinearConv", "x,s,z,w,s,z,s,z", "t");
    qd_build_node(builder, "", "QLinearConv", "t,s,z,v,s,z,s,z", "y");
    qd_build_attr_ints(builder, "strides", (int64_t[]){1, 2}, 2);
    qd_build_output(builder, "t", QD_U8, -1, NULL);
    qd_build_output(builder, "y", QD_U8, -1, NULL);
    assert_ok(qd_build_finish(builder, "chain", false, &kase, &error), error);
    return kase;
}

static struct qd_tensor evaluate(struct qd_arena *arena, const struct qd_case *kase, size_t output)
{
    struct qd_value *values = qd_arena_array(arena, kase->graph->output_count, sizeof *values);
    struct qd_error error;
    assert_ok(qd_graph_evaluate(kase->graph, kase->inputs, NULL, arena, values, &error), error);
    return values[output].want;
}

/* The cut node, fed with what it reads in the model, gives what it gives there. */
static void test_cut(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena);
    struct qd_case whole = chain(arena), cut;
    struct qd_error error;
    struct qd_tensor t = evaluate(arena, &whole, 0), y = evaluate(arena, &whole, 1), have;
    uint8_t *proto = NULL;
    size_t size = 0;
    assert_ok(qd_tensor_encode(&t, "", arena, &proto, &size, &error), error);
    const char *model =
        write_file(arena, scratch, "a model.onnx", (struct bytes){whole.model, whole.model_size});
    struct qd_import_feed feed = {"t",
                                  write_file(arena, scratch, "t.pb", (struct bytes){proto, size})};
    static const char *const names[] = {"n1", "y"};
    for (int i = 0; i < 2; i++) {
        struct qd_import_options options = {
            .model = model, .node = names[i], .feeds = &feed, .feed_count = 1};
        assert_ok(qd_import(&options, arena, &cut, &error), error);
        assert_int_equal(cut.graph->node_count, 1);
        assert_int_equal(cut.input_count, 1);
        assert_int_equal(cut.graph->value_count, 5);
        assert_string_equal(cut.id, i == 0 ? "import/a_model/n1" : "import/a_model/y");
        assert_int_equal(qd_node_attr(&cut.graph->nodes[0], "strides")->ints[1], 2);
        /* The model declares no shape of y; the cut has what the reference finds: [1, 1, 3, 2]. */
        const struct qd_graph_value *declared = &cut.graph->values[cut.graph->outputs[0]];
        assert_int_equal(declared->declared_dtype, QD_U8);
        assert_int_equal(declared->declared_rank, 4);
        assert_int_equal(declared->declared_dims[3], 2);
        have = evaluate(arena, &cut, 0);
        assert_same_tensor(&have, &y);
    }
    remove_scratch(scratch);
}

static void test_whole_model(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena);
    struct qd_case whole = chain(arena), kase;
    struct qd_error error = {0};
    struct bytes x = npy(arena, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 3, 3), }",
                         "\x01\x14\x03\x28\x05\x3c\x07\x50\x09", 9);
    const char *model =
        write_file(arena, scratch, "m.onnx", (struct bytes){whole.model, whole.model_size});
    struct qd_import_feed feed = {"x", write_file(arena, scratch, "x.npy", x)};
    struct qd_import_options options = {
        .model = model, .feeds = &feed, .feed_count = 1, .id = "my/id"};
    assert_ok(qd_import(&options, arena, &kase, &error), error);
    assert_string_equal(kase.id, "my/id");
    assert_int_equal(kase.model_size, whole.model_size);
    assert_memory_equal(kase.model, whole.model, whole.model_size);
    struct qd_tensor have = evaluate(arena, &kase, 1), want = evaluate(arena, &whole, 1);
    assert_same_tensor(&have, &want);
    options.feed_count = 0;
    assert_refused(qd_import(&options, arena, &kase, &error), QD_USAGE, &error, "'x'");
    remove_scratch(scratch);
}

static void refuse_import(struct qd_arena *arena, const struct qd_import_options *options,
                          enum qd_status want, const char *part)
{
    struct qd_case kase = {.seed = 77};
    struct qd_error error = {0};
    assert_refused(qd_import(options, arena, &kase, &error), want, &error, part);
    assert_int_equal(kase.seed, 77);
}

static void test_refused(void **state)
{
    struct qd_arena *arena = *state;
    const char *scratch = make_scratch(arena);
    struct qd_case whole = chain(arena);
    struct bytes t =
        npy(arena, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "\0\0\0\0", 4);
    const char *model =
        write_file(arena, scratch, "m.onnx", (struct bytes){whole.model, whole.model_size});
    const char *npy_path = write_file(arena, scratch, "t.npy", t);
    struct qd_import_feed feeds[3] = {{"t", npy_path}, {"other", npy_path}, {"t", npy_path}};
    struct qd_import_options options = {.model = model, .node = "n1"};
    refuse_import(arena, &options, QD_USAGE, "'t'");
    options.node = "n7";
    refuse_import(arena, &options, QD_USAGE, "'n7'");
    options =
        (struct qd_import_options){.model = model, .node = "n1", .feeds = feeds, .feed_count = 1};
    refuse_import(arena, &options, QD_INVALID, "float"); /* the model declares t as uint8 */
    options.node = "n0";
    options.feed_count = 2;
    feeds[0].name = "x";
    refuse_import(arena, &options, QD_INVALID, "float");
    feeds[0].path = in(arena, scratch, "absent.npy");
    refuse_import(arena, &options, QD_IO, "absent.npy");
    options.model = in(arena, scratch, "absent.onnx");
    refuse_import(arena, &options, QD_IO, "absent.onnx");
    options.model = scratch;
    refuse_import(arena, &options, QD_IO, "regular file");
    options.model = npy_path;
    refuse_import(arena, &options, QD_MALFORMED, "t.npy");
    options.model = write_file(arena, scratch, "empty.onnx", NOTHING);
    refuse_import(arena, &options, QD_INVALID, "empty");
    options.model =
        write_file(arena, scratch, "tiny.onnx", (struct bytes){(const uint8_t *)"\x08\x08", 2});
    refuse_import(arena, &options, QD_INVALID, "no graph");
    remove_scratch(scratch);
}

/* Feeds that nobody reads, names that several nodes have, functions, constants of other kinds. */
static void test_hand_made_models(void **state)
{
    struct qd_arena *a = *state;
    const char *scratch = make_scratch(a);
    struct bytes x =
        npy(a, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "\0\0\x80?", 4);
    const char *x_path = write_file(a, scratch, "x.npy", x);
    struct qd_import_feed feeds[2] = {{"x", x_path}, {"unread", x_path}};
    struct qd_import_options options = {
        .model = write_file(a, scratch, "m.onnx", identity_model(a, NOTHING, NOTHING, NOTHING)),
        .node = "the node",
        .feeds = feeds,
        .feed_count = 2};
    refuse_import(a, &options, QD_USAGE, "'unread'");
    options.feed_count = 1;
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_import(&options, a, &kase, &error), error);
    assert_string_equal(kase.id, "import/m/the_node");

    struct bytes twin = field_bytes(a, 1, field_text(a, 3, "the node"));
    options.model = write_file(a, scratch, "twins.onnx", identity_model(a, NOTHING, twin, NOTHING));
    refuse_import(a, &options, QD_USAGE, "2 nodes");
    struct bytes function = field_bytes(a, 25, field_text(a, 1, "Identity"));
    options.model =
        write_file(a, scratch, "function.onnx", identity_model(a, NOTHING, NOTHING, function));
    refuse_import(a, &options, QD_UNSUPPORTED, "function");
    struct bytes graph = join(a, field_text(a, 1, "body"),
                              join(a, field_bytes(a, 6, NOTHING), field_varint(a, 20, 5)));
    options.model = write_file(a, scratch, "sub.onnx",
                               identity_model(a, field_bytes(a, 5, graph), NOTHING, NOTHING));
    refuse_import(a, &options, QD_UNSUPPORTED, "subgraph");

    /* An operator that nobody knows keeps what the model declares. */
    options.model = write_file(a, scratch, "unknown.onnx",
                               identity_model(a, field_text(a, 4, "NoSuchOp"), NOTHING, NOTHING));
    assert_ok(qd_import(&options, a, &kase, &error), error);
    assert_string_equal(kase.op, "NoSuchOp");
    assert_int_equal(kase.graph->values[kase.graph->outputs[0]].declared_dtype, QD_F32);
    remove_scratch(scratch);
}

/* The node reads x and c; c is the attribute of a Constant node. */
static void test_constant_node(void **state)
{
    static const uint8_t tensor[] = {0x10, 1, 0x4a, 4, 0, 0, 0x80, 0x3f};
    struct qd_arena *a = *state;
    const char *scratch = make_scratch(a);
    struct bytes value = {tensor, sizeof tensor};
    struct bytes attribute = join(a, field_text(a, 1, "value"),
                                  join(a, field_bytes(a, 5, value), field_varint(a, 20, 4)));
    struct bytes node = join(a, join(a, field_text(a, 2, "c"), field_text(a, 4, "Constant")),
                             field_bytes(a, 5, attribute));
    struct bytes model = identity_model(a, field_text(a, 1, "c"), field_bytes(a, 1, node), NOTHING);
    struct bytes x =
        npy(a, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "\0\0\x80?", 4);
    struct qd_import_feed feed = {"x", write_file(a, scratch, "x.npy", x)};
    struct qd_import_options options = {.model = write_file(a, scratch, "m.onnx", model),
                                        .node = "the node",
                                        .feeds = &feed,
                                        .feed_count = 1};
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_import(&options, a, &kase, &error), error);
    assert_int_equal(kase.graph->node_count, 1);
    const struct qd_tensor *c = kase.graph->values[kase.graph->nodes[0].inputs[1]].initializer;
    assert_non_null(c);
    assert_true(qd_tensor_value(c, 0) == 1.0);
    remove_scratch(scratch);
}

/* An initializer "x" of float [1] whose four bytes are in another file. */
static struct bytes external_model(struct qd_arena *a, const char *location, const char *offset,
                                   const char *length)
{
    const char *const entries[3][2] = {
        {"location", location}, {"offset", offset}, {"length", length}};
    struct bytes tensor =
        join(a, join(a, field_varint(a, 1, 1), field_varint(a, 2, 1)), field_text(a, 8, "x"));
    tensor = join(a, tensor, field_varint(a, 14, 1));
    for (int i = 0; i < 3; i++)
        if (entries[i][1])
            tensor = join(a, tensor,
                          field_bytes(a, 13,
                                      join(a, field_text(a, 1, entries[i][0]),
                                           field_text(a, 2, entries[i][1]))));
    return identity_model(a, NOTHING, field_bytes(a, 5, tensor), NOTHING);
}

static void test_external_data(void **state)
{
    struct qd_arena *a = *state;
    const char *scratch = make_scratch(a);
    static const struct {
        const char *location, *offset, *length;
        enum qd_status want;
        const char *part;
    } rows[] = {
        {"/etc/passwd", "0", "4", QD_INVALID, "below the directory"},
        {"../weights", "0", "4", QD_INVALID, "below the directory"},
        {"a/../../weights", "0", "4", QD_INVALID, "below the directory"},
        {NULL, "0", "4", QD_INVALID, "without a location"},
        {"weights", "6", "4", QD_INVALID, "ends before"},
        {"weights", "0", "5", QD_INVALID, "length"},
        {"weights", "-1", "4", QD_INVALID, "offset"},
        {"weights", "99999999999999999999", "4", QD_INVALID, "offset"},
        {"weights", "9223372036854775807", "4", QD_INVALID, "offset"},
        {"absent", "0", "4", QD_IO, "absent"},
        {".", "0", "4", QD_INVALID, "not a regular file"},
    };
    write_file(a, scratch, "weights",
               (struct bytes){(const uint8_t *)"\xff\xff\0\0\x80?\xff\xff", 8});
    struct qd_import_options options = {.node = "the node"};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        options.model =
            write_file(a, scratch, "m.onnx",
                       external_model(a, rows[r].location, rows[r].offset, rows[r].length));
        refuse_import(a, &options, rows[r].want, rows[r].part);
    }
    options.model = write_file(a, scratch, "m.onnx", external_model(a, "weights", "2", NULL));
    struct qd_case kase;
    struct qd_error error;
    assert_ok(qd_import(&options, a, &kase, &error), error);
    assert_int_equal(kase.input_count, 0);
    assert_true(qd_tensor_value(kase.graph->values[0].initializer, 0) == 1.0);
    remove_scratch(scratch);
}

/* A second graph input "u" of float [dim]. */
static struct bytes input_of_dimension(struct qd_arena *a, int64_t dim)
{
    struct bytes shape = field_bytes(a, 1, field_varint(a, 1, (uint64_t)dim));
    struct bytes tensor = join(a, field_varint(a, 1, 1), field_bytes(a, 2, shape));
    struct bytes type = field_bytes(a, 2, field_bytes(a, 1, tensor));
    return identity_model(a, NOTHING, field_bytes(a, 11, join(a, field_text(a, 1, "u"), type)),
                          NOTHING);
}

/* Exporters write -1 for a dimension that is open: what is given fixes it. */
static void test_open_dimensions(void **state)
{
    struct qd_arena *a = *state;
    const char *scratch = make_scratch(a);
    struct bytes one =
        npy(a, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "\0\0\x80?", 4);
    struct qd_import_feed feeds[] = {{"x", write_file(a, scratch, "x.npy", one)},
                                     {"u", write_file(a, scratch, "u.npy", one)}};
    struct qd_import_options options = {.feeds = feeds, .feed_count = 2};
    struct qd_case kase;
    struct qd_error error;
    options.model = write_file(a, scratch, "open.onnx", input_of_dimension(a, -1));
    assert_ok(qd_import(&options, a, &kase, &error), error);
    assert_int_equal(kase.input_count, 2);
    assert_int_equal(kase.graph->values[kase.graph->inputs[1]].declared_dims[0], -1);
    assert_int_equal(kase.inputs[1].dims[0], 1);
    options.model = write_file(a, scratch, "negative.onnx", input_of_dimension(a, -2));
    refuse_import(a, &options, QD_INVALID, "a dimension of -2");
    remove_scratch(scratch);
}

/* A model cut short anywhere is refused, and never a crash. */
static void test_truncation(void **state)
{
    struct qd_case whole = chain(*state);
    const char *scratch = make_scratch(*state);
    struct qd_arena arena;
    struct bytes t =
        npy(*state, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 1, 1), }", "\1\2", 2);
    struct qd_import_feed feed = {"t", write_file(*state, scratch, "t.npy", t)};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t size = 0; size <= whole.model_size; size++) {
        struct qd_case kase;
        struct bytes bytes = {whole.model, size};
        struct qd_import_options options = {.model = write_file(&arena, scratch, "m.onnx", bytes),
                                            .node = "n1",
                                            .feeds = &feed,
                                            .feed_count = 1};
        assert_int_equal(qd_import(&options, &arena, &kase, NULL) == QD_OK,
                         size == whole.model_size);
        qd_arena_reset(&arena);
    }
    qd_arena_clear(&arena);
    remove_scratch(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_npy_version_3),
        cmocka_unit_test(test_npy_refused),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_whole_model),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_hand_made_models),
        cmocka_unit_test(test_constant_node),
        cmocka_unit_test(test_external_data),
        cmocka_unit_test(test_open_dimensions),
        cmocka_unit_test(test_truncation),
    };
    return cmocka_run_group_tests_name("cases/import", tests, arena_set_up, arena_tear_down);
}
