# SPDX-License-Identifier: Apache-2.0
"""What each file of a corpus is worth: the features that it reaches, as libFuzzer's merge writes them into its control file. They are
kept from one night to the next, so that only new files run; and which files reach all of them together is computed here."""

import gzip
import heapq


def load(path, made_by, names):
    """Name → features, as text, of those of `names` that the file at `path` has; none if another program made it or it is torn."""
    try:
        with gzip.open(path, "rt", encoding="ascii") as file:
            if file.readline().strip() != made_by:
                return {}
            rows = (line.rstrip("\n").partition(" ") for line in file)
            return {name: features for name, _, features in rows if name in names}
    except (OSError, EOFError, ValueError):
        return {}


def packed(made_by, known):
    """The bytes that load() reads."""
    rows = [made_by, *(f"{name} {features}" for name, features in sorted(known.items()))]
    return gzip.compress(("\n".join(rows) + "\n").encode(), 1, mtime=0)


def write_control(path, directory, sizes, known, unknown):
    """A control file with which a merge goes on after the files in `known` to those in `unknown`."""
    names = [*known, *unknown]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(names)}\n0\n" + "".join(f"{directory / name}\n" for name in names))
        for i, name in enumerate(known):
            file.write(f"STARTED {i} {sizes[name]}\nFT {i} {known[name]}\nCOV {i}\n")


def read_control(path):
    """Name → features of each file that the merge saw through. One that let its process die, or that was running when the merge was
    stopped, has no line COV."""
    seen, last = {}, (None, "")
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        count = int(lines[0])
        names = [line.rstrip("\n").rpartition("/")[2] for line in lines[2:count + 2]]
        for line in lines[count + 2:]:
            kind, number, *rest = line.rstrip("\n").split(" ", 2)
            if kind == "FT":
                last = number, "".join(rest)
            elif kind == "COV" and number == last[0] and line.endswith("\n"):
                seen[names[int(number)]] = last[1]
    except (OSError, ValueError, IndexError):
        pass  # what was written before is right
    return seen


def cover(known, sizes):
    """Names that reach together what all in `known` reach: the one that adds most first, of equals the smallest."""
    bits, reach = {}, {}
    for name, features in known.items():
        numbers = [bits.setdefault(feature, len(bits)) for feature in features.split()]
        mask = bytearray(len(bits) // 8 + 1)
        for number in numbers:
            mask[number >> 3] |= 1 << (number & 7)
        reach[name] = int.from_bytes(mask, "little")
    heap = [(-mask.bit_count(), sizes[name], name) for name, mask in reach.items()]
    heapq.heapify(heap)
    seen, kept = 0, set()
    while heap:
        _, size, name = heapq.heappop(heap)
        now = (-(reach[name] & ~seen).bit_count(), size, name)
        if heap and now > heap[0]:
            heapq.heappush(heap, now)
        elif now[0]:
            seen |= reach[name]
            kept.add(name)
    return kept
