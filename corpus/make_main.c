/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the fuzzers' seeds: of the generated suites, small cases that together have every fact.
 *
 * usage: make_corpus DIR
 *
 * DIR/kernels/NNN-<family> are serialised cases of the smoke level, DIR/quantizers/NNN-<graph> of the full one. A fact
 * is a family, an operator of a node, for quantizers a word of the id (graph, ranges, options, opset), or a feature
 * with the principal operator. The case with most new facts for its bytes comes next; of equal ones the suite's
 * first. The same suite gives the same bytes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "qdiff/features.h"
#include "qdiff/quantizer_suite.h"

enum { MAX_CASES = 16384, MAX_FACTS = 128, MAX_SEEDS = 250, MAX_BYTES = 4096 };
enum { SLOTS = 1 << 16 }; /* of the set of facts, a power of two */
enum { ESSENTIAL = 64 };  /* what a family, operator or word counts; a feature counts 1 */

struct fact {
    uint64_t hash; /* of its text; 0 would be an empty slot */
    uint64_t weight;
};

struct candidate {
    const char *family;
    const uint8_t *bytes;
    size_t size, fact_count;
    const struct fact *facts;
};

struct role {
    struct qd_arena kept, scratch; /* scratch: of one case */
    struct qd_error error;
    enum qd_status status;
    size_t count;
    struct candidate candidates[MAX_CASES];
    uint64_t seen[SLOTS]; /* open addressing */
};

/* --- Facts ---------------------------------------------------------------------------------------- */

/* FNV-1a of the text after what `hash` stands for. */
static uint64_t extend(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

static void add_fact(struct candidate *made, struct fact *facts, const char *kind, const char *text,
                     size_t length, uint64_t weight)
{
    uint64_t hash = extend(extend(0xcbf29ce484222325u, kind, strlen(kind) + 1), text, length);
    for (size_t i = 0; i < made->fact_count; i++)
        if (facts[i].hash == hash)
            return;
    if (made->fact_count < MAX_FACTS)
        facts[made->fact_count++] = (struct fact){hash, weight};
}

/* The words of the id between its slashes; of a kernel's the first, its family. */
static void add_words(const struct qd_case *kase, struct candidate *made, struct fact *facts)
{
    static const char *const kinds[] = {"family", "graph", "ranges", "options", "opset"};
    const char *word = kase->id;
    size_t words = kase->request_size > 0 ? sizeof kinds / sizeof *kinds : 1;
    for (size_t i = 0; i < words; i++) {
        size_t length = strcspn(word, "/");
        add_fact(made, facts, kinds[i], word, length, ESSENTIAL);
        word += length + (word[length] == '/');
    }
}

static void add_operators(const struct qd_case *kase, struct candidate *made, struct fact *facts)
{
    for (size_t i = 0; i < kase->graph->node_count; i++) {
        const struct qd_node *node = &kase->graph->nodes[i];
        add_fact(made, facts, node->domain, node->op_type, strlen(node->op_type), ESSENTIAL);
    }
}

static void add_features(const struct qd_case *kase, struct candidate *made, struct fact *facts)
{
    struct qd_features features;
    qd_case_features(kase, &features);
    for (int f = 0; f < QD_FEATURE_COUNT; f++)
        if (qd_features_has(&features, (enum qd_feature)f)) {
            const char *word = qd_feature_word((enum qd_feature)f);
            add_fact(made, facts, kase->op, word, strlen(word), 1);
        }
}

/* --- The suites ------------------------------------------------------------------------------------ */

/* The part of the id that names a file: a kernel's family, a quantizer's graph. */
static const char *family_of(const struct qd_case *kase, struct qd_arena *arena)
{
    const char *from = kase->request_size > 0 ? strchr(kase->id, '/') + 1 : kase->id;
    return qd_arena_printf(arena, "%.*s", (int)strcspn(from, "/"), from);
}

static enum qd_status add_case(struct role *role, const struct qd_case *kase)
{
    struct candidate made = {.family = family_of(kase, &role->kept)};
    struct fact facts[MAX_FACTS] = {{0, 0}};
    uint8_t *bytes;
    qd_arena_reset(&role->scratch);
    enum qd_status status = qd_case_encode(kase, &role->scratch, &bytes, &made.size, &role->error);
    if (status != QD_OK || made.size > MAX_BYTES)
        return status;
    add_words(kase, &made, facts);
    add_operators(kase, &made, facts);
    add_features(kase, &made, facts);
    made.bytes = qd_arena_copy(&role->kept, bytes, made.size);
    made.facts = qd_arena_copy(&role->kept, facts, made.fact_count * sizeof *facts);
    if (!made.family || !made.bytes || !made.facts || role->count == MAX_CASES)
        return qd_fail(&role->error, QD_LIMIT, "%s: no room for more cases", kase->id);
    role->candidates[role->count++] = made;
    return QD_OK;
}

static enum qd_visit take_kernel(void *context, const struct qd_case *kase)
{
    struct role *role = context;
    role->status = kase->expect == QD_EXPECT_VALID ? add_case(role, kase) : QD_OK;
    return role->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit take_quantizer(void *context, const struct qd_quantizer_case *asked)
{
    struct role *role = context;
    role->status = add_case(role, &asked->kase);
    return role->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

/* --- Choosing -------------------------------------------------------------------------------------- */

/* Where the fact is, or the empty slot for it. */
static uint64_t *slot_of(struct role *role, uint64_t hash)
{
    size_t i = hash % SLOTS;
    while (role->seen[i] != 0 && role->seen[i] != hash)
        i = (i + 1) % SLOTS;
    return &role->seen[i];
}

static uint64_t gain_of(struct role *role, const struct candidate *candidate)
{
    uint64_t gain = 0;
    for (size_t i = 0; i < candidate->fact_count; i++)
        gain += *slot_of(role, candidate->facts[i].hash) == 0 ? candidate->facts[i].weight : 0;
    return gain;
}

/* The one with most new facts for its bytes; NULL: none has any. */
static const struct candidate *choose(struct role *role)
{
    const struct candidate *best = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < role->count; i++) {
        const struct candidate *candidate = &role->candidates[i];
        uint64_t gain = gain_of(role, candidate);
        if (gain > 0 && (!best || gain * best->size > most * candidate->size)) {
            best = candidate;
            most = gain;
        }
    }
    for (size_t i = 0; best && i < best->fact_count; i++)
        *slot_of(role, best->facts[i].hash) = best->facts[i].hash;
    return best;
}

static enum qd_status make_directory(const char *path, struct qd_error *error)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return QD_OK;
    return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
}

static enum qd_status write_seeds(struct role *role, const char *directory)
{
    enum qd_status status = make_directory(directory, &role->error);
    const struct candidate *seed;
    size_t count = 0, bytes = 0;
    while (status == QD_OK && count < MAX_SEEDS && (seed = choose(role)) != NULL) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%03zu-%s", directory, count++, seed->family);
        status = qd_file_write(path, seed->bytes, seed->size, &role->error);
        bytes += seed->size;
    }
    if (status == QD_OK)
        printf("%s: %zu seeds, %zu bytes, of %zu cases\n", directory, count, bytes, role->count);
    return status;
}

/* --- Both roles ------------------------------------------------------------------------------------ */

static enum qd_status visit_kernels(struct role *role)
{
    const struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    return qd_suite_visit(&options, take_kernel, role, &role->error);
}

static enum qd_status visit_quantizers(struct role *role)
{
    return qd_quantizer_suite_visit(QD_LEVEL_FULL, take_quantizer, role, &role->error);
}

static int make(const char *directory, const char *name, enum qd_status visit(struct role *))
{
    static struct role role;
    char path[2048];
    memset(&role, 0, sizeof role);
    qd_arena_init(&role.kept, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&role.scratch, QD_ARENA_DEFAULT_BUDGET);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    enum qd_status status = visit(&role);
    status = role.status == QD_OK ? status : role.status;
    if (status == QD_OK)
        status = write_seeds(&role, path);
    if (status != QD_OK)
        fprintf(stderr, "make_corpus: %s\n", role.error.text);
    qd_arena_clear(&role.kept);
    qd_arena_clear(&role.scratch);
    return status == QD_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct qd_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIR\n", argv[0]);
        return 2;
    }
    if (make_directory(argv[1], &error) != QD_OK) {
        fprintf(stderr, "make_corpus: %s\n", error.text);
        return 1;
    }
    int kernels = make(argv[1], "kernels", visit_kernels);
    return kernels != 0 ? kernels : make(argv[1], "quantizers", visit_quantizers);
}
