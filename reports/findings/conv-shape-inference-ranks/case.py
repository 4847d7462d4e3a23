"""Shape inference of convolutions reads the dimensions of an operand of another rank beyond their end"""
from frames.onnxruntime import Case, main

main([
    Case('ConvInteger, x of rank 3 and w of rank 4', """<ir_version: 8, opset_import: ["" : 13]>
        case (int8[1,1,1] x, int8[1,1,1,1] w) => (int32[1,1,1] y)
        { y = ConvInteger (x, w) }""",
        feed={'x': [0], 'w': [0]}, want=None),
    Case('ConvTranspose, x of rank 2 and w of rank 4', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1] x, float[1,1,1,1] w) => (float[1,1] y)
        { y = ConvTranspose (x, w) }""",
        feed={'x': [0.0], 'w': [0.0]}, want=None),
    Case('ConvTranspose, x of rank 4 and w of rank 1', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,1,1] x, float[1] w) => (float[1,1,1,1] y)
        { y = ConvTranspose <pads = [0, 0, 0, 0]> (x, w) }""",
        feed={'x': [0.0], 'w': [0.0]}, want=None),
])
