"""DepthToSpace, SpaceToDepth and Where of 8 bits"""
from frames.onnxruntime import Case, main

main([
    Case('DequantizeLinear, DepthToSpace, QuantizeLinear of int8', """<ir_version: 10, opset_import: ["" : 13]>
        case (int8[1,4,1,1] x) => (int8[1,1,2,2] y)
        <float s = {0.5}, int8 z = {3}>
        {
            [DequantizeLinear_xf] xf = DequantizeLinear (x, s, z)
            [DepthToSpace_yf] yf = DepthToSpace <blocksize = 2> (xf)
            [QuantizeLinear_y] y = QuantizeLinear (yf, s, z)
        }""",
        feed={'x': [1, -2, 3, -4]}, want={'y': [1, -2, 3, -4]}),
    Case('DepthToSpace of int8', """<ir_version: 10, opset_import: ["" : 13]>
        case (int8[1,4,1,1] x) => (int8[1,1,2,2] y)
        { [DepthToSpace_y] y = DepthToSpace <blocksize = 2> (x) }""",
        feed={'x': [1, -2, 3, -4]}, want={'y': [1, -2, 3, -4]}),
    Case('SpaceToDepth of uint8', """<ir_version: 10, opset_import: ["" : 13]>
        case (uint8[1,1,2,2] x) => (uint8[1,4,1,1] y)
        { [SpaceToDepth_y] y = SpaceToDepth <blocksize = 2> (x) }""",
        feed={'x': [1, 2, 3, 4]}, want={'y': [1, 2, 3, 4]}),
    Case('Where of int8', """<ir_version: 10, opset_import: ["" : 16]>
        case (int8[2] a, int8[2] b) => (int8[2] y)
        <bool[2] c = {1, 0}>
        { [Where_y] y = Where (c, a, b) }""",
        feed={'a': [1, 2], 'b': [3, 4]}, want={'y': [1, 4]}),
])
