/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for tests that copies input 0 to output 0, and on the side does the one wrong thing that its setting
 * `do=…` names. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "qdiff/target.h"

struct misbehave {
    char what[32];
    unsigned cases, runs;
};

static int is(const struct misbehave *m, const char *what)
{
    return strcmp(m->what, what) == 0;
}

static void crash(void)
{
    raise(SIGSEGV);
}

/* Deeper than any stack. The condition keeps compilers from proving it. */
static int overflow_stack(int level)
{
    volatile char frame[4096];
    frame[0] = (char)level;
    return level < 1 << 30 ? overflow_stack(level + 1) + frame[0] : 0;
}

static void hang(void)
{
    for (;;)
        pause();
}

/* Touches what it takes; ends as programs end that do not check malloc. */
static void eat_memory(void)
{
    for (;;) {
        char *bytes = malloc((size_t)8 << 20);
        if (!bytes)
            abort();
        memset(bytes, 1, (size_t)8 << 20);
    }
}

static void babble(void)
{
    for (int i = 0; i < 20000; i++) {
        printf("ok %d - not for you\n", i);
        fprintf(stderr, "bla bla bla bla %d\n", i);
    }
    fflush(stdout);
}

/* Leaves a process that has nothing to do with this one any more. It holds the lock on the file that a test names. */
static void leave_process(void)
{
    const char *name = getenv("QDIFF_TEST_LEFT");
    int file = name ? open(name, O_RDONLY) : -1;
    if (name && (file < 0 || flock(file, LOCK_SH) != 0))
        abort();
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            hang();
        _exit(0);
    }
}

/* Larger and larger, with nothing in it. */
static void grow_file(void)
{
    int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    for (int i = 20; i < 50; i++)
        if (pwrite(file, "x", 1, (off_t)1 << i) != 1)
            return;
}

/* What has to do with other processes. */
static void disturb(const struct misbehave *m)
{
    if (strncmp(m->what, "leave", 5) == 0 && m->cases == 1)
        leave_process();
    if (is(m, "leave-and-crash"))
        crash();
    if (is(m, "leave-and-hang"))
        hang();
    if (is(m, "kill-parent") || is(m, "leave-and-kill-parent")) {
        kill(getppid(), SIGKILL);
        hang();
    }
    if (is(m, "stop-parent"))
        kill(getppid(), SIGSTOP);
    if (is(m, "write-channel") && write(3, "a", 1) != 1)
        abort();
    if (is(m, "grow-file"))
        grow_file();
}

/* A cause in the first line and one in the last. */
static void panic(void)
{
    fputs("panicked at the first line\n", stderr);
    for (int i = 0; i < 1000; i++) /* less than a pipe holds: what is more gets lost */
        fprintf(stderr, "bla bla bla bla %d\n", i);
    fputs("the last line says why\n", stderr);
    abort();
}

static enum qd_target_status open_target(const char *version, const char *config, void **target,
                                         struct qd_target_message *message)
{
    (void)version;
    if (strncmp(config, "do=", 3) != 0) {
        snprintf(message->text, sizeof message->text, "unknown setting '%.50s': there is do=<what>",
                 config);
        return QD_TARGET_UNUSABLE;
    }
    struct misbehave *m = calloc(1, sizeof *m);
    if (!m)
        return QD_TARGET_NO_MEMORY;
    snprintf(m->what, sizeof m->what, "%s", config + 3);
    if (is(m, "crash-open"))
        crash();
    if (is(m, "hang-open"))
        hang();
    *target = m;
    return QD_TARGET_OK;
}

static enum qd_target_status describe(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message)
{
    static const struct qd_target_capability any[] = {{"*", NULL, NULL, NULL}};
    static const struct qd_target_capability odd[] = {{"*", "teleports", NULL, NULL}};
    static const struct qd_target_capability one[] = {{"Identity", NULL, NULL, NULL}};
    struct misbehave *m = target;
    (void)message;
    if (is(m, "crash-describe"))
        crash();
    *info = (struct qd_target_info){"misbehave", "1", m->what, 1,
                                    is(m, "odd-feature")    ? odd
                                    : is(m, "one-operator") ? one
                                                            : any};
    if (is(m, "many-capabilities"))
        info->capability_count = 1000000000;
    if (is(m, "null-capabilities"))
        info->capabilities = NULL;
    if (is(m, "null-name"))
        info->name = NULL;
    return QD_TARGET_OK;
}

/* Takes the const away, as a careless plug-in would. */
static void modify(const void *model, size_t size)
{
    char *bytes;
    memcpy(&bytes, &model, sizeof bytes);
    bytes[size - 1] ^= 1;
}

static enum qd_target_status prepare(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message)
{
    struct misbehave *m = target;
    m->cases++;
    m->runs = 0;
    if (is(m, "crash-prepare"))
        crash();
    if (is(m, "reject-prepare")) {
        snprintf(message->text, sizeof message->text, "not today");
        return QD_TARGET_REJECTED;
    }
    if (is(m, "modify-model") && model_size > 0)
        modify(model, model_size);
    *prepared = m;
    return QD_TARGET_OK;
}

static void leak(void)
{
    volatile char *lost = malloc((size_t)1 << 20); /* never freed: that is the point */
    for (size_t i = 0; lost && i < (size_t)1 << 20; i += 4096)
        lost[i] = 1;
} /* NOLINT(clang-analyzer-unix.Malloc) */

/* What has nothing to do with tensors. */
static enum qd_target_status misbehave(struct misbehave *m, struct qd_target_message *message)
{
    if (is(m, "crash") || (is(m, "crash-second-run") && m->runs == 2) ||
        (is(m, "crash-third-case") && m->cases == 3))
        crash();
    if (is(m, "abort")) {
        fprintf(stderr, "terminate called: the sky fell\n");
        abort();
    }
    if (is(m, "abort-behind-child")) {
        if (fork() == 0)
            for (;;)
                pause();
        abort();
    }
    if (is(m, "overflow-stack") && overflow_stack(0) == 1)
        return QD_TARGET_REJECTED;
    if (is(m, "exit"))
        exit(0);
    if (is(m, "hang"))
        hang();
    if (is(m, "eat-memory"))
        eat_memory();
    if (is(m, "leak"))
        leak();
    if (is(m, "babble"))
        babble();
    if (is(m, "panic"))
        panic();
    if (is(m, "close-descriptors"))
        for (int fd = 0; fd < 64; fd++)
            close(fd);
    if (is(m, "close-descriptors"))
        hang();
    disturb(m);
    if (is(m, "status-17"))
        return (enum qd_target_status)17;
    if (is(m, "no-memory"))
        return QD_TARGET_NO_MEMORY;
    if (is(m, "unusable")) {
        snprintf(message->text, sizeof message->text, "licence expired");
        return QD_TARGET_UNUSABLE;
    }
    if (is(m, "endless-message")) {
        memset(message->text, '\xff', sizeof message->text);
        return QD_TARGET_REJECTED;
    }
    return QD_TARGET_OK;
}

static void lie(const struct misbehave *m, struct qd_target_tensor *out)
{
    if (is(m, "lie-type"))
        out->data_type = 3;
    if (is(m, "lie-unknown-type"))
        out->data_type = -77;
    if (is(m, "lie-shape"))
        out->dims[0]++;
    if (is(m, "lie-negative"))
        out->dims[0] = -5;
    if (is(m, "lie-rank"))
        out->rank = 4000000000U;
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    struct misbehave *m = target;
    (void)prepared;
    m->runs++;
    enum qd_target_status status = misbehave(m, message);
    if (status != QD_TARGET_OK || input_count < 1 || output_count < 1)
        return status;
    unsigned char *from = inputs[0].data, *to = outputs[0].data;
    size_t size = outputs[0].size < inputs[0].size ? outputs[0].size : inputs[0].size;
    if (is(m, "unwritten-all"))
        return QD_TARGET_OK;
    memcpy(to, from, size);
    if (size == 0)
        return QD_TARGET_OK;
    if (is(m, "unwritten-last"))
        to[size - 1] = m->runs == 1 ? 0xA5 : 0x5A; /* as if it had not been touched */
    if (is(m, "dirty-padding"))
        to[size - 1] = (unsigned char)((to[size - 1] & 0x0F) | (m->runs << 4));
    if (is(m, "write-after"))
        to[size] = 0;
    if (is(m, "write-before"))
        to[-1] = 0;
    if (is(m, "write-far"))
        ((volatile unsigned char *)to)[(size_t)1 << 45] = 0;
    if (is(m, "modify-input"))
        from[size - 1] ^= 1;
    if (is(m, "nondeterministic"))
        to[size - 1] = (unsigned char)m->runs;
    if (is(m, "one-buffer") && input_count > 1 && inputs[1].data == from)
        to[size - 1] ^= 1;
    if (is(m, "crash-later") && m->cases > 1)
        crash();
    if (is(m, "wrong-later") && m->cases > 1)
        to[size - 1] ^= 1;
    lie(m, &outputs[0]);
    return QD_TARGET_OK;
}

static void release(void *target, void *prepared)
{
    (void)prepared;
    if (is(target, "crash-release"))
        crash();
}

static void close_target(void *target)
{
    if (is(target, "hang-close"))
        hang();
    if (is(target, "crash-close"))
        crash();
    free(target);
}

const struct qd_target *qd_target_entry(void)
{
    static const struct qd_target table = {QD_TARGET_ABI, open_target, describe,    prepare,
                                           run,           release,     close_target};
    return &table;
}
