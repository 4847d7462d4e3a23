/* SPDX-License-Identifier: Apache-2.0 */
/* The command itself: its tables are complete, and it answers mistakes.
 * Alone: <build>/tests/reports/command/command_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/command.h"
#include "qdiff/features.h"
#include "result/result.h"
#include "text/capture_testlib.h"

/* Runs a command line of words separated by blanks; the texts are valid until the next call. */
static enum qd_exit run(const char *line, char out[static 20000], char err[static 20000])
{
    char words[512], program[] = "qdiff", *argv[32] = {program};
    int argc = 1;

    strcpy(words, line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    struct qd_capture captures[2];
    qd_capture_begin(&captures[0]);
    qd_capture_begin(&captures[1]);
    enum qd_exit code = qd_command_main(
        argc, argv, &(struct qd_console){.out = captures[0].out, .err = captures[1].out});
    snprintf(out, 20000, "%s", qd_capture_text(&captures[0]));
    snprintf(err, 20000, "%s", qd_capture_text(&captures[1]));
    qd_capture_end(&captures[0]);
    qd_capture_end(&captures[1]);
    return code;
}

static void every_verb_names_options_there_are(void **state)
{
    (void)state;
    for (size_t i = 0; qd_verb_at(i); i++) {
        const char *words = qd_verb_at(i)->verb->options;
        size_t named = 0, found = 0;

        for (const char *word = words; *word != '\0'; word += strspn(word, " ")) {
            named++;
            word += strcspn(word, " ");
        }
        for (size_t j = 0; qd_option_at(j); j++)
            found += qd_words_hold(words, qd_option_at(j)->name);
        if (named != found)
            fail_msg("%s: %zu options named, %zu of them exist", qd_verb_at(i)->name, named, found);
    }
}

static void every_option_has_a_verb(void **state)
{
    (void)state;
    for (size_t j = 0; qd_option_at(j); j++) {
        const char *name = qd_option_at(j)->name;
        bool taken = strcmp(name, "help") == 0;

        for (size_t i = 0; qd_verb_at(i); i++)
            taken = taken || qd_words_hold(qd_verb_at(i)->verb->options, name);
        if (!taken)
            fail_msg("no verb takes --%s", name);
    }
}

static void every_verb_has_help(void **state)
{
    char out[20000], err[20000], all[20000];

    (void)state;
    assert_int_equal(run("help", all, err), 0);
    for (size_t i = 0; qd_verb_at(i); i++) {
        char line[64], again[20000];

        snprintf(line, sizeof line, "help %s", qd_verb_at(i)->name);
        assert_int_equal(run(line, out, err), 0);
        assert_non_null(strstr(out, "examples:\n  "));
        assert_non_null(strstr(out, "  -h, --help"));
        snprintf(line, sizeof line, "%s --help", qd_verb_at(i)->name);
        assert_int_equal(run(line, again, err), 0);
        assert_string_equal(out, again);
        snprintf(line, sizeof line, "\n  %s ", qd_verb_at(i)->name);
        assert_non_null(strstr(all, line));
    }
}

static void every_feature_is_explained(void **state)
{
    char out[20000], err[20000];

    (void)state;
    assert_int_equal(run("help features", out, err), 0);
    for (int i = 0; i < QD_FEATURE_COUNT; i++) {
        char line[64];

        snprintf(line, sizeof line, "\n  %s ", qd_feature_word((enum qd_feature)i));
        assert_non_null(strstr(out, line));
    }
}

static void every_verdict_is_explained(void **state)
{
    char out[20000], err[20000], word[64];

    (void)state;
    assert_int_equal(run("help verdicts", out, err), 0);
    for (int i = 0; i < QD_VERDICT_COUNT; i++) {
        snprintf(word, sizeof word, "\n  %s ", qd_verdict_word((enum qd_verdict)i));
        char *first = strstr(out, word);
        assert_non_null(first);
        assert_null(strstr(first + 1, word));
    }
}

/* Written down by hand, after the table in reports/README.md. */
static void every_kind_names_its_exit_code(void **state)
{
    static const char *const rows[] = {
        "  pass               exit code 0: ", "  fail               exit code 1: ",
        "  known              exit code 0: ", "  fixed              exit code 1: ",
        "  advisory           exit code 0: ", "  skip               exit code 0: ",
        "  bad-input          exit code 2: ", "  broken             exit code 4: ",
    };
    char out[20000], err[20000];

    (void)state;
    assert_int_equal(sizeof rows / sizeof rows[0], QD_RESULT_COUNT);
    run("help verdicts", out, err);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strstr(out, rows[i]))
            fail_msg("want \"%s\" in: %s", rows[i], out);
}

static void every_topic_is_in_the_index(void **state)
{
    char index[20000], out[20000], err[20000], line[64];

    (void)state;
    run("help", index, err);
    for (size_t i = 0; qd_topic_at(i); i++) {
        snprintf(line, sizeof line, "\n  %s ", qd_topic_at(i)->name);
        assert_non_null(strstr(index, line));
        snprintf(line, sizeof line, "help %s", qd_topic_at(i)->name);
        assert_int_equal(run(line, out, err), 0);
    }
}

static void help_fits_a_terminal(void **state)
{
    char out[20000], err[20000];

    (void)state;
    for (size_t i = 0; qd_verb_at(i); i++) {
        char line[64];

        snprintf(line, sizeof line, "help %s", qd_verb_at(i)->name);
        run(line, out, err);
        for (char *text = strtok(out, "\n"); text; text = strtok(NULL, "\n"))
            if (strlen(text) > 100)
                fail_msg("%s: %s", line, text);
    }
}

/* {command line, exit code, what standard error names} */
static const struct {
    const char *line;
    int code;
    const char *err;
} mistakes[] = {
    {"", 2, "usage: qdiff VERB"},
    {"rnu", 2, "did you mean \"run\"?"},
    {"frobnicate", 2, "no verb \"frobnicate\""},
    {"help rnu", 2, "did you mean \"run\"?"},
    {"help verdict", 2, "did you mean \"verdicts\"?"},
    {"run --jobz 2", 2, "did you mean --jobs?"},
    {"run", 2, "no target was given"},
    {"run --target otr", 2, "did you mean \"ort\"?"},
    {"run --target ./no-such.so", 3, "no-such.so"},
    {"run --target reference --feature bais", 2, "did you mean \"bias\"?"},
    {"run --target reference --op QLinearAd", 2, "did you mean \"QLinearAdd\"?"},
    {"run --target reference --op com.microsoft:Conv", 2, "did you mean \"Conv\"?"},
    {"run --target reference --target reference --level smoke", 2, "given twice"},
    {"run --target reference --results /nowhere/r.jsonl --level smoke", 2, "/nowhere/r.jsonl"},
    {"run --target reference --expectations /nowhere/e.tsv", 2, "/nowhere/e.tsv"},
    {"run --target reference --cases /nowhere", 2, "/nowhere"},
    {"run --target reference /nowhere.qdcase", 2, "1 bad inputs"},
    {"repro", 2, "wants ID|FILE|DIR"},
    {"repro a b", 2, "one argument too many: \"b\""},
    {"show no/such/id", 2, "no/such/id"},
    {"export", 2, "--output DIR is wanted"},
    {"expectations", 2, "one of --write FILE, --check FILE and --audit FILE"},
    {"expectations --check /nowhere/e.tsv", 2, "/nowhere/e.tsv"},
    {"diff one", 2, "wants OLD NEW"},
    {"diff /nowhere/a /nowhere/b", 2, "/nowhere/a"},
    {"merge /nowhere/a", 2, "/nowhere/a"},
    {"bench --target reference --rounds 100000", 2, "--rounds of at most"},
    {"quantize /nowhere/m.onnx --target ort-quant", 2, "/nowhere/m.onnx"},
    {"quantize /etc/passwd", 2, "one --target is wanted"},
    {"quantize /etc/passwd --target reference", 2, "'reference' is no worker"},
    {"quantize /etc/passwd --target ort-quant --set bogus", 2, "--set bogus: no such setting"},
    {"quantize /etc/passwd --target ort-quant --set scheme=odd", 2, "--set scheme=odd"},
    {"quantize /etc/passwd --target ort-quant --range x=1", 2, "TENSOR=MIN,MAX is wanted"},
    {"quantize /etc/passwd --target ort-quant@0.1", 3, "scripts/setup --target ort-quant@0.1"},
    {"check-target ./mine.py", 2, "is a worker"},
    {"list --level smoky", 2, "smoke, full or exhaustive"},
    {"list /nowhere", 2, "/nowhere"},
};

static void mistakes_are_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char out[20000], err[20000];
        int code = run(mistakes[i].line, out, err);

        if (code != mistakes[i].code || !strstr(err, mistakes[i].err)) {
            fail_msg("qdiff %s: want %d, \"%s\"; have %d, \"%s\"", mistakes[i].line,
                     mistakes[i].code, mistakes[i].err, code, err);
        }
    }
}

static void unusable_targets_bail_out(void **state)
{
    char out[20000], err[20000];

    (void)state;
    assert_int_equal(run("run --target ./no-such.so", out, err), 3);
    assert_non_null(strstr(out, "\nBail out! "));
    /* prove must not take a run that never began for one that has nothing to do */
    assert_int_equal(run("run --target reference --expectations /nowhere.tsv", out, err), 2);
    assert_non_null(strstr(out, "\nBail out! "));
    assert_int_equal(run("check-target ./no-such.so", out, err), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verb_names_options_there_are),
        cmocka_unit_test(every_option_has_a_verb),
        cmocka_unit_test(every_verb_has_help),
        cmocka_unit_test(every_feature_is_explained),
        cmocka_unit_test(every_verdict_is_explained),
        cmocka_unit_test(every_kind_names_its_exit_code),
        cmocka_unit_test(every_topic_is_in_the_index),
        cmocka_unit_test(help_fits_a_terminal),
        cmocka_unit_test(mistakes_are_answered),
        cmocka_unit_test(unusable_targets_bail_out),
    };

    /* This program lies elsewhere than the command does. */
    setenv("QDIFF_SHARE", QD_TEST_CASES_DIR "/..", 1);
    return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
