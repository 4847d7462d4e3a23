"""QLinearMatMul refuses a scale and zero point for each row of a"""
from frames.onnxruntime import Case, main

main([
    Case('rows with the zero points 1 and 3', """<ir_version: 10, opset_import: ["" : 10]>
        case (uint8[2,2] a) => (uint8[2,1] y)
        <float[2] as = {1, 2}, uint8[2] az = {1, 3}, uint8[2,1] b = {1, 1}, float s = {1}, uint8 z = {0}>
        { [QLinearMatMul_y] y = QLinearMatMul (a, as, az, b, s, z, s, z) }""",
        feed={'a': [1, 2, 3, 4]}, want={'y': [1, 2]}),
])
