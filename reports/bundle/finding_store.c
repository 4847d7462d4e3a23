/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the store of findings, and adds to a finding what this machine knows. */
#include "bundle/finding_store.h"

#include "result/machine.h"

enum qd_status qd_finding_store_open(struct qd_arena *arena, struct qd_store **store,
                                     struct qd_store **pool, struct qd_error *error)
{
    const char *directory;
    enum qd_status status = qd_store_directory(arena, &directory, error);

    if (status == QD_OK)
        status = qd_store_open(directory, store, error);
    if (status == QD_OK && (status = qd_store_open_pool(directory, pool, error)) != QD_OK)
        qd_store_close(*store);
    return status;
}

enum qd_status qd_finding_keep(const struct qd_case *kase, const char *signature, bool reduced,
                               const char *target, struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_machine machine = qd_machine_read(arena);
    struct qd_record record;
    struct qd_store *store, *pool;
    enum qd_status status = qd_record_make(kase, signature, target, arena, &record, error);

    if (status == QD_OK)
        status = qd_finding_store_open(arena, &store, &pool, error);
    if (status != QD_OK)
        return status;
    record.cpu = machine.cpu;
    record.flags = machine.flags;
    record.reduced = reduced;
    status = qd_store_add(store, &record, error);
    qd_store_close(store);
    qd_store_close(pool);
    return status;
}
