"""QuantizeLinear to two bits along the last axis takes the scale of a neighbour"""
from frames.onnxruntime import Case, main

INT2 = 26  # ONNX's number of the type

main([
    Case('1 by 1, 2, 4 and 8', """<ir_version: 12, opset_import: ["" : 25]>
        case (float[1,4] x) => (float[1,4] y)
        <float[4] s = {1, 2, 4, 8}, float one = {1}>
        {
            q = QuantizeLinear <axis = 1, output_dtype = %d> (x, s)
            y = DequantizeLinear (q, one)
        }""" % INT2,
        feed={'x': [1.0, -4.0, -4.0, 8.0]}, want={'y': [1.0, -2.0, -1.0, 1.0]}),
    Case('along the axis before the last', """<ir_version: 12, opset_import: ["" : 25]>
        case (float[4,2] x) => (float[4,2] y)
        <float[4] s = {1, 2, 4, 8}, float one = {1}>
        {
            q = QuantizeLinear <axis = 0, output_dtype = %d> (x, s)
            y = DequantizeLinear (q, one)
        }""" % INT2,
        feed={'x': [1.0, 1.0, -4.0, -4.0, -4.0, -4.0, 8.0, 8.0]}, want={'y': [1.0, 1.0, -2.0, -2.0, -1.0, -1.0, 1.0, 1.0]}),
])
