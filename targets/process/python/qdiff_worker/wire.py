# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format, as much as worker.proto needs. No dependency: a target's environment may hold any protobuf."""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Malformed(Exception):
    pass


def read_varint(data, at):
    byte = data[at]
    if byte < 0x80:
        return byte, at + 1
    value, shift = byte & 0x7F, 7
    while True:
        at += 1
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at + 1
        shift += 7
        if shift > 63:
            raise Malformed("a varint of more than ten bytes")


def fields(data):
    """The (number, value) of every field in a memoryview: an int, or a memoryview of the bytes."""
    found = []
    at, end = 0, len(data)
    try:
        while at < end:
            tag, at = read_varint(data, at)
            kind = tag & 7
            if kind == BYTES:
                size, at = read_varint(data, at)
                if size > end - at:
                    raise Malformed("a field longer than its message")
                found.append((tag >> 3, data[at : at + size]))
                at += size
            elif kind == VARINT:
                value, at = read_varint(data, at)
                found.append((tag >> 3, value))
            elif kind == FIXED32:
                found.append((tag >> 3, struct.unpack_from("<I", data, at)[0]))
                at += 4
            elif kind == FIXED64:
                found.append((tag >> 3, struct.unpack_from("<Q", data, at)[0]))
                at += 8
            else:
                raise Malformed("wire type %d" % kind)
    except (IndexError, struct.error):
        raise Malformed("a message ends inside a field") from None
    return found


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def as_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def varint(value):
    value &= (1 << 64) - 1
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def put_varint(out, number, value):
    """A number; 0 is left out, as proto3 has it. `out` is a list of bytes objects."""
    if value:
        out.append(varint(number << 3 | VARINT))
        out.append(varint(value))


def put_each_varint(out, number, values):
    """Repeated numbers, unpacked; zeros count."""
    tag = varint(number << 3 | VARINT)
    for value in values:
        out.append(tag)
        out.append(varint(int(value)))


def put_each_float(out, number, values):
    tag = varint(number << 3 | FIXED32)
    for value in values:
        out.append(tag)
        out.append(struct.pack("<f", float(value)))


def put_bytes(out, number, data):
    out.append(varint(number << 3 | BYTES))
    out.append(varint(len(data)))
    out.append(data)


def put_text(out, number, text):
    if text:
        put_bytes(out, number, text.encode("utf-8", "replace"))
