"""What IREE compiles for CPUs takes subnormal numbers for 0 and gives 0 for them.

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
    x = numpy.full(2, -5, numpy.int8)
    scale = numpy.float32(2.0**-130)
    y = run("DequantizeLinear", [x], TensorProto.FLOAT, [2], [scale, numpy.int8(0)], ["i0", "c0", "c1"])
    rows = [("-5 * 2^-130", -5 * 2.0**-130, float(y[0]))]
    x = numpy.full((2, 2), 2.0**-127, numpy.float32)
    scales = numpy.full(2, 2.0**-128, numpy.float32)
    constants = [scales, numpy.zeros(2, numpy.int8)]
    y = run("QuantizeLinear", [x], TensorProto.INT8, [2, 2], constants, ["i0", "c0", "c1"], axis=0)
    rows.append(("2^-127 in steps of 2^-128", 2, int(y[0, 0])))
    wrong = 0
    for what, want, have in rows:
        print("%s: want %s, have %s" % (what, want, have))
        wrong += want != have
    return 1 if wrong else 0


sys.exit(main())
