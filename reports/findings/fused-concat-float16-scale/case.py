"""Float16 DequantizeLinear, Concat, QuantizeLinear are fused to a QLinearConcat that takes float32 scales only"""
from frames.onnxruntime import Case, main

main([
    Case('one operand', """<ir_version: 8, opset_import: ["" : 21]>
        case (uint8[1] x) => (uint8[1] y)
        <float16 s = {1}>
        {
            xf = DequantizeLinear (x, s)
            c = Concat <axis = 0> (xf)
            y = QuantizeLinear (c, s)
        }""",
        feed={'x': [5]}, want={'y': [5]}),
])
