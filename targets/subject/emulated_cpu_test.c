/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs as settings: their names, their rows, and what is said where one is not set up.
 * Alone: <build>/tests/targets/subject/emulated_cpu_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "qdiff/emulated_cpu.h"
#include "targets_testlib.h"

static struct qd_target_name named(const char *config)
{
    struct qd_target_name name = {.name = "ort"};
    snprintf(name.config, sizeof name.config, "%s", config);
    return name;
}

static void test_rows(void **state)
{
    (void)state;
    const struct qd_emulated_cpu *cpu;
    size_t count = 0;
    for (; (cpu = qd_emulated_cpu_at(count)); count++) {
        char settings[128];
        snprintf(settings, sizeof settings, "opt=all,cpu=%s", cpu->word);
        assert_ptr_equal(qd_emulated_cpu_of(settings), cpu);
        assert_true(cpu->model[0] && cpu->flags[0] && cpu->meaning[0]);
        assert_int_equal(strcmp(cpu->architecture, "aarch64") == 0, cpu->part[0] != '\0');
    }
    assert_true(count >= 5);
}

static void test_taken_out(void **state)
{
    (void)state;
    static const struct {
        const char *config, *rest;
    } rows[] = {{"cpu=haswell", ""},
                {"opt=all,cpu=haswell", "opt=all"},
                {"cpu=haswell,opt=all", "opt=all"},
                {"opt=all,cpu=haswell,threads=1", "opt=all,threads=1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct qd_target_name name = named(rows[i].config);
        const struct qd_emulated_cpu *cpu;
        assert_int_equal(qd_emulated_cpu_take(&name, &cpu, NULL), QD_OK);
        assert_non_null(cpu);
        assert_string_equal(cpu->model, "Haswell");
        assert_string_equal(name.config, rows[i].rest);
    }
}

static void test_none_and_unknown(void **state)
{
    (void)state;
    struct qd_error error = {.status = QD_OK};
    const struct qd_emulated_cpu *cpu;
    struct qd_target_name plain = named("opt=all,xcpu=haswell"), unknown = named("cpu=486");
    assert_int_equal(qd_emulated_cpu_take(&plain, &cpu, &error), QD_OK);
    assert_null(cpu);
    assert_string_equal(plain.config, "opt=all,xcpu=haswell");
    assert_int_equal(qd_emulated_cpu_take(&unknown, &cpu, &error), QD_USAGE);
    assert_non_null(strstr(error.text, "cpu=486: the CPUs are haswell, "));
    assert_null(qd_emulated_cpu_of("cpu=486"));
    assert_null(qd_emulated_cpu_of("opt=all"));
}

static void test_put(void **state)
{
    (void)state;
    struct qd_target_name name = named("opt=all"), full = named("");
    assert_int_equal(qd_emulated_cpu_put(&name, qd_emulated_cpu_of("cpu=nehalem"), NULL), QD_OK);
    assert_string_equal(name.config, "opt=all,cpu=nehalem");
    memset(full.config, 'x', sizeof full.config - 1);
    assert_int_equal(qd_emulated_cpu_put(&full, qd_emulated_cpu_of("cpu=nehalem"), NULL), QD_USAGE);
    assert_int_equal(strlen(full.config), sizeof full.config - 1);
}

/* The reference on another CPU, against the reference here: one open session and its name, or the way to set it up. */
static void test_opened(void **state)
{
    (void)state;
    const struct qd_session_options options = {.in_process = true};
    size_t opened = 0;
    if (QD_UNDER_ASAN) { /* its shadow memory has no place in the emulator's address space */
        print_message("# skipped: a sanitized qdiff-serve does not run under QEMU\n");
        return; /* cmocka's skip() is "not ok" in TAP */
    }
    for (size_t i = 0; qd_emulated_cpu_at(i); i++) {
        struct qd_target_name name;
        struct qd_session *session;
        struct qd_error error = {.status = QD_OK};
        char text[64], missing[128];
        snprintf(text, sizeof text, "reference[cpu=%s]", qd_emulated_cpu_at(i)->word);
        snprintf(missing, sizeof missing, "scripts/setup --target '%s'", text);
        assert_int_equal(qd_target_name_parse(text, &name, &error), QD_OK);
        if (qd_session_open(&name, &options, &session, &error) == QD_OK) {
            assert_string_equal(qd_session_id(session), text);
            qd_session_close(session);
            opened++;
        } else if (!strstr(error.text, missing)) {
            fail_msg("%s: %s", text, error.text);
        } else {
            print_message("# %s: skipped, %s\n", text, error.text);
        }
    }
    print_message("# %zu opened\n", opened);
}

/* What a command prints, "" if it cannot be run. */
static const char *output_of(const char *command, char *text, size_t size)
{
    FILE *pipe = popen(command, "r");
    size_t have = pipe ? fread(text, 1, size - 1, pipe) : 0;
    text[have] = '\0';
    if (pipe)
        pclose(pipe);
    return text;
}

static bool has_flag(const struct qd_emulated_cpu *cpu, const char *flag)
{
    char list[512], word[64];
    snprintf(list, sizeof list, " %s ", cpu->flags);
    snprintf(word, sizeof word, " %s ", flag);
    return strstr(list, word) != NULL;
}

/* The number after a word, in hexadecimal. */
static unsigned long number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    assert_non_null(at);
    return strtoul(at + strlen(word), NULL, 16);
}

/* What glibc's loader finds when it asks the emulated CPU. False: the emulator, or a loader for it, is not here. */
static bool flags_hold(const struct qd_emulated_cpu *cpu)
{
    static const struct {
        const char *flag;
        bool second;
        unsigned bit;
    } arm[] = {{"asimd", false, 1},    {"crc32", false, 7},    {"atomics", false, 8},
               {"asimdhp", false, 10}, {"asimddp", false, 20}, {"sve", false, 22},
               {"i8mm", true, 13},     {"bf16", true, 14}};
    char command[512], text[16384];
    bool is_x86 = strcmp(cpu->architecture, "x86_64") == 0;
    snprintf(command, sizeof command, "qemu-%s -cpu %s %s 2>/dev/null", cpu->architecture,
             cpu->model,
             is_x86 ? "/lib64/ld-linux-x86-64.so.2 --help"
                    : "-E LD_SHOW_AUXV=1 -L /usr/aarch64-linux-gnu "
                      "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 --version");
    if (!*output_of(command, text, sizeof text))
        return false;
    if (is_x86) {
        assert_non_null(strstr(text, "x86-64-v2 (supported"));
        assert_int_equal(has_flag(cpu, "avx2"), strstr(text, "x86-64-v3 (supported") != NULL);
        assert_int_equal(has_flag(cpu, "avx512f"), strstr(text, "x86-64-v4 (supported") != NULL);
        return true;
    }
    unsigned long first = number_after(text, "AT_HWCAP:"),
                  second = number_after(text, "AT_HWCAP2:");
    for (size_t i = 0; i < sizeof arm / sizeof *arm; i++)
        assert_int_equal(has_flag(cpu, arm[i].flag),
                         (arm[i].second ? second : first) >> arm[i].bit & 1);
    return true;
}

static void test_flags(void **state)
{
    (void)state;
    for (size_t i = 0; qd_emulated_cpu_at(i); i++)
        if (!flags_hold(qd_emulated_cpu_at(i)))
            print_message("# cpu=%s: skipped, qemu-%s or its loader is not here\n",
                          qd_emulated_cpu_at(i)->word, qd_emulated_cpu_at(i)->architecture);
}

static void test_nothing_is_there(void **state)
{
    (void)state;
    struct qd_target_name name;
    struct qd_session *session;
    struct qd_error error = {.status = QD_OK};
    const struct qd_session_options options = {.in_process = false};
    char *path = strdup(getenv("PATH"));
    assert_int_equal(qd_target_name_parse("ort@1.2.3[cpu=nehalem]", &name, &error), QD_OK);
    setenv("PATH", "/nowhere", 1);
    enum qd_status status = qd_session_open(&name, &options, &session, &error);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(status, QD_UNUSABLE);
    assert_non_null(strstr(error.text, "qemu-x86_64 is missing; this sets it up: scripts/setup "
                                       "--target 'ort@1.2.3[cpu=nehalem]'"));
}

/* The programs and data of this build, which the tests are not beside. */
static int find_share(void **state)
{
    (void)state;
    return setenv("QDIFF_SHARE", QD_TEST_CASES_DIR "/..", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_taken_out),
        cmocka_unit_test(test_none_and_unknown),
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_opened),
        cmocka_unit_test(test_nothing_is_there),
    };
    return cmocka_run_group_tests_name("emulated CPUs", tests, find_share, NULL);
}
