/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_setaffinity, sched_getcpu */
#include "process/affinity.h"

#include <sched.h>
#include <string.h>

#define EXCHANGES_PER_CHOICE 256

_Static_assert(sizeof(cpu_set_t) == QD_AFFINITY_WORDS * sizeof(unsigned long),
               "affinity.h has no room for a cpu_set_t");

static void bind(pid_t pid, int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(pid, sizeof one, &one); /* where it is not allowed we are merely slower */
}

void qd_affinity_init(struct qd_affinity *affinity)
{
    *affinity = (struct qd_affinity){.worker_cpu = -1};
}

void qd_affinity_release(struct qd_affinity *affinity)
{
    if (affinity->bound)
        sched_setaffinity(0, sizeof affinity->allowed,
                          (const cpu_set_t *)(const void *)affinity->allowed);
    qd_affinity_init(affinity);
}

/* A thread that may use one CPU only is left as it is: its user, or another session, saw to that. */
static bool may_choose(struct qd_affinity *affinity)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
        return false;
    memcpy(affinity->allowed, &allowed, sizeof affinity->allowed);
    return true;
}

void qd_affinity_enter(struct qd_affinity *affinity, pid_t worker)
{
    if (affinity->calls % EXCHANGES_PER_CHOICE == 0 && affinity->bound) {
        /* Free during this exchange: the scheduler wakes us where it is quiet. */
        sched_setaffinity(0, sizeof affinity->allowed,
                          (const cpu_set_t *)(const void *)affinity->allowed);
    }
    int cpu = sched_getcpu();
    if (cpu >= 0 && cpu < CPU_SETSIZE && cpu != affinity->worker_cpu) {
        bind(worker, cpu);
        affinity->worker_cpu = cpu;
    }
}

void qd_affinity_leave(struct qd_affinity *affinity)
{
    if (affinity->calls++ % EXCHANGES_PER_CHOICE != 0)
        return;
    if (!affinity->bound)
        affinity->bound = may_choose(affinity);
    int cpu = sched_getcpu();
    if (affinity->bound && cpu >= 0 && cpu < CPU_SETSIZE)
        bind(0, cpu);
}
