# SPDX-License-Identifier: Apache-2.0
"""usage: clusterfuzz_compare.py LOG...

ClusterFuzz's parser and comparer on what harnesses wrote: findings are similar if their DEDUP_TOKENs are equal, and only then.
scripts/prove-long clusterfuzz runs it in the environment of targets/clusterfuzz.
"""

import itertools
import re
import sys

from clusterfuzz import stacktraces
from clusterfuzz.stacktraces import crash_comparer


def main(paths):
    found = []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        token = re.search(r"^DEDUP_TOKEN: (.*)$", text, re.M)
        if token:
            found.append((token[1], stacktraces.StackParser().parse(text).crash_state))
    pairs = list(itertools.combinations(found, 2))
    wrong = [(a, b) for a, b in pairs if crash_comparer.CrashComparer(a[1], b[1]).is_similar() != (a[0] == b[0])]
    same = sum(a[0] == b[0] for a, b in pairs)
    print(f"note: {len(found)} findings, {same} pairs of the same signature, {len(pairs) - same} of others, {len(wrong)} wrong")
    for a, b in wrong:
        print(a, b)
    return 1 if wrong or same == 0 or same == len(pairs) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
