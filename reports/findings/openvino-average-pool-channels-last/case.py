"""OpenVINO does not read channels_last of com.microsoft's QLinearAveragePool"""
from frames.openvino import check, numpy, run

POOL = """(uint8[1, 3, 2] x) => (uint8[1, 2, 2] y)
{ y = com.microsoft.QLinearAveragePool<channels_last = 1, kernel_shape = [2]>(x, one, zero, one, zero) }"""
X = numpy.array([[[0, 10], [2, 20], [4, 30]]], numpy.uint8)
WANT = numpy.array([[[1, 15], [3, 25]]], numpy.uint8)

check(("means of 3 positions of 2 channels", WANT, run(POOL, X, one=numpy.float32(1), zero=numpy.uint8(0))))
