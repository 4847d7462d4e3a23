/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff fuzz`: looks for new divergences with one fuzzing engine. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "qdiff/store.h"
#include "qdiff/warden.h"
#include "run/gate_targets.h"

#define MOST_WORDS 16 /* of an engine's command line */

/* Kernels and quantizers have no case in common. The corpus is a directory beside the store; the timeout is one
 * input's: a quantizer is given 30 seconds, and may have to be started first. */
struct role {
    const char *harness, *corpus, *timeout;
};

static const struct role kernels = {"fuzz_diff", "corpus", "-timeout=20"},
                         quantizers = {"fuzz_quantize", "corpus-quantize", "-timeout=120"};

/* What is run. */
struct plan {
    const struct role *role;
    bool afl;
    const char *preset, *harness, *mutator;
    const char *store, *corpus, *sync, *seconds;
};

/* "<the directory that this build lies in>/name"; the presets' builds are neighbours. */
static char *beside_build(struct qd_arena *arena, const char *name)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length < 0)
        return NULL;
    for (int up = 0; up < 3; up++) { /* the program, bin, the preset */
        while (length > 0 && program[--length] != '/') {
        }
    }
    return qd_arena_printf(arena, "%.*s/%s", (int)length, program, name);
}

/* --- The plan ----------------------------------------------------------------------------------- */

static enum qd_status find_role(const struct qd_command *command, struct plan *plan,
                                struct qd_error *error)
{
    const struct qd_session_options options = qd_session_options_of(&command->options);
    struct qd_target_name name;
    enum qd_status status =
        qd_target_name_parse(command->options.targets.items[0].text, &name, error);

    if (status == QD_OK)
        plan->role = qd_target_quantizes(&name, &options) ? &quantizers : &kernels;
    return status;
}

static enum qd_status find_engine(const char *engine, struct plan *plan, struct qd_error *error)
{
    plan->afl = engine && strcmp(engine, "afl") == 0;
    plan->preset = plan->afl ? "afl" : "libfuzzer-plain";
    if (engine && !plan->afl && strcmp(engine, "libfuzzer") != 0)
        return qd_fail(error, QD_USAGE, "--engine '%s': libfuzzer or afl is wanted", engine);
    if (plan->afl && plan->role == &quantizers) {
        return qd_fail(error, QD_USAGE,
                       "--engine afl: its mutator makes cases for kernels only, and a quantizer's "
                       "are not among them; --engine libfuzzer has both");
    }
    return QD_OK;
}

static enum qd_status find_programs(const struct qd_command *command, struct plan *plan,
                                    struct qd_error *error)
{
    struct qd_arena *arena = command->arena;
    char *name = qd_arena_printf(arena, "%s/bin/%s", plan->preset, plan->role->harness);

    plan->harness = name ? beside_build(arena, name) : NULL;
    plan->mutator = beside_build(arena, "release/plugins/qdiff_afl_mutator.so");
    if (!plan->harness || !plan->mutator)
        return qd_fail(error, QD_NO_MEMORY, "no memory for paths");
    if (access(plan->harness, X_OK) != 0) {
        return qd_fail(error, QD_INTERNAL,
                       "%s: %s; it is built by\n"
                       "  cmake --preset %s && cmake --build --preset %s --target %s qd_share",
                       plan->harness, strerror(errno), plan->preset, plan->preset,
                       plan->role->harness);
    }
    if (plan->afl && access(plan->mutator, R_OK) != 0) {
        return qd_fail(error, QD_INTERNAL,
                       "%s: %s; it is built by\n  cmake --preset release && cmake --build --preset "
                       "release --target qdiff_afl_mutator",
                       plan->mutator, strerror(errno));
    }
    return QD_OK;
}

static enum qd_status make_directory(const char *path, struct qd_error *error)
{
    if (!path)
        return qd_fail(error, QD_NO_MEMORY, "no memory for paths");
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    return QD_OK;
}

/* AFL++ starts from files that are not empty. */
static enum qd_status check_corpus(const char *path, struct qd_error *error)
{
    DIR *directory = opendir(path);
    bool found = false;

    if (!directory)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    struct dirent *entry;
    struct stat about;
    while (!found && (entry = readdir(directory)) != NULL) {
        found = fstatat(dirfd(directory), entry->d_name, &about, 0) == 0 &&
                S_ISREG(about.st_mode) && about.st_size > 0;
    }
    closedir(directory);
    return found ? QD_OK
                 : qd_fail(
                       error, QD_USAGE,
                       "%s has no file that AFL++ could start from; corpus/kernels of a build has "
                       "some, and libFuzzer needs none",
                       path);
}

/* The store and, unless one is given, the corpus that scripts/nightly has too. */
static enum qd_status find_places(const struct qd_command *command, struct plan *plan,
                                  struct qd_error *error)
{
    struct qd_arena *arena = command->arena;
    struct qd_store *store;
    enum qd_status status = qd_store_directory(arena, &plan->store, error);

    if (status != QD_OK || (status = qd_store_open(plan->store, &store, error)) != QD_OK)
        return status;
    qd_store_close(store);
    const char *fuzz;
    fuzz = qd_arena_printf(arena, "%s/../fuzz", plan->store);
    status = make_directory(fuzz, error);
    if (status != QD_OK)
        return status;
    plan->sync = qd_arena_printf(arena, "%s/afl-by-hand", fuzz);
    plan->corpus = command->options.arguments.count > 0
                       ? command->options.arguments.items[0]
                       : qd_arena_printf(arena, "%s/%s", fuzz, plan->role->corpus);
    plan->seconds =
        qd_arena_printf(arena, "%.0f", command->options.time > 1 ? command->options.time : 600);
    if (!plan->sync || !plan->seconds)
        return qd_fail(error, QD_NO_MEMORY, "no memory for paths");
    status = make_directory(plan->corpus, error);
    return status == QD_OK && plan->afl ? check_corpus(plan->corpus, error) : status;
}

/* --- Running ------------------------------------------------------------------------------------ */

static const char *known_divergences(const struct qd_options *options)
{
    const char *file = options->targets.items[0].expectations;

    if (options->no_expectations)
        return "none";
    return file ? file : options->targets.expectations;
}

static bool set_environment(const struct qd_options *options, const struct plan *plan)
{
    const char *known = known_divergences(options);

    return setenv("QDIFF_TARGET", options->targets.items[0].text, 1) == 0 &&
           setenv("QDIFF_STORE", plan->store, 1) == 0 &&
           (!known || setenv("QDIFF_EXPECTATIONS", known, 1) == 0) &&
           setenv("AFL_CUSTOM_MUTATOR_LIBRARY", plan->mutator, 1) == 0 &&
           setenv("AFL_CUSTOM_MUTATOR_ONLY", "1", 1) == 0 && setenv("AFL_AUTORESUME", "1", 1) == 0;
}

/* In the process that becomes the engine. */
static _Noreturn void become_engine(struct qd_command *command, const char **words,
                                    const sigset_t *before)
{
    char *argv[MOST_WORDS]; /* execvp takes no const */
    memcpy(argv, words, sizeof argv);
    sigprocmask(SIG_SETMASK, before, NULL);
    execvp(argv[0], argv);
    fprintf(command->err, "qdiff: %s: %s%s\n", words[0], strerror(errno),
            errno == ENOENT ? "; scripts/setup fuzz installs AFL++" : "");
    fflush(command->err);
    _exit(QD_EXIT_OWN_FAILURE);
}

/* Passes signals on to the engine until it has ended; its exit code. One that ends by a signal that did not come from
 * here has failed. */
static enum qd_exit await_engine(struct qd_command *command, struct qd_warden *warden,
                                 const sigset_t *signals)
{
    int number = 0;
    bool interrupted = false;
    while (!qd_warden_is_over(warden))
        if (sigwait(signals, &number) == 0 && number != SIGCHLD) {
            kill(warden->worker, number == SIGHUP ? SIGTERM : number);
            interrupted = true;
        }
    struct qd_warden_end end = qd_warden_await(warden, 0);
    if (WIFEXITED(end.status)) /* 1: an engine cannot read a file, or start the harness */
        return WEXITSTATUS(end.status) == 1 ? QD_EXIT_OWN_FAILURE
                                            : (enum qd_exit)WEXITSTATUS(end.status);
    if (interrupted)
        return QD_EXIT_INTERRUPTED;
    fprintf(command->err, "qdiff: the engine died by signal %d\n", WTERMSIG(end.status));
    return QD_EXIT_OWN_FAILURE;
}

/* The engine, with a warden: an engine that is killed leaves processes and, as AFL++ does, shared memory. */
static enum qd_exit run_engine(struct qd_command *command, const char **words)
{
    struct qd_error error = {.status = QD_OK};
    struct qd_warden warden;
    sigset_t signals, before;
    bool in_worker;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    enum qd_status status = qd_warden_start(&warden, &in_worker, &error);
    if (in_worker)
        become_engine(command, words, &before);
    if (status != QD_OK)
        return qd_command_failed(command, &error);
    return await_engine(command, &warden, &signals);
}

static enum qd_exit start(struct qd_command *command, const struct plan *plan)
{
    char *const *none = NULL;
    char *time_flag = qd_arena_printf(command->arena, "-max_total_time=%s", plan->seconds);
    const char *libfuzzer[MOST_WORDS] = {plan->harness,    time_flag,    plan->role->timeout,
                                         "-len_control=0", plan->corpus, (const char *)none};
    const char *afl[MOST_WORDS] = {
        "afl-fuzz", "-i",    plan->corpus, "-o",   plan->sync, "-V",          plan->seconds,
        "-t",       "20000", "-m",         "none", "--",       plan->harness, (const char *)none};
    const char **words = plan->afl ? afl : libfuzzer;

    if (!time_flag || !set_environment(&command->options, plan)) {
        fputs("qdiff: no memory for the environment\n", command->err);
        return QD_EXIT_OWN_FAILURE;
    }
    for (size_t i = 0; words[i]; i++)
        fprintf(command->out, "%s%s", i > 0 ? " " : "", words[i]);
    fputc('\n', command->out);
    fflush(command->out);
    return run_engine(command, words);
}

static enum qd_exit run(struct qd_command *command)
{
    struct plan plan = {0};
    struct qd_error error = {0};

    if (command->options.targets.count != 1) {
        fputs("qdiff fuzz: one --target is wanted\n", command->err);
        return QD_EXIT_USAGE;
    }
    if (find_role(command, &plan, &error) != QD_OK ||
        find_engine(command->options.engine, &plan, &error) != QD_OK ||
        find_programs(command, &plan, &error) != QD_OK ||
        find_places(command, &plan, &error) != QD_OK)
        return qd_command_failed(command, &error);
    return start(command, &plan);
}

const struct qd_verb qd_verb_fuzz = {
    .arguments = "[CORPUS]",
    .at_most = 1,
    .options = "target expectations no-expectations engine time",
    .text = "Runs one fuzzing engine on one target, from a clone in which the harness is\n"
            "built. The output on the screen is the engine's. The harness is fuzz_diff, or\n"
            "fuzz_quantize for a quantizer, which only libFuzzer can run.\n"
            "Exit codes are those of every verb, but a new finding is none; libFuzzer adds 77\n"
            "for an input that crashes the target, 70 for one that is slow and 71 for one that\n"
            "takes too much memory, and keeps it as crash-<sha1> and so on.\n"
            "New inputs go to CORPUS, by default the corpus of scripts/nightly for such\n"
            "targets; AFL++ needs a file there to start from.\n"
            "Findings go to the store (qdiff help findings). scripts/nightly runs a whole\n"
            "night.",
    .examples = "    qdiff fuzz --target ort@1.31.1 --time 10m\n"
                "    qdiff fuzz --target ort-quant@1.31.1 --time 10m\n"
                "    qdiff fuzz --target ort@1.26.0 --engine afl build/afl/corpus/kernels",
    .run = run,
};
