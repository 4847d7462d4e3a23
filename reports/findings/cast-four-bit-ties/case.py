"""Cast of a float to uint4 or int4 rounds ties away from zero"""
from frames.onnxruntime import Case, main

main([
    Case('uint4', """<ir_version: 10, opset_import: ["" : 21]>
        case (float[7] x) => (int8[7] y)
        {
            q = Cast <to = 21> (x)
            y = Cast <to = 3> (q)
        }""",
        feed={'x': [0.5, 1.5, 2.5, 10.5, 14.5, 7.25, 7.75]}, want={'y': [0, 2, 2, 10, 14, 7, 8]}),
    Case('int4', """<ir_version: 10, opset_import: ["" : 21]>
        case (float[7] x) => (int8[7] y)
        {
            q = Cast <to = 22> (x)
            y = Cast <to = 3> (q)
        }""",
        feed={'x': [-7.5, -6.5, -0.5, 0.5, 4.5, 5.5, -2.75]}, want={'y': [-8, -6, 0, 0, 4, 6, -3]}),
])
