"""QLinearLeakyRelu rounds alpha times x where it is subnormal"""
from frames.onnxruntime import Case, main

main([
    Case('alpha = 0.65, x = -4 steps of 2^-149, y_scale = 2^-148',
        """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (int8[1] x) => (int8[1] y)
        <int8 z = {0}>
        { [QLinearLeakyRelu_y] y = com.microsoft.QLinearLeakyRelu <alpha = 0.65> (x, xs, z, ys, z) }""",
        feed={'x': [-4]}, want={'y': [-1]}, constants={'xs': 1e-45, 'ys': 3e-45}),
])
