"""Constant weights whose scale or zero point is known at run time only: OpenVINO gives other numbers in each run"""
from frames.openvino import check, model, numpy, runs

PRODUCT = "(float[1, 2] a, uint8 z) => (float[1, 2] y) { y = com.microsoft.DynamicQuantizeMatMul(a, b, half, z) }"
A, B, Z = numpy.float32([[0, 255]]), numpy.array([[3, 4], [2, 1]], numpy.uint8), numpy.array(1, numpy.uint8)

one = model(PRODUCT, A, Z, b=B, half=numpy.float32(0.5))
check(*(("after %d others" % i, [[127.5, 0]], runs([one] * i + [one])) for i in range(4)))
