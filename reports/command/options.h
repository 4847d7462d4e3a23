/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, taken apart by tables. */
#ifndef QDIFF_REPORTS_OPTIONS_H
#define QDIFF_REPORTS_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/arena.h"
#include "qdiff/status.h"
#include "qdiff/suite.h"

struct qd_words {
    size_t count;
    const char **items;
};

struct qd_wanted_target {
    const char *text;         /* as given */
    const char *expectations; /* file, NULL if none was given for it */
};

struct qd_wanted_targets {
    size_t count;
    struct qd_wanted_target *items;
    const char *expectations; /* --expectations before any --target, or NULL */
};

struct qd_shard {
    uint64_t index, count; /* index from 0; count 0: not sharded */
};

/* All strings are borrowed from argv. What was not given is NULL, 0 or false; `level` is then FULL. */
struct qd_options {
    struct qd_wanted_targets targets;
    struct qd_words filters, ops, features, tags, inputs, shapes, ranges, settings;
    bool no_expectations, fail_fast, in_process, progress, count, json, suite, bundle, rank, help,
        no_diagnosis, strict, store, end_to_end, factors, contract;
    enum qd_level level;
    bool level_given;
    struct qd_shard shard;
    uint64_t jobs, memory_limit, rounds, seed, work;
    double time_limit, diagnosis_time, time;
    const char *results, *output, *cases, *pack, *markdown, *node, *id, *write, *check, *audit,
        *junit, *badge, *kills, *nights;
    const char *element, *output_name, *engine, *values_from;
    struct qd_words arguments; /* what is no option, in order */
};

/* Parses argv[0..argc) of a verb that takes the options named in `allowed` (separated by blanks; "help" always).
 * Everything after "--" is an argument. USAGE names the option and, if there is a near one, what was meant.
 * Lists live in the arena. */
enum qd_status qd_options_parse(const char *allowed, int argc, char *const *argv,
                                struct qd_arena *arena, struct qd_options *options,
                                struct qd_error *error);

/* Row i of options.def, NULL past its end: for help texts. */
struct qd_option_row {
    const char *name;
    char letter;          /* 0 if none */
    const char *argument; /* NULL if it takes none */
    int kind;
    size_t offset;
    const char *meaning;
};
const struct qd_option_row *qd_option_at(size_t i);

/* Whether a blank-separated list holds the word. */
bool qd_words_hold(const char *words, const char *word);

#endif
