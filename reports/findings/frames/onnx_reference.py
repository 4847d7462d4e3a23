# Needs onnx.
# exit: 0 the evaluator does as it should, 1 it does not
import numpy
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from frames.rows import check


def run(op_type, inputs, opset=21, **attributes):
    """The output of one node; inputs are arrays. An exception is given as its text."""
    values = [
        helper.make_tensor_value_info("i%d" % i, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for i, x in enumerate(inputs)
    ]
    node = helper.make_node(op_type, [value.name for value in values], ["y"], **attributes)
    graph = helper.make_graph([node], "graph", values, [helper.make_empty_tensor_value_info("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    feeds = {value.name: x for value, x in zip(values, inputs)}
    try:
        return ReferenceEvaluator(model).run(None, feeds)[0]
    except Exception as exception:
        return "%s: %s" % (type(exception).__name__, exception)
