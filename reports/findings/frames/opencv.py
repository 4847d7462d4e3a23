# Needs opencv-python-headless and onnx.
# exit: 0 OpenCV does as it should, 1 it does not
import os
import sys

import cv2
import numpy
from onnx import TensorProto, helper, numpy_helper

from frames.apart import apart

os.environ["OPENCV_FORCE_DNN_ENGINE"] = str(cv2.dnn.ENGINE_NEW)
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
FLOAT, U8, S8 = numpy.float32, numpy.uint8, numpy.int8


def node(op_type, inputs, output, domain="", **attributes):
    return helper.make_node(op_type, inputs.split(" "), [output], domain=domain, **attributes)


def value(name, array):
    if array is None:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, list("nchw"))
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def initializer(name, array):
    return array if isinstance(array, TensorProto) else numpy_helper.from_array(numpy.asarray(array), name)


def run(want, nodes, feeds, constants, opset=21, others=None, before=()):
    """The output "y" of nodes, declared as `want` is, or with four open dimensions; feeds and constants are arrays by name (constants
    TensorProtos, too), and so are other outputs, as which they are declared. Feeds of earlier runs come `before`: then all have four open
    dimensions. An exception is given as its text, also one that OpenCV catches itself."""
    thrown = []
    cv2.redirectError(lambda status, function, text, file, line: thrown.append("%s (%s)" % (text.strip(), function)))
    initializers = [initializer(*one) for one in constants.items()]
    outputs = {"y": want, **(others or {})}
    declared = [value(name, None if before else array) for name, array in feeds.items()]
    graph = helper.make_graph(nodes, "graph", declared, [value(*one) for one in outputs.items()], initializers)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    try:
        net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model, numpy.uint8), engine=cv2.dnn.ENGINE_NEW)
        for one in [*before, feeds]:
            for name, x in one.items():
                net.setInput(x, name)
            have = net.forward(list(outputs))[0]
        return have
    except cv2.error as error:
        return thrown[0] if thrown else str(error)


def shown(array):
    return "%s of %s%s" % (array.tolist(), array.dtype, list(array.shape)) if isinstance(array, numpy.ndarray) else str(array)


def same(have, want):
    if want is None:
        return not str(have).startswith("the process ends")
    return isinstance(have, numpy.ndarray) and have.dtype == want.dtype and have.shape == want.shape and (have == want).all()


def check(*rows):
    """Rows of what is asked, what is right and the arguments of run() after that, each in a process of its own; exits. Where nothing
    says what is right (None) the process has to live."""
    wrong = 0
    for what, want, *case in rows:
        have = apart(run, want, *case)
        print("%s: want %s, have %s" % (what, "a refusal, or any answer" if want is None else shown(want), shown(have)))
        wrong += not same(have, want)
    sys.exit(1 if wrong else 0)
