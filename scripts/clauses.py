# SPDX-License-Identifier: Apache-2.0
"""Looks up the clause of every operator's row on the operator's own page.

usage: clauses.py REFERENCE

REFERENCE is the folder reference/. A clause is "OPSET: words ... words". The pages are those of the onnx package and,
for vendor operators, of ONNX Runtime's own list of schemas: description, attributes, inputs and outputs, without
markup. The words have to stand there in this order, and in no newer version of the page that the reference knows. Lines
"OPSET<BEFORE: words" that follow are for models of opsets below BEFORE: whatever the opset of a model, the line for it stands on
the page for it.

exit: 0 every clause is a quotation, 1 not, or a row is not where ops.def says
"""

import os
import re
import sys

import onnx
import onnx.defs
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state

OLDEST = 10  # opset of a model
STRING = r'"(?:[^"\\]|\\.)*"'


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def text(row, field):
    """A field of a C row that is one or several string literals, or None."""
    found = re.search(rf"\.{field} =((?:\s*{STRING})+),\n", row)
    return found and re.sub(r"\\(.)", lambda c: {"n": "\n"}.get(c[1], c[1]), "".join(s[1:-1] for s in re.findall(STRING, found[1])))


def rows(reference):
    """The operators' C rows, one for each line of ops.def."""
    for name in re.findall(r"^QD_OP\((\w+)\)", read(reference, "include/qdiff/ops.def"), re.M):
        source = read(reference, "ops", name + ".c")
        found = re.search(rf"^const struct qd_op qd_op_{name} = {{\n.*?^}};", source, re.M | re.S)
        if not found:
            sys.exit(f"reference/ops/{name}.c: no 'const struct qd_op qd_op_{name} = {{', which ops.def names")
        yield found[0]


def plain(words):
    """Without markup and line breaks."""
    return " ".join(re.sub(r"\[([^\]]*)\]\(http[^)]*\)", r"\1", words).replace("`", "").split())


def pages():
    """{(domain, name): {first opset: the page}}, the vendor's only for what the onnx package has not."""
    all_pages = {}
    for schema in onnx.defs.get_all_schemas_with_history() + onnxruntime_pybind11_state.get_all_operator_schema():
        parts = [schema.attributes[key] for key in sorted(schema.attributes)] + [*schema.inputs, *schema.outputs]
        page = plain("\n".join([schema.doc or "", *(part.description or "" for part in parts)]))
        all_pages.setdefault((schema.domain, schema.name), {}).setdefault(schema.since_version, page)
    return all_pages


def quoted(clause, page):
    """Whether the page has the clause's words, whole ones, in their order."""
    at = 0
    for words in clause.split("..."):
        found = re.compile(rf"(?:\b|(?=\W)){re.escape(words.strip())}(?:\b|(?<=\W))").search(page, at)
        if not found:
            return False
        at = found.end()
    return True


def judge_line(stated, words, versions, before):
    """What is wrong with words for the opsets below `before`, or None."""
    if not stated.isdigit() or not all(part.strip() for part in words.split("...")):
        return f"{stated!r}, {words!r} is not 'OPSET: words'"
    if int(stated) not in versions:
        return f"opset {stated} has no page of its own, but {sorted(versions)}"
    if not quoted(words, versions[int(stated)]):
        return f"the page of opset {stated} does not say: {words}"
    later = [v for v, page in versions.items() if int(stated) < v < before and quoted(words, page)]
    return f"the page of opset {max(later)} says so too: {words}" if later else None


def judge(clause, versions, newest):
    """What is wrong with a clause, or None."""
    lines = []
    for line in (clause or "").split("\n"):
        place, _, words = line.partition(": ")
        stated, _, before = place.partition("<")
        lines.append((stated, words, int(before) if before.isdigit() else newest + 1))
        complaint = judge_line(*lines[-1][:2], versions, lines[-1][2])
        if complaint:
            return complaint
    oldest = max((v for v in versions if v <= OLDEST), default=0)
    for opset in sorted(v for v in versions if oldest <= v <= newest):
        words = [words for _, words, before in lines if opset < before][-1]
        if not quoted(words, versions[opset]):
            return f"the page of opset {opset} does not say: {words}"
    return None


def main(reference):
    newest = int(re.search(r"^#define QD_MAX_OPSET (\d+)$", read(reference, "include/qdiff/evaluate.h"), re.M)[1])
    known, wrong, count = pages(), 0, 0
    for row in rows(reference):
        count += 1
        domain, name = text(row, "domain"), text(row, "name")
        complaint = judge(text(row, "clause"), known.get((domain, name), {}), newest)
        if complaint:
            wrong += 1
            print(f"{domain}:{name}: {complaint}")
    print(f"note: onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}: {count} clauses looked up, {wrong} wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
