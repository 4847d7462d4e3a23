"""torch-mlir computes Tanh of small arguments with a great relative error"""
from frames.torch_mlir import compare, node, numpy, run, TensorProto


def cases():
    x = numpy.full(1, 0.0026855469, numpy.float32)
    want = numpy.float32(numpy.tanh(numpy.float64(x[0])))
    have = run([node("Tanh", "x")], {"x": x}, TensorProto.FLOAT, [1])
    steps = round(abs(float(have) - float(want)) / float(numpy.spacing(want)))
    yield "tanh(0.0026855469), steps of float32 off", "at most 4", "at most 4" if steps <= 4 else steps


compare(cases())
