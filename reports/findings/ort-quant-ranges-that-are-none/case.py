"""onnxruntime.quantization takes ranges that are none"""
from frames.ort_quant import numpy, sys
from onnxruntime.quantization.quant_utils import compute_scale_zp

wrong = False
for low, high in ((-1, numpy.inf), (1, -1), (numpy.nan, 1)):
    ends = [numpy.array(end, numpy.float32) for end in (low, high)]
    try:
        zero_point, scale = compute_scale_zp(*ends, numpy.array(0, numpy.uint8), numpy.array(255, numpy.uint8))
        print("%g to %g: scale %g, zero point %d" % (low, high, scale, zero_point))
        wrong = True
    except ValueError as refusal:
        print("%g to %g: refused: %s" % (low, high, refusal))
    except AssertionError as bare:
        print("%g to %g: AssertionError: %s" % (low, high, bare))
        wrong = True
sys.exit(wrong)
