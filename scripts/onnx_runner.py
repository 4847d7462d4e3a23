# SPDX-License-Identifier: Apache-2.0
"""Runs the node/ part of a pack with the onnx package's own backend test runner on ONNX Runtime.

usage: onnx_runner.py PACK RESULTS

Only the folder that the runner reads is ours; loading, feeding and comparing are the onnx package's. RESULTS is what
qdiff found on the same pack and release (qdiff run --results): a test that fails has to be one whose case has an
expectation row there, or that the target does not declare, or whose type NumPy lacks.

exit: 0 every failure is explained, 1 not, 4 nothing passed
"""

import collections
import json
import os
import re
import sys
import unittest

import onnx.backend.test.loader as loader
import onnx.backend.test.runner as runner
import onnxruntime
import onnxruntime.backend.backend

# What the Python binding of ONNX Runtime says of types that NumPy has no own number for.
NO_NUMPY_TYPE = re.compile(r"Numpy_type \d+ can't be|No corresponding Numpy type|DESIRED: dtype\((float[48]|u?int[24])")


class Record(unittest.TestResult):
    """Keeps what became of each test, by its directory's name."""

    def __init__(self):
        super().__init__()
        self.failed, self.skipped_names, self.passed = {}, [], 0

    @staticmethod
    def name(test):
        return test.id().rsplit(".", 1)[1].removesuffix("_cpu")

    def addSuccess(self, test):
        self.passed += 1

    def addFailure(self, test, err):
        self.failed[self.name(test)] = " ".join(str(err[1]).split())

    addError = addFailure

    def addSkip(self, test, reason):
        self.skipped_names.append(self.name(test))


def run(pack, deadly):
    """Runs all tests but the deadly ones, which would end this process."""
    onnxruntime.set_default_logger_severity(4)
    runner.load_model_tests = lambda kind: loader.load_model_tests(pack, kind) if kind == "node" else []
    made = runner.Runner(onnxruntime.backend.backend.OnnxRuntimeBackend, __name__)
    record = Record()
    unittest.TestSuite(test for test in made.test_suite
                       if test.id().endswith("_cpu") and Record.name(test) not in deadly).run(record)
    return record


def ids(pack):
    with open(os.path.join(pack, "index.jsonl"), encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {r["path"].removeprefix("node/"): r["id"] for r in records if r["record"] == "case"}


def known(results):
    with open(results, encoding="utf-8") as lines:
        records = (json.loads(line) for line in lines)
        return {r["id"]: r for r in records if r["record"] == "result"}


def explain(result, why):
    if result["kind"] == "known":
        return f"expectation row {result['row']}"
    if result["kind"] == "skip":
        return "not declared by the target"
    return "a type that NumPy lacks" if NO_NUMPY_TYPE.search(why) else None


def main(pack, results):
    case_of, result_of = ids(pack), known(results)
    deadly = {name for name, case in case_of.items() if result_of[case].get("verdict") == "crash"}
    record = run(pack, deadly)
    print(f"onnx {runner.onnx.__version__}, onnxruntime {onnxruntime.__version__}: {record.passed} passed, "
          f"{len(record.failed)} failed, {len(record.skipped_names)} skipped; "
          f"{len(deadly)} not run: their expectation row says that they end the process")
    reasons, unexplained = collections.Counter(), 0
    for name, why in sorted(record.failed.items()):
        reason = explain(result_of[case_of[name]], why)
        reasons[reason] += 1
        if reason is None:
            unexplained += 1
            print(f"UNEXPLAINED {case_of[name]} ({name}): {why[:300]}")
    for reason, count in reasons.most_common():
        print(f"  {count} failed: {reason}")
    if record.passed == 0:
        return 4
    return 1 if unexplained or record.skipped_names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
