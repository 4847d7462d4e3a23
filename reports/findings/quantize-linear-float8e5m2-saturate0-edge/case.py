"""QuantizeLinear to float8e5m2, saturate = 0: NaN just above the largest finite value"""
from frames.onnxruntime import Case, main

main([
    Case('QuantizeLinear to float8e5m2, saturate = 0: NaN just above the largest finite value',
        """<ir_version: 9, opset_import: ["" : 19]>
        case (float[6] x) => (float8e5m2[6] y)
        <float y_scale = {1}, float8e5m2 y_zero_point = {0}>
        { y = QuantizeLinear <saturate = 0> (x, y_scale, y_zero_point) }""",
        feed={'x': [61439.0, 61440.0, 62034.0, 65535.0, 65536.0, -62034.0]}, want={'y': [123, 124, 124, 124, 124, 252]}),
])
