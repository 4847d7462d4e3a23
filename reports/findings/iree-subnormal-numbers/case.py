"""What IREE compiles for CPUs takes subnormal numbers for 0 and gives 0 for them"""
from frames.iree import numpy, run, sys, TensorProto


def main():
    x = numpy.full(2, -5, numpy.int8)
    scale = numpy.float32(2.0**-130)
    y = run("DequantizeLinear", [x], TensorProto.FLOAT, [2], [scale, numpy.int8(0)], ["i0", "c0", "c1"])
    rows = [("-5 * 2^-130", -5 * 2.0**-130, float(y[0]))]
    x = numpy.full((2, 2), 2.0**-127, numpy.float32)
    scales = numpy.full(2, 2.0**-128, numpy.float32)
    constants = [scales, numpy.zeros(2, numpy.int8)]
    y = run("QuantizeLinear", [x], TensorProto.INT8, [2, 2], constants, ["i0", "c0", "c1"], axis=0)
    rows.append(("2^-127 in steps of 2^-128", 2, int(y[0, 0])))
    wrong = 0
    for what, want, have in rows:
        print("%s: want %s, have %s" % (what, want, have))
        wrong += want != have
    return 1 if wrong else 0


sys.exit(main())
