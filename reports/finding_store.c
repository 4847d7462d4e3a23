#include "finding_store.h"

#include <time.h>

#include "machine.h"
#include "qdiff_version.h"

enum qd_status qd_finding_store_open(struct qd_arena *arena, struct qd_store **store,
                                     struct qd_error *error)
{
    const char *directory;
    enum qd_status status = qd_store_directory(arena, &directory, error);

    return status == QD_OK ? qd_store_open(directory, store, error) : status;
}

enum qd_status qd_finding_keep(const struct qd_case *kase, const char *signature, bool reduced,
                               const char *target, struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_machine machine = qd_machine_read(arena);
    int64_t now = (int64_t)time(NULL);
    struct qd_record record = {.signature = signature,
                               .cpu = machine.cpu,
                               .flags = machine.flags,
                               .version = QD_VERSION,
                               .reduced = reduced,
                               .first = now,
                               .last = now,
                               .count = 1,
                               .sighting_count = 1,
                               .sightings = {{target, now, now, 1}}};
    struct qd_store *store;
    uint8_t *bytes;
    enum qd_status status = qd_case_encode(kase, arena, &bytes, &record.size, error);

    if (status == QD_OK) {
        status = qd_finding_store_open(arena, &store, error);
    }
    if (status != QD_OK) {
        return status;
    }
    record.bytes = bytes;
    status = qd_store_add(store, &record, error);
    qd_store_close(store);
    return status;
}
