// usage: node case.mjs ort.wasm.bundle.min.mjs ort-wasm-simd-threaded.wasm
// Needs onnxruntime-web's two files. exit: 0 it hands over outputs of 4 bits, 1 it does not
import fs from "node:fs";
import path from "node:path";

const [module, wasm] = process.argv.slice(2).map((name) => path.resolve(name));
const ort = await import(module);
Object.assign(ort.env.wasm, { numThreads: 1, wasmBinary: fs.readFileSync(wasm) });

// Protobuf by hand: fields of bytes and texts, and of small numbers.
const bytes = (number, value) => {
  const data = typeof value === "string" ? Buffer.from(value) : Buffer.concat([value].flat());
  return Buffer.concat([Buffer.from([(number << 3) | 2, data.length]), data]);
};
const int = (number, value) => Buffer.from([number << 3, value]);
const value = (name, type) => [bytes(1, name), bytes(2, bytes(1, [int(1, type), bytes(2, bytes(1, int(1, 2)))]))];
const constant = (name, type, data) => [int(2, type), bytes(8, name), bytes(9, Buffer.from(data))];

// QuantizeLinear of opset 21: x float32[2] by the scale 1 to uint4.
const graph = [
  bytes(1, [bytes(1, "x"), bytes(1, "s"), bytes(1, "z"), bytes(2, "y"), bytes(4, "QuantizeLinear")]), bytes(2, "graph"),
  bytes(5, constant("s", 1, [0, 0, 0x80, 0x3f])), bytes(5, constant("z", 21, [0])),
  bytes(11, value("x", 1)), bytes(12, value("y", 21)),
];
const model = Buffer.concat([int(1, 10), bytes(7, graph), bytes(8, int(2, 21))]);
const session = await ort.InferenceSession.create(new Uint8Array(model));
try {
  const { y } = await session.run({ x: new ort.Tensor("float32", [0.5, 3.5], [2]) });
  console.log(`uint4 of 0.5 and 3.5: want 64 (0 and 4), have ${y.data}`);
} catch (error) {
  console.log(`uint4 of 0.5 and 3.5: ${error.message}`);
  process.exitCode = 1;
}
