"""Max and Min end the process when an operand after the first is left out"""
from frames.onnxruntime import Case, main

main([
    Case(op, f"""<ir_version: 7, opset_import: ["" : 13]>
        case (float[2] x) => (float[2] y)
        {{ y = {op} (x, , x) }}""",
        feed={'x': [1, 2]}, want=None)
    for op in ('Max', 'Min')
])
