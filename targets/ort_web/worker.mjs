// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime Web's WebAssembly build as a target. See README.md.
import { Answer, serve } from "./protocol.mjs";
import fs from "node:fs";
import path from "node:path";

// Where scripts/setup put the package's two files: above the bin that this Node was started from.
const place = process.env.QDIFF_ENVIRONMENT;

const LEVELS = { none: "disabled", basic: "basic", extended: "extended", all: "all" };

// onnx.TensorProto.DataType to the API's name and the array that holds such elements.
const TYPES = {
  1: ["float32", Float32Array], 2: ["uint8", Uint8Array], 3: ["int8", Int8Array], 4: ["uint16", Uint16Array],
  5: ["int16", Int16Array], 6: ["int32", Int32Array], 7: ["int64", BigInt64Array], 9: ["bool", Uint8Array],
  10: ["float16", Uint16Array], 11: ["float64", Float64Array], 12: ["uint32", Uint32Array],
  13: ["uint64", BigUint64Array], 21: ["uint4", Uint8Array], 22: ["int4", Uint8Array],
};
const NUMBERS = Object.fromEntries(Object.entries(TYPES).map(([number, [name]]) => [name, Number(number)]));

// What the native build has kernels for (targets/ort/capabilities.c), less what the API has no tensors for.
const NO_TENSOR = "bfloat16,float8,float8-scale,float4,int2";
const KERNELS = "as the native build's CPU provider; no tensors of bfloat16, float8, float4 and 2 bits in JavaScript";
const ROWS = [
  ["", "", "com.microsoft:"], // the domain of ONNX Runtime's own operators
  ["x-u8", "y-s8", "QLinearConv QLinearMatMul com.microsoft:QGemm"],
  ["x-s8", "w-u8,y-u8", "QLinearConv QLinearMatMul com.microsoft:QGemm"],
  ["", "x-u8,x-s8", "QLinearConv QLinearMatMul com.microsoft:QGemm"],
  ["", "",
    "ConvInteger MatMulInteger DynamicQuantizeLinear DequantizeLinear Concat Gather Slice Split " +
    "Pow ReduceSum GlobalMaxPool Not Erf ConstantOfShape Range Softmax " +
    "GlobalAveragePool ReduceMean ReduceMax Cast Tile ConvTranspose BatchNormalization Conv MatMul Expand Transpose com.microsoft:DynamicQuantizeMatMul " +
    "com.microsoft:QuantizeLinear com.microsoft:DequantizeLinear com.microsoft:QLinearAdd com.microsoft:QLinearMul " +
    "com.microsoft:QLinearConcat com.microsoft:QLinearWhere " +
    "com.microsoft:QLinearSoftmax com.microsoft:QLinearAveragePool com.microsoft:QLinearGlobalAveragePool com.microsoft:MatMulNBits"],
  // Older opsets have no kernel.
  ["opset>=6", "", "LeakyRelu Sigmoid HardSigmoid Sqrt Exp Reciprocal Tanh Abs"],
  ["opset>=7", "", "Add Mul Sub Div Equal Less Greater AveragePool"],
  ["opset>=8", "", "MaxPool"],
  ["", "x-f64", "MaxPool"],
  ["", "int32-input", "QuantizeLinear"],
  // Without the last zero point they read beyond a vector's end (reports/findings/qlinear-lookup-absent-output-zero-point): what comes of it
  // differs from run to run.
  ["", "no-zero-point", "com.microsoft:QLinearLeakyRelu com.microsoft:QLinearSigmoid"],
  ["opset>=6", "int16", "Clip Max Min"],
  ["opset>=6", "int16,x-s64", "Relu"],
  ["", "x-s32,x-s64", "Gemm"],
  ["", "int16,x-s32,x-s64,x-bool", "SpaceToDepth"],
  ["", "int16,x-s64,x-bool,x-f64", "Resize"],
  ["", "int16,x-bool", "Where"],
  ["opset>=13", "int16,x-s32,x-s64,x-bool", "DepthToSpace"],
  ["", "int16,x-s32,x-s64,x-bool,x-u8,x-s8", "DepthToSpace"],
  ["", "int4", "Identity Reshape Flatten Squeeze Unsqueeze Shape"],
  ["", "int16,int4", "Pad"],
  ["", "x-s8", "com.microsoft:MatMulIntegerToFloat"],
  ["x-s8", "w-u8", "com.microsoft:MatMulIntegerToFloat"],
];

// The module asks for 4 GiB of address space, which the limit does not have; what it uses grows as it is needed.
const MOST_PAGES = 8192; // of 64 KiB
WebAssembly.Memory = class extends WebAssembly.Memory {
  constructor(limits) {
    super({ ...limits, maximum: Math.min(limits.maximum, Math.max(limits.initial, MOST_PAGES)) });
  }
};

// A trap leaves the module unusable: the worker ends, and is started anew.
function refuse(stage, error) {
  if (error instanceof WebAssembly.RuntimeError) {
    process.stderr.write(`${stage}: ${error.stack}\n`, () => process.exit(1));
    return new Promise(() => {});
  }
  throw new Answer("rejected", error.message ?? String(error), stage);
}

class OrtWeb {
  name = "ort-web";

  capabilities = ROWS.flatMap(([needs, excludes, ops]) =>
    ops.split(" ").map((op) => [op, needs, [NO_TENSOR, excludes].filter(Boolean).join(","), KERNELS]));

  async open(version, config) {
    const [key, value] = (config || "opt=all").split("=");
    if (key !== "opt" || !LEVELS[value]) {
      throw new Answer("unusable", `no setting '${config}'; there is opt=${Object.keys(LEVELS).join(", opt=")}`);
    }
    Object.assign(this, { settings: `opt=${value}`, level: LEVELS[value] });
    this.ort = await import(path.join(place, "ort.wasm.bundle.min.mjs"));
    this.version = this.ort.env.versions.web;
    if (version && version !== this.version) {
      throw new Answer("unusable", `onnxruntime-web ${this.version} is installed here, not ${version}`);
    }
    Object.assign(this.ort.env.wasm, { numThreads: 1, wasmBinary: fs.readFileSync(path.join(place, "ort-wasm-simd-threaded.wasm")) });
    this.ort.env.logLevel = "fatal";
  }

  async prepare(model) {
    const options = { executionProviders: ["wasm"], graphOptimizationLevel: this.level, intraOpNumThreads: 1 };
    try {
      return await this.ort.InferenceSession.create(new Uint8Array(model), options);
    } catch (error) {
      return refuse("load", error);
    }
  }

  async run(session, inputs) {
    try {
      const feeds = Object.fromEntries(inputs.map((input, i) => [session.inputNames[i], this.tensorOf(input)]));
      const results = await session.run(feeds);
      return session.outputNames.map((name) => {
        const { type, dims, data } = results[name];
        return { type: NUMBERS[type], dims, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) };
      });
    } catch (error) {
      return refuse("run", error);
    }
  }

  tensorOf({ type, dims, data }) {
    const [name, Elements] = TYPES[type] ?? [];
    if (!name) {
      throw new Error(`an input has ONNX's type ${type}, which JavaScript lacks`);
    }
    return new this.ort.Tensor(name, new Elements(new Uint8Array(data).buffer), dims);
  }

  async release(session) {
    await session.release();
  }
}

await serve(new OrtWeb());
