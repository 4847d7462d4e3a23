"""A product of scales, or of a scale and a code, overflows float32 where the answer does not"""
from frames.onnxruntime import Case, main

main([
    Case('QGemm to float', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1] a) => (float[1,1] y)
        <float as = {2}, uint8 az = {0}, int8[1,1] b = {0}, float bs = {1.7014118e+38}, int8 bz = {0}>
        { y = com.microsoft.QGemm (a, as, az, b, bs, bz) }""",
        feed={'a': [0]}, want={'y': [0.0]}),
    Case('QGemm to codes', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1] a) => (uint8[1,1] y)
        <float as = {1.7014118e+38}, uint8 az = {0}, int8[1,1] b = {1}, float bs = {1}, int8 bz = {0}, float ys = {2.658456e+36},
            uint8 yz = {0}>
        { y = com.microsoft.QGemm <alpha = 3.0> (a, as, az, b, bs, bz, "", ys, yz) }""",
        feed={'a': [1]}, want={'y': [192]}),
    Case('QLinearMatMul', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1] a) => (uint8[1,1] y)
        <float as = {2.1267648e+37}, uint8 az = {0}, uint8[1,1] b = {0}, float bs = {1}, uint8 bz = {0}, float ys = {0.03125},
            uint8 yz = {1}>
        { y = QLinearMatMul (a, as, az, b, bs, bz, ys, yz) }""",
        feed={'a': [0]}, want={'y': [1]}),
    Case('MatMulIntegerToFloat', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1] a) => (float[1,1] y)
        <float as = {2}, uint8[1,1] b = {0}, float bs = {1.7014118e+38}>
        { y = com.microsoft.MatMulIntegerToFloat (a, b, as, bs) }""",
        feed={'a': [0]}, want={'y': [0.0]}),
    Case('DynamicQuantizeMatMul', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (float[1,1] a) => (float[1,1] y)
        <int8[1,1] b = {0}, float bs = {2.658456e+36}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, bs) }""",
        feed={'a': [32768.0]}, want={'y': [0.0]}),
    Case('MatMul of dequantized operands', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1] a) => (float[1,1] y)
        <float as = {2}, int8[1,1] b = {0}, float bs = {1.7014118e+38}>
        {
            af = DequantizeLinear (a, as)
            bf = DequantizeLinear (b, bs)
            y = MatMul (af, bf)
        }""",
        feed={'a': [0]}, want={'y': [0.0]}),
    Case('QLinearConv', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1,1,1] x) => (uint8[1,1,1,1] y)
        <float xs = {1.7014118e+38}, uint8 xz = {0}, uint8[1,1,1,1] w = {1}, float ws = {4}, uint8 wz = {0},
            float ys = {5.316912e+36}, uint8 yz = {0}>
        { y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz) }""",
        feed={'x': [1]}, want={'y': [128]}),
    Case('QLinearMul', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1] a) => (uint8[1] y)
        <float as = {1.7014118e+38}, uint8 az = {0}, uint8[1] b = {1}, float bs = {4}, uint8 bz = {0}, float ys = {5.316912e+36},
            uint8 yz = {0}>
        { y = com.microsoft.QLinearMul (a, as, az, b, bs, bz, ys, yz) }""",
        feed={'a': [1]}, want={'y': [128]}),
    Case('QLinearConcat', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (int8[1] x) => (int8[1] y)
        <float ys = {2.1267648e+37}, int8 yz = {0}, float xs = {1.0633824e+37}, int8 xz = {0}>
        { y = com.microsoft.QLinearConcat <axis = 0> (ys, yz, x, xs, xz) }""",
        feed={'x': [-32]}, want={'y': [-16]}),
    Case('QLinearWhere', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (bool[1] p) => (uint8[1] y)
        <uint8[1] b = {16}, float bs = {2.1267648e+37}, uint8 bz = {0}, uint8[1] c = {0}, float cs = {1}, uint8 cz = {0},
            float ys = {2.658456e+36}, uint8 yz = {0}>
        { y = com.microsoft.QLinearWhere (p, b, bs, bz, c, cs, cz, ys, yz) }""",
        feed={'p': [True]}, want={'y': [128]}),
    Case('QLinearLeakyRelu', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1] x) => (uint8[1] y)
        <float xs = {2.1267648e+37}, uint8 xz = {0}, float ys = {2.658456e+36}, uint8 yz = {0}>
        { y = com.microsoft.QLinearLeakyRelu (x, xs, xz, ys, yz) }""",
        feed={'x': [16]}, want={'y': [128]}),
    Case('QGemm, subnormal', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1] a) => (float[1,1] y)
        <uint8 az = {0}, int8[1,1] b = {0}, float bs = {1}, int8 bz = {0}, int32[1,1] c = {-36}>
        { y = com.microsoft.QGemm <alpha = 0.5> (a, as, az, b, bs, bz, c) }""",
        feed={'a': [0]}, want={'y': [-1.8413061821228096e-42]}, constants={'as': 1.02e-43}),
    Case('DynamicQuantizeMatMul, subnormal', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (float[1,1] a) => (float[1,1] y)
        <int8[1,1] b = {2}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, bs) }""",
        feed={'a': [-64.0]}, want={'y': [-1.1479437019748901e-41]}, constants={'bs': 9e-44}),
])
