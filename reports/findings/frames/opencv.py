# Needs opencv-python-headless and onnx.
# exit: 0 OpenCV does as it should, 1 it does not
import os
import sys

import cv2
import numpy
from onnx import helper, numpy_helper

os.environ["OPENCV_FORCE_DNN_ENGINE"] = str(cv2.dnn.ENGINE_NEW)
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
FLOAT, U8, S8 = numpy.float32, numpy.uint8, numpy.int8


def node(op_type, inputs, output, domain="", **attributes):
    return helper.make_node(op_type, inputs.split(" "), [output], domain=domain, **attributes)


def value(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def run(want, nodes, feeds, constants, opset=21):
    """The output "y" of nodes, declared as `want` is; feeds and constants are arrays by name. An exception is given as its text."""
    initializers = [numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "graph", [value(*one) for one in feeds.items()], [value("y", want)], initializers)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    try:
        net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model, numpy.uint8), engine=cv2.dnn.ENGINE_NEW)
        for name, x in feeds.items():
            net.setInput(x, name)
        return net.forward(["y"])[0]
    except cv2.error as error:
        return str(error)


def check(*rows):
    """Rows of what is asked, what is right and the arguments of run() after that; exits."""
    wrong = 0
    for what, want, *case in rows:
        have = run(want, *case)
        shown = have if isinstance(have, str) else "%s of %s%s" % (have.tolist(), have.dtype, list(have.shape))
        print("%s: want %s of %s%s, have %s" % (what, want.tolist(), want.dtype, list(want.shape), shown))
        wrong += isinstance(have, str) or have.dtype != want.dtype or have.shape != want.shape or not (have == want).all()
    sys.exit(1 if wrong else 0)
