"""Integer operators that torch-mlir lowers with the wrong sign, zero points or padding, on IREE, whose importer it is.

Exit status 1 while a result is wrong. Needs iree-base-compiler[onnx] and iree-base-runtime.
"""

import sys

import iree.runtime as runtime
import numpy
import onnx
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
from onnx import TensorProto, helper, shape_inference


def compile_model(model):
    context = Context()
    info = onnx_importer.ModelInfo(shape_inference.infer_shapes(model, data_prop=True))
    module = info.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    with Session() as session:
        session.set_flags(
            "--iree-input-type=auto",
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=llvm-cpu",
            "--iree-llvmcpu-target-cpu=generic",
        )
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        source = Source.wrap_buffer(session, module.get_asm().encode() + b"\0")
        if not invocation.parse_source(source) or not invocation.execute():
            raise SystemExit("the compiler refuses the model")
        output = Output.open_membuffer()
        invocation.output_vm_bytecode(output)
        return bytes(output.map_memory())


def run(op_type, inputs, kind, shape, constants=(), order=None, **attributes):
    values = [
        helper.make_tensor_value_info("i%d" % i, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for i, x in enumerate(inputs)
    ]
    fixed = [onnx.numpy_helper.from_array(x, "c%d" % i) for i, x in enumerate(constants)]
    names = order or [value.name for value in values] + ["c%d" % i for i in range(len(constants))]
    node = helper.make_node(op_type, names, ["y"], **attributes)
    outputs = [helper.make_tensor_value_info("y", kind, shape)]
    graph = helper.make_graph([node], "graph", values, outputs, initializer=fixed)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    context = runtime.SystemContext(config=runtime.Config("local-sync"))
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, compile_model(model)))
    result = context.modules.module["graph"](*inputs).to_host().copy()
    return result.view(helper.tensor_dtype_to_np_dtype(kind))


def main():
    row = numpy.array([[[[123, 200]]]], numpy.uint8)
    below = numpy.full((1, 1, 1, 1), -5, numpy.int8)
    a, b = numpy.full((2, 1, 1), 255, numpy.uint8), numpy.full((2, 1, 1), 64, numpy.uint8)
    rows = [
        ("MaxPool of uint8 123 and 200", 200,
         run("MaxPool", [row], TensorProto.UINT8, [1, 1, 1, 1], kernel_shape=[1, 2])),
        ("MaxPool of int8 -5, padding behind it", -5,
         run("MaxPool", [below], TensorProto.INT8, [1, 1, 1, 1], kernel_shape=[2, 2], pads=[0, 0, 1, 1])),
        ("MatMulInteger, a batch of uint8 255 by 64, first element", 255 * 64,
         run("MatMulInteger", [a, b], TensorProto.INT32, [2, 1, 1])),
    ]
    a, b = numpy.full((2, 1, 1), 207, numpy.uint8), numpy.full((2, 1, 1), 115, numpy.uint8)
    one, fine = numpy.float32(1), numpy.float32(1 / 64)
    constants = [one, numpy.uint8(0), fine, numpy.uint8(151), one, numpy.int8(0)]
    order = ["i0", "c0", "c1", "i1", "c2", "c3", "c4", "c5"]
    rows.append(
        ("QLinearMatMul, a batch of uint8 207 by 115 - 151, first element", round(207 * -36 / 64),
         run("QLinearMatMul", [a, b], TensorProto.INT8, [2, 1, 1], constants, order)))
    a, b = numpy.full((2, 2), 10, numpy.uint8), numpy.full((2, 1), 1, numpy.uint8)
    zeros = [numpy.array([1, 2], numpy.uint8), numpy.uint8(0)]
    rows.append(
        ("MatMulInteger, zero points 1 and 2 of the rows 10, first element", 2 * (10 - 1),
         run("MatMulInteger", [a, b], TensorProto.INT32, [2, 1], zeros)))
    wrong = 0
    for what, want, have in rows:
        print("%s: want %d, have %d" % (what, want, have.flat[0]))
        wrong += want != have.flat[0]
    return 1 if wrong else 0


sys.exit(main())
