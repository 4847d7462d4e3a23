/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a harness (LLVMFuzzerTestOneInput) without a fuzzing engine: on files, and on mutants of them.
 *
 *   fuzz_codec FILE|DIR...                      each file once
 *   fuzz_codec --mutate N --seed S FILE|DIR...  then N mutants; mutant i depends on files, S and i alone
 *   fuzz_codec --first I --mutate 1 --seed S …  mutant I again
 *   fuzz_diff --repeat N FILE|DIR...            each file N times: executions per CPU-second
 *   fuzz_quirk --cases N --seed S [FILE|DIR...] N cases made by the mutation core, from the files or from nothing
 *   fuzz_diff --bench N --seed S [FILE|DIR...]  N valid cases of one operator made like that, each run ten times:
 *                                               executions per CPU-second without the making, and
 *                                               the median number of output elements
 *
 * Prints how many inputs ran, how many the harness accepted (answered 0, not -1), the slowest one and the peak memory.
 * An input that crashes or takes longer than --timeout seconds (default 10) is written to ./crash-<seed>-<index>. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "engine.h"
#include "qdiff/clock.h"
#include "qdiff/mutate.h"

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

#define MAX_FILE_BYTES ((size_t)1 << 20)

struct input {
    char *path;
    uint8_t *bytes;
    size_t size;
};

struct corpus {
    struct input *inputs;
    size_t count, capacity;
};

struct replay {
    struct corpus corpus;
    uint64_t seed, mutants, cases, bench, first, repeat;
    unsigned timeout;
    size_t ran, accepted;
    double slowest; /* seconds */
    char slowest_name[256];
};

/* What the signal handlers write: the input that runs now. */
static const uint8_t *current_bytes;
static size_t current_size;
static char current_file[64];
/* Whole seconds that it has run, and may run. A system call for each input would cost as much as a small case. */
static volatile sig_atomic_t current_ticks, most_ticks;

/* --- Inputs ----------------------------------------------------------------------------------- */

static bool add_file(struct corpus *corpus, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(MAX_FILE_BYTES);
    if (!file || !bytes) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        if (file)
            fclose(file);
        free(bytes);
        return false;
    }
    size_t size = fread(bytes, 1, MAX_FILE_BYTES, file);
    bool whole = fgetc(file) == EOF && !ferror(file);
    fclose(file);
    if (corpus->count == corpus->capacity) {
        size_t capacity = corpus->capacity ? 2 * corpus->capacity : 64;
        struct input *inputs = realloc(corpus->inputs, capacity * sizeof *inputs);
        if (!inputs)
            abort();
        corpus->inputs = inputs;
        corpus->capacity = capacity;
    }
    if (!whole) {
        fprintf(stderr, "%s: cannot be read, or is larger than %zu bytes\n", path, MAX_FILE_BYTES);
        free(bytes);
        return false;
    }
    uint8_t *exact = realloc(bytes, size ? size : 1);
    corpus->inputs[corpus->count++] = (struct input){strdup(path), exact ? exact : bytes, size};
    return true;
}

static bool add_path(struct corpus *corpus, const char *path);

static bool add_directory(struct corpus *corpus, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        char child[4096];
        if (good && entries[i]->d_name[0] != '.') {
            snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
            good = add_path(corpus, child);
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool add_path(struct corpus *corpus, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return add_directory(corpus, path);
    return add_file(corpus, path);
}

static void free_corpus(struct corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        free(corpus->inputs[i].path);
        free(corpus->inputs[i].bytes);
    }
    free(corpus->inputs);
}

/* --- Running ---------------------------------------------------------------------------------- */

/* The handlers make only calls that a signal handler may make. */
static bool put(int fd, const void *bytes, size_t size)
{
    return write(fd, bytes, size) == (ssize_t)size;
}

static void save_current(void)
{
    static const char note[] = "the input is in ";
    int fd = current_bytes ? open(current_file, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (fd < 0)
        return;
    if (put(fd, current_bytes, current_size) && put(2, note, sizeof note - 1) &&
        put(2, current_file, strlen(current_file)))
        put(2, "\n", 1);
    close(fd);
}

static void on_signal(int number)
{
    save_current();
    signal(number, SIG_DFL);
    raise(number);
}

static void on_tick(int number)
{
    if (current_bytes && ++current_ticks > most_ticks)
        on_signal(number);
}

static void watch(unsigned timeout)
{
    static const struct itimerval second = {{1, 0}, {1, 0}};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(save_current);
    else /* a sanitizer reports memory faults better, and then calls us */
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            signal(signals[i], on_signal);
    signal(SIGABRT, on_signal);
    most_ticks = (sig_atomic_t)timeout;
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &second, NULL);
}

/* Runs one input from a block of exactly its size, so that a sanitizer sees a read past its end. */
static void run_input(struct replay *replay, const uint8_t *bytes, size_t size, const char *name)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    if (size > 0)
        memcpy(copy, bytes, size);
    current_bytes = copy;
    current_size = size;
    current_ticks = 0;
    double start = qd_clock_seconds();
    replay->accepted += LLVMFuzzerTestOneInput(copy, size) == 0;
    double took = qd_clock_seconds() - start;
    current_bytes = NULL;
    free(copy);
    replay->ran++;
    if (took > replay->slowest) {
        replay->slowest = took;
        snprintf(replay->slowest_name, sizeof replay->slowest_name, "%s", name);
    }
}

static void run_files(struct replay *replay)
{
    for (size_t i = 0; i < replay->corpus.count; i++) {
        const struct input *input = &replay->corpus.inputs[i];
        snprintf(current_file, sizeof current_file, "crash-file-%zu", i);
        for (uint64_t n = 0; n < replay->repeat; n++)
            run_input(replay, input->bytes, input->size, input->path);
    }
}

static const struct input *pick(const struct replay *replay, struct qd_random *random)
{
    return &replay->corpus.inputs[qd_random_below(random, replay->corpus.count)];
}

/* The random state of mutant or case `index`. */
static struct qd_random random_of(const struct replay *replay, uint64_t index)
{
    struct qd_random random = {(replay->seed + 1) * 0x9e3779b97f4a7c15 ^
                               (index + 1) * 0xbf58476d1ce4e5b9};
    qd_random_next(&random);
    return random;
}

static void base_on(struct qd_mutant *mutant, const struct input *base)
{
    mutant->size = base->size;
    if (base->size > 0)
        memcpy(mutant->bytes, base->bytes, base->size);
}

/* One to eight changes; half of the mutants change fields, so that they get past the front door. */
static void make_mutant(const struct replay *replay, uint64_t index, struct qd_mutant *mutant)
{
    struct qd_random random = random_of(replay, index);
    base_on(mutant, pick(replay, &random));
    bool wire = qd_random_below(&random, 2) == 0;
    for (size_t changes = 1 + qd_random_below(&random, 8); changes > 0; changes--) {
        const struct input *other = pick(replay, &random);
        if (wire && qd_random_below(&random, 16) != 0)
            qd_mutate_wire(mutant, &random);
        else
            qd_mutate_bytes(mutant, other->bytes, other->size, &random);
    }
}

/* One to four steps of the mutation core, from a file or, without files, from nothing. */
static void make_case(const struct replay *replay, uint64_t index, struct qd_mutant *mutant)
{
    struct qd_random random = random_of(replay, index);
    mutant->size = 0;
    if (replay->corpus.count > 0)
        base_on(mutant, pick(replay, &random));
    for (size_t steps = 1 + qd_random_below(&random, 4); steps > 0; steps--)
        mutant->size = LLVMFuzzerCustomMutator(mutant->bytes, mutant->size, QD_FUZZ_MAX_BYTES,
                                               (unsigned)qd_random_next(&random));
}

typedef void maker(const struct replay *replay, uint64_t index, struct qd_mutant *mutant);

static void run_made(struct replay *replay, maker *make, uint64_t count, const char *word)
{
    struct qd_mutant mutant = {malloc(MAX_FILE_BYTES + 65536), 0, MAX_FILE_BYTES + 65536};
    if (!mutant.bytes)
        abort();
    for (uint64_t i = replay->first; i < replay->first + count; i++) {
        char name[64];
        make(replay, i, &mutant);
        snprintf(name, sizeof name, "%s %" PRIu64, word, i);
        snprintf(current_file, sizeof current_file, "crash-%" PRIu64 "-%" PRIu64, replay->seed, i);
        run_input(replay, mutant.bytes, mutant.size, name);
    }
    free(mutant.bytes);
}

/* --- Measuring -------------------------------------------------------------------------------- */

#define BENCH_ROUNDS 10

/* The elements of its outputs; −1 unless it is one operator that the reference has an answer to. */
static int64_t elements_of(const struct qd_mutant *mutant, struct qd_arena *arena)
{
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_error ignored;
    int64_t elements = 0;
    qd_arena_reset(arena);
    if (qd_case_decode(mutant->bytes, mutant->size, arena, &kase, &ignored) != QD_OK ||
        kase.graph->node_count != 1 || kase.graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS ||
        qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase.graph, kase.inputs, NULL, arena, values,
                                 &ignored) != QD_OK)
        return -1;
    for (size_t o = 0; o < kase.graph->output_count; o++)
        elements += values[o].want.count;
    return elements;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Makes the cases; elements[i] are those of case i. */
static void make_bench(struct replay *replay, struct corpus *made, int64_t *elements)
{
    struct qd_mutant mutant = {malloc(QD_FUZZ_MAX_BYTES), 0, QD_FUZZ_MAX_BYTES};
    struct qd_arena arena;
    if (!mutant.bytes)
        abort();
    qd_arena_init(&arena, QD_FUZZ_MEMORY);
    for (uint64_t i = replay->first; made->count < replay->bench; i++) {
        make_case(replay, i, &mutant);
        elements[made->count] = elements_of(&mutant, &arena);
        if (elements[made->count] < 0)
            continue;
        uint8_t *bytes = malloc(mutant.size);
        if (!bytes)
            abort();
        memcpy(bytes, mutant.bytes, mutant.size);
        made->inputs[made->count++] = (struct input){NULL, bytes, mutant.size};
    }
    qd_arena_clear(&arena);
    free(mutant.bytes);
}

static void run_bench(struct replay *replay)
{
    struct corpus made = {calloc(replay->bench, sizeof *made.inputs), 0, replay->bench};
    int64_t *elements = calloc(replay->bench, sizeof *elements);
    if (!made.inputs || !elements)
        abort();
    make_bench(replay, &made, elements);
    double best = INFINITY, all = 0;
    for (unsigned round = 0; round < BENCH_ROUNDS; round++) {
        double start = qd_clock_cpu_seconds();
        for (size_t i = 0; i < made.count; i++)
            run_input(replay, made.inputs[i].bytes, made.inputs[i].size, "made case");
        double took = qd_clock_cpu_seconds() - start;
        best = took < best ? took : best;
        all += took;
    }
    qsort(elements, made.count, sizeof *elements, ascending);
    printf("bench: %zu cases of one operator, %.0f executions per CPU-second, %.0f in the fastest "
           "round; "
           "output elements: median %" PRId64 ", quartiles %" PRId64 " and %" PRId64 "\n",
           made.count, (double)(BENCH_ROUNDS * made.count) / all, (double)made.count / best,
           elements[made.count / 2], elements[made.count / 4], elements[3 * made.count / 4]);
    free(elements);
    free_corpus(&made);
}

/* --- Command line ----------------------------------------------------------------------------- */

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--mutate N] [--cases N] [--bench N] [--repeat N] [--seed S] [--first I] "
            "[--timeout SECONDS] [FILE|DIR...]\n"
            "  %s corpus/\n"
            "  %s --mutate 1000000 --seed 1 corpus/\n"
            "  %s --cases 1000\n"
            "%s: %s.\n",
            program, program, program, program, program, qd_engine_harness.property);
    return 2;
}

static bool parse_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool parse_option(struct replay *replay, const char *name, const char *text)
{
    uint64_t number;
    if (!text || !parse_number(text, &number))
        return false;
    if (strcmp(name, "--mutate") == 0)
        replay->mutants = number;
    else if (strcmp(name, "--cases") == 0)
        replay->cases = number;
    else if (strcmp(name, "--bench") == 0 && number <= 1000000)
        replay->bench = number;
    else if (strcmp(name, "--repeat") == 0 && number > 0)
        replay->repeat = number;
    else if (strcmp(name, "--seed") == 0)
        replay->seed = number;
    else if (strcmp(name, "--first") == 0)
        replay->first = number;
    else if (strcmp(name, "--timeout") == 0 && number > 0 && number < 3600)
        replay->timeout = (unsigned)number;
    else
        return false;
    return true;
}

static void report(const struct replay *replay, double took)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(
        "%zu inputs (%zu files, %" PRIu64 " mutants, %" PRIu64 " cases) in %.1f s, %zu accepted\n",
        replay->ran, replay->corpus.count, replay->mutants, replay->cases, took, replay->accepted);
    printf("%.0f executions per CPU-second\n", (double)replay->ran / qd_clock_cpu_seconds());
    printf("slowest: %.3f ms (%s)\n", 1e3 * replay->slowest, replay->slowest_name);
    printf("peak memory: %.1f MiB\n", (double)usage.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
    struct replay replay = {.timeout = 10, .seed = 1, .repeat = 1};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
        if (!parse_option(&replay, argv[i], i + 1 < argc ? argv[i + 1] : NULL))
            return usage(argv[0]);
    bool good = i < argc || replay.cases + replay.bench > 0;
    if (!good)
        return usage(argv[0]);
    for (; good && i < argc; i++)
        good = add_path(&replay.corpus, argv[i]);
    bool nothing = replay.corpus.count + replay.cases + replay.bench == 0;
    if (good && nothing)
        fprintf(stderr, "%s: no input\n", argv[0]);
    if (!good || nothing) {
        free_corpus(&replay.corpus);
        return good ? 4 : 2;
    }
    watch(replay.timeout);
    double start = qd_clock_seconds();
    run_files(&replay);
    if (replay.mutants > 0 && replay.corpus.count > 0)
        run_made(&replay, make_mutant, replay.mutants, "mutant");
    if (replay.cases > 0)
        run_made(&replay, make_case, replay.cases, "case");
    if (replay.bench > 0)
        run_bench(&replay);
    report(&replay, qd_clock_seconds() - start);
    free_corpus(&replay.corpus);
    return 0;
}
