# Needs iree-base-compiler[onnx] and iree-base-runtime.
# exit: 0 IREE does as it should, 1 it does not
import sys

import iree.runtime as runtime
import numpy
import onnx
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
from onnx import TensorProto, helper, shape_inference


def compile_model(model):
    """Bytecode for any CPU, or None where the model is refused."""
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
        source = Source.wrap_buffer(session, module.get_asm().encode() + b"\0")
        if not invocation.parse_source(source) or not invocation.execute():
            return None
        output = Output.open_membuffer()
        invocation.output_vm_bytecode(output)
        return bytes(output.map_memory())


def run(op_type, inputs, kind, shape, constants=(), order=None, **attributes):
    """The output of one node; inputs i0, i1, ... and constants c0, c1, ... are arrays, order names what it reads."""
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
    code = compile_model(model)
    if code is None:
        raise SystemExit("the compiler refuses the model")
    context = runtime.SystemContext(config=runtime.Config("local-sync"))
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, code))
    result = context.modules.module["graph"](*inputs).to_host().copy()
    return result.view(helper.tensor_dtype_to_np_dtype(kind))
