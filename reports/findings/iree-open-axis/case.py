"""IREE compiles Expand of an axis without a number for the length of its shape alone"""
from frames.iree import compile_model, helper, numpy, onnx, runtime, sys, TensorProto

x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])
shape = onnx.numpy_helper.from_array(numpy.array([3], numpy.int64), "shape")
graph = helper.make_graph([helper.make_node("Expand", ["x", "shape"], ["y"])], "graph", [x], [y], initializer=[shape])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
onnx.checker.check_model(model)
context = runtime.SystemContext(config=runtime.Config("local-sync"))
context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, compile_model(model)))
try:
    have = context.modules.module["graph"](numpy.array([7], numpy.float32)).to_host().tolist()
except ValueError as error:
    have = str(error)
print("Expand of (7), float[N], to 3: want [7.0, 7.0, 7.0], have %s" % have)
sys.exit(have != [7.0, 7.0, 7.0])
