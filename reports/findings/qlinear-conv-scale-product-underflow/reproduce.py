"""findings/qlinear-conv-scale-product-underflow

pip install numpy onnxruntime
exit: 0 the answer is the expected one, 1 it is not
"""
import base64
import ctypes
import sys

import numpy
import onnxruntime

REJECT = None
MODEL = (
    'CAk6pwIKWwoBeAoHeF9zY2FsZQoMeF96ZXJvX3BvaW50CgF3Cgd3X3NjYWxlCgx3X3plcm9fcG9pbnQKB3lfc2NhbGUKDHlfemVy'
    'b19wb2ludBIBeSILUUxpbmVhckNvbnYSBGNhc2UqERABQgd4X3NjYWxlSgQAAMAaKhMQAkIMeF96ZXJvX3BvaW50SgEAKhAIAQgB'
    'CAEIARACQgF3SgEEKhEQAUIHd19zY2FsZUoEAADAGioTEAJCDHdfemVyb19wb2ludEoBACoREAFCB3lfc2NhbGVKBBAAAAAqExAC'
    'Qgx5X3plcm9fcG9pbnRKAQBaGwoBeBIWChQIAhIQCgIIAQoCCAEKAggBCgIIAWIbCgF5EhYKFAgCEhAKAggBCgIIAQoCCAEKAggB'
    'QgQKABAK'
)
INPUTS = [  # name, type, shape, bytes
    ('x', 2, (1, 1, 1, 1, ),
    'yA=='
    ),
]
OUTPUTS = [
    ('y', 2, (1, 1, 1, 1, ),
    '4Q=='
    ),
]

# ONNX's numbers of element types, and NumPy types of that size.
NUMPY = {1: 'f4', 2: 'u1', 3: 'i1', 4: 'u2', 5: 'i2', 6: 'i4', 7: 'i8', 9: '?', 10: 'f2', 11: 'f8',
         16: 'u2', 17: 'u1', 18: 'u1', 19: 'u1', 20: 'u1', 24: 'u1'}


def array(number, shape, text):
    return numpy.frombuffer(base64.b64decode(text), NUMPY[number]).reshape(shape).copy()


def feed(number, shape, text):
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array(number, shape, text), number)


def codes(value, like):
    return numpy.frombuffer(ctypes.string_at(value.data_ptr(), like.nbytes), like.dtype).reshape(like.shape)


print('onnxruntime', onnxruntime.__version__)
onnxruntime.set_default_logger_severity(4)
options = onnxruntime.SessionOptions()
if len(sys.argv) > 1:  # disable_all, enable_basic, enable_extended or enable_all
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, 'ORT_' + sys.argv[1].upper())
model = base64.b64decode(MODEL)
try:
    session = onnxruntime.InferenceSession(model, options, providers=['CPUExecutionProvider'])
    have = session.run_with_ort_values(None, {name: feed(*rest) for name, *rest in INPUTS})
except Exception as error:
    print('refused:', error)
    sys.exit(1 if REJECT is None else 0)
if REJECT is not None:
    print('taken, but it breaks the rule', REJECT)
    sys.exit(1)
bad = 0
for value, (name, *rest) in zip(have, OUTPUTS):
    want = array(*rest)
    got = codes(value, want)
    same = (got == want) | ((got != got) & (want != want))
    for place in numpy.argwhere(~same)[:10]:
        place = tuple(int(i) for i in place)
        print(f'{name}{list(place)}: want {want[place]}, have {got[place]}')
    bad += int((~same).sum())
    print(f'{name}: {int((~same).sum())} of {want.size} elements differ')
sys.exit(bad > 0)
