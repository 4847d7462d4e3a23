"""Tanh of tiny numbers is off by up to 102 steps of 2^-149"""
from frames.onnxruntime import Case, main

main([
    Case('Tanh', """<ir_version: 10, opset_import: ["" : 21]>
        case (float[4] x) => (float[4] y)
        { y = Tanh (x) }""",
        feed={'x': [-1.793662034335766e-43, -8.96831017167883e-44, 1.401298464324817e-42, 2.350988701644575e-38]},
        want={'y': [-1.793662034335766e-43, -8.96831017167883e-44, 1.401298464324817e-42, 2.350988701644575e-38]},
        rtol=6e-07),
])
