#include "cache.h"

#include <stdio.h>
#include <stdlib.h>

bool qd_cache_path(const char *name, char *path, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"QDIFF_CACHE", ""}, {"XDG_CACHE_HOME", "/qdiff"}, {"HOME", "/.cache/qdiff"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *root = getenv(places[i].variable);
        if (!root || !*root)
            continue;
        int length = snprintf(path, size, "%s%s/%s", root, places[i].below, name);
        return length > 0 && (size_t)length < size;
    }
    return false;
}
