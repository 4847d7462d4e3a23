# SPDX-License-Identifier: Apache-2.0
"""The worker's side of the conversation."""

import os
import sys
import traceback

from . import wire
from .protocol import (
    ERROR, PROTOCOL, REPLIES, REQUESTS, SKIP,
    Answer, Options, OutOfMemory, Quantized, Rejected, Skip, Tensor, Unusable,
)

MAGIC = b"QDW1"
LARGEST = 1 << 30


class QuantizeRequest:
    """model: bytes; ranges: {tensor: (min, max)}; calibration: [[Tensor, ...], ...]; options: Options."""

    def __init__(self, model=b"", ranges=None, calibration=(), options=None):
        self.model, self.ranges, self.calibration = model, ranges or {}, calibration
        self.options = options or Options()

    @classmethod
    def decode(cls, message):
        request = cls(calibration=[])
        for number, value in wire.fields(message):
            if number == 1:
                request.model = bytes(value)
            elif number == 2:
                fields = dict(wire.fields(value))
                name = str(fields.get(1, b""), "utf-8")
                request.ranges[name] = tuple(wire.as_float(fields.get(n, 0)) for n in (2, 3))
            elif number == 3:
                request.calibration.append([Tensor.decode(one) for _, one in wire.fields(value)])
            elif number == 4:
                request.options = Options.decode(value)
        return request


class Worker:
    """What a target defines. Raise Rejected with the target's words, Skip with an issue's address, Unusable.

    Any other exception counts as Rejected, with its text; MemoryError as OutOfMemory.
    """

    name = ""
    version = ""
    settings = ""
    capabilities = ()  # Capability, for the kernel role
    quantizes = ()  # words of Options, for the quantizer role

    def open(self, version, config):
        """Once, before anything else. `config` is the text in brackets: parse_config(config, ...) takes it apart."""
        if config:
            raise Unusable("this target has no settings")

    def prepare(self, model):
        """Loads a serialised onnx.ModelProto; what it returns is given to run."""
        raise Rejected("this target runs no models")

    def run(self, prepared, inputs, wanted):
        """Inputs are NumPy arrays (Tensor.array) in the graph's order; returns one array or Tensor a graph output.

        `wanted` are Tensors without data: what the reference expects of the outputs.
        """
        raise NotImplementedError

    def release(self, prepared):
        pass

    def quantize(self, request):
        """A QuantizeRequest; returns Quantized."""
        raise Rejected("this target is no quantizer")


def parse_config(config, **defaults):
    """{"key": "value"} of "key=value,key=value", where `defaults` gives each key a tuple of values, default first."""
    values = {key: allowed[0] for key, allowed in defaults.items()}
    for part in filter(None, config.split(",")):
        key, equals, value = part.partition("=")
        if key not in defaults or not equals:
            raise Unusable("no setting '%s'; there are: %s" % (key, ", ".join(defaults) or "none"))
        if value not in defaults[key]:
            raise Unusable("%s=%s: it is one of %s" % (key, value, ", ".join(defaults[key])))
        values[key] = value
    return values


class _Stderr:
    """Text to descriptor 2, lost rather than an exception when nobody takes it."""

    encoding = "utf-8"

    def write(self, text):
        try:
            os.write(2, text.encode("utf-8", "replace"))
        except OSError:
            pass
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False

    def fileno(self):
        return 2


class _Server:
    def __init__(self, worker):
        self.worker, self.models = worker, {}

    def hello(self, message):
        fields = dict(wire.fields(message))
        if fields.get(1) != PROTOCOL:
            raise Unusable("this worker speaks protocol %d" % PROTOCOL)
        worker = self.worker
        worker.open(str(fields.get(2, b""), "utf-8"), str(fields.get(3, b""), "utf-8"))
        out = []
        wire.put_text(out, 1, worker.name)
        wire.put_text(out, 2, worker.version)
        wire.put_text(out, 3, worker.settings)
        for capability in worker.capabilities:
            wire.put_bytes(out, 4, capability.encode())
        for word in worker.quantizes:
            wire.put_text(out, 5, word)
        return "welcome", b"".join(out)

    def prepare(self, message):
        fields = dict(wire.fields(message))
        self.models[fields.get(1, 0)] = self.worker.prepare(bytes(fields.get(2, b"")))
        return "prepared", b""

    def run(self, message):
        handle, inputs, wanted = 0, [], []
        for number, value in wire.fields(message):
            if number == 2:
                inputs.append(Tensor.decode(value).array())
            elif number == 3:
                wanted.append(Tensor.decode(value))
            elif number == 1:
                handle = value
        out = []
        for output in self.worker.run(self.models[handle], inputs, wanted):
            wire.put_bytes(out, 1, Tensor.of(output).encode())
        return "outputs", b"".join(out)

    def release(self, message):
        fields = dict(wire.fields(message))
        if fields.get(1, 0) in self.models:
            self.worker.release(self.models.pop(fields.get(1, 0)))
        return "released", b""

    def quantize(self, message):
        answer = self.worker.quantize(QuantizeRequest.decode(message))
        if not isinstance(answer, Quantized):
            answer = Quantized(model=answer)
        return "quantized", answer.encode()

    def ping(self, message):
        out = []
        for number, value in wire.fields(message):
            if number == 1:
                wire.put_bytes(out, 1, value)
        return "pong", b"".join(out)

    def reply(self, request):
        """The bytes of the Reply to the bytes of a Request."""
        out = []
        kind, message = None, b""
        for number, value in wire.fields(request):
            if number == 1:
                wire.put_varint(out, 1, value)
            elif number in REQUESTS:
                kind, message = REQUESTS[number], value
        try:
            if kind is None:
                raise Unusable("a request that this worker does not know")
            name, body = getattr(self, kind)(message)
            wire.put_bytes(out, REPLIES[name], body)
        except Skip as skip:
            body = []
            wire.put_text(body, 1, skip.reason)
            wire.put_text(body, 2, skip.url)
            wire.put_bytes(out, SKIP, b"".join(body))
        except Exception as exception:  # the answer to whatever a target throws
            wire.put_bytes(out, ERROR, _error(exception))
        return b"".join(out)


def _error(exception):
    if isinstance(exception, MemoryError):
        exception = OutOfMemory("out of memory")
    if not isinstance(exception, Answer):
        traceback.print_exception(type(exception), exception, exception.__traceback__, limit=-2)
        exception = Rejected("%s: %s" % (type(exception).__name__, exception))
    out = []
    wire.put_varint(out, 1, exception.kind)
    wire.put_text(out, 2, exception.text[:65536])
    wire.put_text(out, 3, exception.stage)
    return b"".join(out)


def _channel():
    """Descriptors for the conversation; whatever else writes to standard output then reaches standard error."""
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr = _Stderr()
    return incoming, outgoing


def _read(fd, size):
    """Exactly `size` bytes, or None at the end of input."""
    data = os.read(fd, size)
    if len(data) == size:
        return data
    parts, left = [data], size - len(data)
    while data and left:
        data = os.read(fd, left)
        parts.append(data)
        left -= len(data)
    return None if left else b"".join(parts)


def serve(worker_class):
    """Answers requests until there are no more. `worker_class()` gives the Worker."""
    incoming, outgoing = _channel()
    server = _Server(worker_class())
    while True:
        head = _read(incoming, 8)
        if head is None:
            return
        size = int.from_bytes(head[4:], "little")
        if head[:4] != MAGIC or size > LARGEST:
            raise SystemExit("qdiff_worker: the request has no frame: is this a qdiff pipe?")
        body = _read(incoming, size) if size else b""
        if body is None:
            return
        reply = server.reply(memoryview(body))
        frame = memoryview(MAGIC + len(reply).to_bytes(4, "little") + reply)
        while frame:
            frame = frame[os.write(outgoing, frame) :]
