"""OpenVINO: the greatest of no codes is the least code"""
from frames.openvino import check, numpy, run

MAX = """(uint8[2, N] q) => (uint8[2, 1] y) {
    x = DequantizeLinear(q, s, z) most = ReduceMax(x, last) y = QuantizeLinear(most, s, z)
}"""

q, s, z = numpy.zeros([2, 0], numpy.uint8), numpy.float32(0.5), numpy.uint8(100)
check(("the greatest of none", [[0], [0]],
       run(MAX.replace("most, s", "most, t"), q, s=s, z=z, t=numpy.float32(1), last=numpy.int64([1]))))
