/* SPDX-License-Identifier: Apache-2.0 */
/* Reports replace reports of their kind, and nothing else. */
#include "text/overwrite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool qd_may_overwrite(const char *path, const char *first)
{
    char start[64] = "";
    size_t wanted = strlen(first) < sizeof start ? strlen(first) : sizeof start - 1;
    struct stat facts;

    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0)
        return true;
    FILE *file = fopen(path, "re");
    size_t size = !file ? 0 : fread(start, 1, wanted, file);

    if (file)
        fclose(file);
    return size == wanted && memcmp(start, first, size) == 0;
}
