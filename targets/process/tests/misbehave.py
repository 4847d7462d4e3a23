# SPDX-License-Identifier: Apache-2.0
"""A worker for tests: Identity, and on the side the one wrong deed that its setting `do=...` names."""

import os
import random
import signal
import struct
import threading
import time

from qdiff_worker import Capability, OutOfMemory, Rejected, Skip, Tensor, Unusable, Worker, serve

RAW = os.dup(1)  # the conversation itself, which serve() takes away from everybody else


def raw(data):
    os.write(RAW, data)


def frame(content):
    raw(b"QDW1" + struct.pack("<I", len(content)) + content)


def later(seconds, deed):
    thread = threading.Thread(target=lambda: (time.sleep(seconds), deed()), daemon=True)
    thread.start()


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def drip():
    raw(b"QDW1\x00\x00\x01\x00")
    for _ in range(1000):
        raw(b"x")
        time.sleep(0.02)


def flood():
    for _ in range(2000):
        print("bla " * 1000)
        os.write(2, b"blub " * 100)


def eat():
    hoard = []
    while True:
        hoard.append(bytearray(64 << 20))


def reject():
    raise Rejected("not today", "import")


CALLS = []


def complain():
    """At length, each time otherwise."""
    CALLS.append(None)
    os.write(2, b"call %d begins\n" % len(CALLS) + b"blub " * 200 + b"and call %d ends\n" % len(CALLS))
    reject()


def throw():
    raise ValueError("boom")


def no_memory():
    raise OutOfMemory("all gone")


def skip():
    raise Skip("known to be slow", "https://example.org/issues/1")


def skip_without_address():
    raise Skip("just so", "")


def unusable():
    raise Unusable("licence expired")


def wait():
    time.sleep(1000)


RUN = {
    "babble": flood,
    "eat": eat,
    "reject-run": reject,
    "complain": complain,
    "throw": throw,
    "no-memory": no_memory,
    "skip-without-address": skip_without_address,
    "unusable": unusable,
    "hang": wait,
    "drip": drip,
    "raw": lambda: raw(b"Hello world, loading the model\n"),
    "huge": lambda: raw(b"QDW1\xff\xff\xff\x3f"),
    "half": lambda: (raw(b"QDW1\x10\x00\x00\x00abc"), os._exit(0)),
    "garbage": lambda: frame(b"\x00\x01\x02\x03"),
    "empty": lambda: frame(b""),
    "two-kinds": lambda: frame(b"\x22\x00\x2a\x00"),
    "other-id": lambda: frame(b"\x08\xff\x7f\x22\x00"),
    "exit": lambda: os._exit(7),
    "segv": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": kill,
}
PREPARE = {"reject": reject, "skip": skip, "hang-load": wait, "unasked": lambda: later(0.5, lambda: raw(b"by the way"))}
ANSWER = {
    "type": lambda x: [Tensor(3, x.dims, x.data)],
    "unknown-type": lambda x: [Tensor(-77, x.dims, x.data)],
    "shape": lambda x: [Tensor(2, (x.dims[0] + 1,), bytes(x.data) + b"x")],
    "negative": lambda x: [Tensor(2, (-5,), b"")],
    "rank": lambda x: [Tensor(2, (1,) * 500, b"x")],
    "short": lambda x: [Tensor(2, x.dims, bytes(x.data)[1:])],
    "few": lambda x: [],
    "many": lambda x: [x, x],
    "no-array": lambda x: ["text"],
}


class Misbehave(Worker):
    name, version = "misbehave", "1"
    capabilities = [Capability("*")]

    def open(self, version, config):
        settings = dict(part.split("=", 1) for part in config.split(",") if part)
        self.what = settings.get("do", "nothing")
        self.runs, self.doom = 0, lambda: None
        if self.what == "refuse":
            raise Unusable("no such setting")
        if self.what == "crash-open":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.what == "die":
            self.die(int(settings["seed"]), settings["deaths"], int(settings["most"]))
        if self.what == "odd":
            self.capabilities = [Capability("*", needs="teleports")]
        self.random = random.Random(settings.get("seed"))

    def die(self, seed, deaths, most):
        """Kills this process at a random instant, and says so in a file; no more than `most` times. Every second one
        has answered a case before: a busy machine, on which many in a row die of age in their first call, is not at
        fault."""
        count = os.path.getsize(deaths)
        if count >= most:
            return
        wait = random.Random("%d %d" % (seed, count)).uniform(0, 0.03)

        def end():
            with open(deaths, "ab") as file:
                file.write(b"x")
            kill()

        if count % 2 == 0:
            later(wait, end)
        else:
            self.doom = lambda: later(wait, end)

    def prepare(self, model):
        PREPARE.get(self.what, int)()

    def run(self, prepared, inputs, wanted):
        self.runs += 1
        if self.runs == 2:
            self.doom()
        RUN.get(self.what, int)()
        x = inputs[0]
        if not isinstance(x, Tensor):
            x = Tensor.of(x)
        if self.what == "mutate":
            self.mutate(x)
        return ANSWER.get(self.what, lambda x: [x])(x)

    def mutate(self, x):
        """A reply with some bytes changed, in a right frame: what comes after it is the right reply, unasked."""
        content = bytearray(b"\x08\x03\x22" + bytes([len(x.encode()) + 2]) + b"\x0a" + bytes([len(x.encode())]) + x.encode())
        for _ in range(self.random.randint(1, 4)):
            content[self.random.randrange(len(content))] = self.random.randrange(256)
        frame(bytes(content[: self.random.randint(1, len(content))]))


serve(Misbehave)
