/* SPDX-License-Identifier: Apache-2.0 */
/* qdiff-serve: makes a plug-in, or a target that is built in, a worker that qdiff speaks to from elsewhere. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/host.h"
#include "process/loader.h"
#include "process/program.h"
#include "qdiff_version.h"

enum { EXIT_USAGE = 2, EXIT_FAILED = 3 };

static const char help[] =
    "usage: qdiff-serve [--memory-limit MIB] TARGET\n"
    "\n"
    "Loads a plug-in, ./libmine.so or './libmine.so[threads=2]', or a target that is built in,\n"
    "ort@1.31.1, and lets qdiff test it from another machine, an emulator or a container.\n"
    "It answers on standard output what comes on standard input: qdiff starts it, you do not.\n"
    "\n"
    "  qdiff run --target 'worker:qdiff-serve ./libmine.so'              on this machine\n"
    "  qdiff run --target 'worker:ssh board qdiff-serve ./libmine.so'    on another one\n"
    "  qdiff run --target 'worker:qemu-aarch64 -L /usr/aarch64-linux-gnu qdiff-serve "
    "./libmine.so'\n"
    "\n"
    "The target runs in a process of its own; what it prints to standard output is discarded.\n"
    "\n"
    "  --memory-limit MIB   address space for that process beyond its start (default 2048)\n"
    "  --version            the version\n"
    "\n"
    "exit: 0 qdiff was done, or the target died and that was reported, 2 usage, 3 no "
    "conversation\n";

static int complain(int code, const struct qd_error *error)
{
    fprintf(stderr, "qdiff-serve: %s\n", error->text);
    return code;
}

static enum qd_status read_megabytes(const char *text, uint64_t *bytes, struct qd_error *error)
{
    char *end;
    unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    if (value == 0 || *end || value > UINT64_C(1) << 30)
        return qd_fail(error, QD_USAGE, "--memory-limit: a number of MiB is wanted, not '%.50s'",
                       text ? text : "");
    *bytes = (uint64_t)value << 20;
    return QD_OK;
}

/* A path to a plug-in, or a built-in target that is functions. */
static enum qd_status read_target(const char *text, struct qd_target_name *name,
                                  struct qd_error *error)
{
    enum qd_status status = qd_target_name_parse(text, name, error);
    if (status == QD_OK)
        status = qd_target_name_check(name, error);
    if (status == QD_OK && qd_program_is_named(name))
        return qd_fail(error, QD_USAGE, "'%.200s' is a worker already: name it to qdiff --target",
                       text);
    return status;
}

/* The conversation's descriptors, out of reach of whatever reads standard input or prints. */
static enum qd_status take_streams(int *in, int *out, struct qd_error *error)
{
    if (isatty(0))
        return qd_fail(error, QD_IO,
                       "standard input is a terminal; qdiff starts this program, "
                       "for example: qdiff run --target 'worker:qdiff-serve ./libmine.so'");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    *in = fcntl(0, F_DUPFD_CLOEXEC, 3);
    *out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (null < 0 || *in < 0 || *out < 0 || dup2(null, 0) < 0 || dup2(2, 1) < 0)
        return qd_fail(error, QD_IO, "standard input, output and error have to be open");
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    return QD_OK;
}

int main(int argc, char **argv)
{
    uint64_t memory_limit = (uint64_t)2048 << 20;
    struct qd_target_name name;
    struct qd_error error = {.status = QD_OK};
    int in = -1, out = -1, at = 1;
    enum qd_status status = QD_OK;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return fputs(help, stdout) < 0;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("qdiff-serve %s (%s)\n", QD_VERSION, QD_COMMIT) < 0;
    if (argc > 1 && strcmp(argv[1], "--memory-limit") == 0) {
        status = read_megabytes(argc > 2 ? argv[2] : NULL, &memory_limit, &error);
        at = 3;
    }
    if (status == QD_OK && (argc != at + 1 || argv[at][0] == '-'))
        status = qd_fail(&error, QD_USAGE, "one target is wanted (try --help)");
    if (status == QD_OK)
        status = read_target(argv[at], &name, &error);
    if (status != QD_OK)
        return complain(EXIT_USAGE, &error);
    if (take_streams(&in, &out, &error) != QD_OK ||
        qd_host_serve(&name, in, out, memory_limit, &error) != QD_OK)
        return complain(EXIT_FAILED, &error);
    return 0;
}
