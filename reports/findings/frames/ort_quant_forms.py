from frames.ort_quant import numpy, onnx, quantized, QuantFormat, run, sys


def check(text, feed, bound):
    """Quantizes the model in either format; exits 1 if one answers with more than this difference."""
    want = run(onnx.parser.parse_model(text), feed)[0]
    wrong = False
    for form in (QuantFormat.QDQ, QuantFormat.QOperator):
        have = run(quantized(text, feed, quant_format=form), feed)[0]
        print("%s: want %s, have %s" % (form, want.tolist(), have.tolist()))
        wrong |= bool(abs(have - want).max() > bound)
    sys.exit(wrong)
