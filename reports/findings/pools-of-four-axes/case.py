"""Pools of more than three spatial axes are refused at run time"""
from frames.onnxruntime import Case, main

main([
    Case(op, f"""<ir_version: 7, opset_import: ["" : 13]>
        case (float[1,1,1,1,1,2] x) => (float[1,1,1,1,1,1] y)
        {{ y = {op} {attributes} (x) }}""",
        feed={'x': [1, 3]}, want={'y': [want]})
    for op, attributes, want in (
        ('GlobalAveragePool', '', 2), ('GlobalMaxPool', '', 3),
        ('AveragePool', '<kernel_shape = [1, 1, 1, 2]>', 2), ('MaxPool', '<kernel_shape = [1, 1, 1, 2]>', 3))
])
