// SPDX-License-Identifier: Apache-2.0
// The worker's side of the conversation of targets/process/worker.proto, for Node. Standard output belongs to it: load this
// module first, and what others print goes to standard error.

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
console.log = console.info = console.debug = console.error;

const KIND = { rejected: 0, memory: 1, unusable: 2, crashed: 3 };
const REQUEST = { 2: "hello", 3: "prepare", 4: "run", 5: "release", 7: "ping" };
const REPLY = { welcome: 2, prepared: 3, outputs: 4, released: 5, pong: 7, error: 9 };
const MAGIC = Buffer.from("QDW1");

// Thrown to answer a request in another way than with its result; kind is a word of KIND.
export class Answer extends Error {
  constructor(kind, text, stage = "") {
    super(text);
    Object.assign(this, { kind, stage });
  }
}

// --- Protobuf ----------------------------------------------------------------------------------------

function* fieldsOf(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n, shift = 0n, byte;
    do {
      byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte & 128);
    return value;
  };
  while (at < bytes.length) {
    const key = Number(varint());
    if ((key & 7) === 0) {
      yield [key >> 3, varint()];
    } else {
      const size = Number(varint());
      yield [key >> 3, bytes.subarray(at, at += size)];
    }
  }
}

function varint(value) {
  const bytes = [];
  for (let left = BigInt.asUintN(64, BigInt(value)); ; left >>= 7n) {
    if (left < 128n) {
      return Buffer.from([...bytes, Number(left)]);
    }
    bytes.push(Number(left & 127n) | 128);
  }
}

// A field: of numbers a varint, of texts and bytes their length and themselves.
function field(number, value) {
  if (typeof value === "number" || typeof value === "bigint") {
    return Buffer.concat([varint(number << 3), varint(value)]);
  }
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

// A tensor of the protocol: { type, dims, data }, bytes as ONNX's raw_data.
function readTensor(bytes) {
  const tensor = { type: 0, dims: [], data: Buffer.alloc(0) };
  for (const [number, value] of fieldsOf(bytes)) {
    if (number === 1) {
      tensor.dims.push(Number(BigInt.asIntN(64, value)));
    } else if (number === 2) {
      tensor.type = Number(value);
    } else if (number === 9) {
      tensor.data = value;
    }
  }
  return tensor;
}

function writeTensor({ type, dims, data }) {
  return Buffer.concat([...dims.map((dim) => field(1, dim)), field(2, type), field(9, data)]);
}

// --- The conversation --------------------------------------------------------------------------------

// The requests of standard input, until it ends.
async function* requests() {
  let bytes = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    bytes = bytes.length ? Buffer.concat([bytes, chunk]) : chunk;
    for (let size; bytes.length >= 8 && bytes.length >= (size = 8 + bytes.readUInt32LE(4)); bytes = bytes.subarray(size)) {
      yield bytes.subarray(8, size);
    }
  }
}

const text = (bytes) => Buffer.from(bytes ?? []).toString();
const collect = (bytes, number) => [...fieldsOf(bytes)].filter(([n]) => n === number).map(([, value]) => value);

const handlers = {
  async hello(worker, models, message) {
    const fields = Object.fromEntries(fieldsOf(message));
    await worker.open(text(fields[2]), text(fields[3]));
    const rows = worker.capabilities.map((row) => field(4, Buffer.concat(row.map((word, i) => field(i + 1, word)))));
    return ["welcome", [field(1, worker.name), field(2, worker.version), field(3, worker.settings), ...rows]];
  },
  async prepare(worker, models, message) {
    const [handle] = collect(message, 1), [model] = collect(message, 2);
    models.set(handle, await worker.prepare(model));
    return ["prepared", []];
  },
  async run(worker, models, message) {
    const [handle] = collect(message, 1);
    const outputs = await worker.run(models.get(handle), collect(message, 2).map(readTensor));
    return ["outputs", outputs.map((output) => field(1, writeTensor(output)))];
  },
  async release(worker, models, message) {
    const [handle] = collect(message, 1);
    const prepared = models.get(handle);
    models.delete(handle);
    if (prepared !== undefined) {
      await worker.release(prepared);
    }
    return ["released", []];
  },
  async ping(worker, models, message) {
    return ["pong", [field(1, collect(message, 1)[0] ?? Buffer.alloc(0))]];
  },
};

async function answer(worker, models, request) {
  let id = 0n, kind, message;
  for (const [number, value] of fieldsOf(request)) {
    if (number === 1) {
      id = value;
    } else {
      [kind, message] = [REQUEST[number], value];
    }
  }
  let reply, body;
  try {
    [reply, body] = await handlers[kind](worker, models, message);
  } catch (error) {
    reply = "error";
    body = [field(1, KIND[error.kind ?? "rejected"]), field(2, String(error.message ?? error)), field(3, error.stage ?? "")];
  }
  return Buffer.concat([field(1, id), field(REPLY[reply], Buffer.concat(body))]);
}

// Answers until standard input ends. A worker has name, version, settings, capabilities (rows of operator, needs, excludes, reason),
// open(version, config), prepare(model), run(prepared, inputs) and release(prepared).
export async function serve(worker) {
  const models = new Map();
  for await (const request of requests()) {
    const reply = await answer(worker, models, request);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(reply.length);
    await new Promise((resolve) => { write(Buffer.concat([MAGIC, size, reply]), resolve); });
  }
}
