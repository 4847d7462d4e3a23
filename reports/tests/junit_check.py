# SPDX-License-Identifier: Apache-2.0
"""Reads JUnit XML and compares it with what the schema of Jenkins' xUnit plugin (junit-10) allows for the elements that qdiff writes: their
places, the attributes they may have and those they must have. Prints tests, failures, errors and skipped tests of the whole file.

    junit_check.py FILE
"""
import sys
import xml.etree.ElementTree as tree

# element: (children, attributes that must be there, attributes that may be)
SCHEMA = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": ({"testsuite", "properties", "testcase", "system-out", "system-err"}, {"name", "tests", "failures", "errors"},
                  {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"}),
    "testcase": ({"skipped", "error", "failure", "system-out", "system-err"}, {"name"}, {"time", "classname", "group"}),
    "failure": (set(), set(), {"type", "message"}),
    "error": (set(), set(), {"type", "message"}),
    "skipped": (set(), set(), {"type", "message"}),
}


def check(element):
    children, must, may = SCHEMA[element.tag]
    have = set(element.attrib)
    assert must <= have, f"{element.tag} lacks {must - have}"
    assert have <= must | may, f"{element.tag} has {have - must - may}"
    for child in element:
        assert child.tag in children, f"{child.tag} in {element.tag}"
        check(child)


def count(element, tag):
    return sum(1 for test in element.iter("testcase") if test.find(tag) is not None)


def main():
    root = tree.parse(sys.argv[1]).getroot()
    assert root.tag == "testsuites"
    check(root)
    for element in [root, *root]:
        tests = len(list(element.iter("testcase")))
        counts = [("tests", tests)] + [(tag + suffix, count(element, tag)) for tag, suffix in (("failure", "s"), ("error", "s"))]
        if element.tag == "testsuite":
            counts.append(("skipped", count(element, "skipped")))
        for name, have in counts:
            assert int(element.attrib[name]) == have, f"{name} of {element.attrib['name']}: says {element.attrib[name]}, has {have}"
    print(len(list(root.iter("testcase"))), count(root, "failure"), count(root, "error"), count(root, "skipped"))


main()
