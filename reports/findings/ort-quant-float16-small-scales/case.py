"""onnxruntime.quantization makes zeros of float16 tensors whose scale is subnormal"""
from frames.ort_quant import numpy, sys
from onnxruntime.quantization.quant_utils import quantize_data

from onnx import TensorProto

weights = numpy.array([-0.001, -0.0005, 0.00025, 0.001], numpy.float16)
made = quantize_data(weights, TensorProto.INT8, symmetric=True)
zero_point, scale, codes = made[-3:]
back = (codes.astype(numpy.float32) - numpy.float32(zero_point)) * numpy.float32(scale)
print("weights %s\nscale %g, codes %s: %s" % (weights, scale, codes, back))
# 0.001/127 = 7.9e-06, which float16 holds as 132 * 2**-24: each weight within one step of that
sys.exit(bool((abs(back - weights.astype(numpy.float32)) > 8e-06).any()))
