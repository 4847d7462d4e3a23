"""tinygrad takes Softmax before opset 13 along one axis"""
from frames.tinygrad import check, tensor
from frames.tinygrad_model import FLOAT, model, run_model

X = {"x": tensor([[[0.0, 0.0]]])}
DECLARED = FLOAT, [1, 1, 2]


def softmax(opset):
    return run_model(model("Softmax", opset, "x", {"x": DECLARED}, DECLARED, axis=1), X)


check(("opset 11, axis 1: of two elements", [[[0.5, 0.5]]], softmax(11)), ("opset 13, axis 1: of one", [[[1.0, 1.0]]], softmax(13)))
