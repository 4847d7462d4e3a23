"""Operands of shapes that the text excludes pass

pip install numpy onnxruntime
usage: python3 reproduce.py [none | basic | extended | all]: the level of optimization, all by default
exit: 0 the answers are the expected ones, 1 they are not
"""
import base64
import ctypes
import os
import subprocess
import sys

import numpy
import onnxruntime

# feed and want: name: (ONNX's number of the type, shape, values); a want of None is a model to be refused.
CASES = [
    # case (uint8[1,3] input) => (uint8[?,?] y)
    #    <int64[1,2] shape =  {2,3}>
    # {
    #    y = Expand (input, shape)
    # }
    {
        'name': 'Expand/shape-rank/row',
        'feed': {
            'input': (2, [1, 3], [26, 211, 140]),
        },
        'want': None,
        'model': (
            'CAc6XgoZCgVpbnB1dAoFc2hhcGUSAXkiBkV4cGFuZBIEY2FzZSoRCAEIAhAHOgICA0IFc2hhcGVaFwoFaW5wdXQSDgoMCAIS'
            'CAoCCAEKAggDYg8KAXkSCgoICAISBAoACgBCBAoAEA0='
        ),
    },
    # case (uint8[2,2] X) => (uint8[?,?] y)
    #    <float[1,4] roi =  {0,0,1,1}, int64[2] sizes =  {2,3}>
    # {
    #    y = Resize <coordinate_transformation_mode: string = "tf_crop_and_resize"> (X, roi, "", sizes)
    # }
    {
        'name': 'Resize/roi-rank/row',
        'feed': {
            'X': (2, [2, 2], [10, 200, 30, 40]),
        },
        'want': None,
        'model': (
            'CAk6swEKVQoBWAoDcm9pCgAKBXNpemVzEgF5IgZSZXNpemUqNwoeY29vcmRpbmF0ZV90cmFuc2Zvcm1hdGlvbl9tb2RlIhJ0'
            'Zl9jcm9wX2FuZF9yZXNpemWgAQMSBGNhc2UqHQgBCAQQASIQAAAAAAAAAAAAAIA/AACAP0IDcm9pKg8IAhAHOgICA0IFc2l6'
            'ZXNaEwoBWBIOCgwIAhIICgIIAgoCCAJiDwoBeRIKCggIAhIECgAKAEIECgAQEw=='
        ),
    },
    # case (uint8[2,3] X) => (uint8[?,?] y)
    #    <float X_scale =  {0.0625}, uint8[2] x_zero_point =  {1,1}, float y_scale =  {0.00390625}, uint8
    #         y_zero_point =  {0}>
    # {
    #    y = com.microsoft.QLinearSoftmax <axis: int = -1, opset: int = 13> (X, X_scale, x_zero_point, y_scale,
    #         y_zero_point)
    # }
    {
        'name': 'QLinearSoftmax/x_zero_point-shape/two',
        'feed': {
            'X': (2, [2, 3], [3, 7, 250, 1, 90, 128]),
        },
        'want': None,
        'model': (
            'CAc6+AEKdwoBWAoHWF9zY2FsZQoMeF96ZXJvX3BvaW50Cgd5X3NjYWxlCgx5X3plcm9fcG9pbnQSAXkiDlFMaW5lYXJTb2Z0'
            'bWF4KhQKBGF4aXMY////////////AaABAioMCgVvcHNldBgNoAECOg1jb20ubWljcm9zb2Z0EgRjYXNlKhEQASIEAACAPUIH'
            'WF9zY2FsZSoWCAIQAioCAQFCDHhfemVyb19wb2ludCoREAEiBAAAgDtCB3lfc2NhbGUqExACKgEAQgx5X3plcm9fcG9pbnRa'
            'EwoBWBIOCgwIAhIICgIIAgoCCANiDwoBeRIKCggIAhIECgAKAEIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (uint8[2,3] X) => (uint8[?,?] y)
    #    <float X_scale =  {0.0625}, uint8 x_zero_point =  {100}, float[2] y_scale =  {1,1}, uint8 y_zero_point
    #         =  {0}>
    # {
    #    y = com.microsoft.QLinearSoftmax <axis: int = -1, opset: int = 13> (X, X_scale, x_zero_point, y_scale,
    #         y_zero_point)
    # }
    {
        'name': 'QLinearSoftmax/y_scale-shape/two',
        'feed': {
            'X': (2, [2, 3], [3, 7, 250, 1, 90, 128]),
        },
        'want': None,
        'model': (
            'CAc6+wEKdwoBWAoHWF9zY2FsZQoMeF96ZXJvX3BvaW50Cgd5X3NjYWxlCgx5X3plcm9fcG9pbnQSAXkiDlFMaW5lYXJTb2Z0'
            'bWF4KhQKBGF4aXMY////////////AaABAioMCgVvcHNldBgNoAECOg1jb20ubWljcm9zb2Z0EgRjYXNlKhEQASIEAACAPUIH'
            'WF9zY2FsZSoTEAIqAWRCDHhfemVyb19wb2ludCoXCAIQASIIAACAPwAAgD9CB3lfc2NhbGUqExACKgEAQgx5X3plcm9fcG9p'
            'bnRaEwoBWBIOCgwIAhIICgIIAgoCCANiDwoBeRIKCggIAhIECgAKAEIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (uint8[2,3] X) => (uint8[?,?] y)
    #    <float X_scale =  {0.0625}, uint8 x_zero_point =  {100}, float y_scale =  {0.00390625}, uint8[2]
    #         y_zero_point =  {1,1}>
    # {
    #    y = com.microsoft.QLinearSoftmax <axis: int = -1, opset: int = 13> (X, X_scale, x_zero_point, y_scale,
    #         y_zero_point)
    # }
    {
        'name': 'QLinearSoftmax/y_zero_point-shape/two',
        'feed': {
            'X': (2, [2, 3], [3, 7, 250, 1, 90, 128]),
        },
        'want': None,
        'model': (
            'CAc6+AEKdwoBWAoHWF9zY2FsZQoMeF96ZXJvX3BvaW50Cgd5X3NjYWxlCgx5X3plcm9fcG9pbnQSAXkiDlFMaW5lYXJTb2Z0'
            'bWF4KhQKBGF4aXMY////////////AaABAioMCgVvcHNldBgNoAECOg1jb20ubWljcm9zb2Z0EgRjYXNlKhEQASIEAACAPUIH'
            'WF9zY2FsZSoTEAIqAWRCDHhfemVyb19wb2ludCoREAEiBAAAgDtCB3lfc2NhbGUqFggCEAIqAgEBQgx5X3plcm9fcG9pbnRa'
            'EwoBWBIOCgwIAhIICgIIAgoCCANiDwoBeRIKCggIAhIECgAKAEIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (uint8[1,1] a, uint8[1,1] b) => (float[1,1] y)
    #    <float s = {1}, uint8[1,1] z = {1}>
    # {
    #    y = com.microsoft.MatMulIntegerToFloat (a, b, s, s, , z)
    # }
    {
        'name': 'MatMulIntegerToFloat/b_zero_point-shape/row',
        'feed': {
            'a': (2, [1, 1], [1]),
            'b': (2, [1, 1], [1]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOpsBCjkKAWEKAWIKAXMKAXMKAAoBehIBeSIUTWF0TXVsSW50ZWdlclRvRmxvYXQ6DWNvbS5taWNyb3NvZnQSBGNh'
            'c2UqCxABIgQAAIA/QgFzKgwIAQgBEAIqAQFCAXpaEwoBYRIOCgwIAhIICgIIAQoCCAFaEwoBYhIOCgwIAhIICgIIAQoCCAFiEwoB'
            'eRIOCgwIARIICgIIAQoCCAFCBAoAEA1CEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (uint8[1,1] a, uint8[1,0] b) => (float[1,0] y)
    #    <float s = {1}, uint8[2] z = {1, 1}>
    # {
    #    y = com.microsoft.MatMulIntegerToFloat (a, b, s, s, , z)
    # }
    {
        'name': 'MatMulIntegerToFloat/b_zero_point-shape/two for no columns',
        'feed': {
            'a': (2, [1, 1], [1]),
            'b': (2, [1, 0], []),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOpoBCjkKAWEKAWIKAXMKAXMKAAoBehIBeSIUTWF0TXVsSW50ZWdlclRvRmxvYXQ6DWNvbS5taWNyb3NvZnQSBGNh'
            'c2UqCxABIgQAAIA/QgFzKgsIAhACKgIBAUIBeloTCgFhEg4KDAgCEggKAggBCgIIAVoTCgFiEg4KDAgCEggKAggBCgIIAGITCgF5'
            'Eg4KDAgBEggKAggBCgIIAEIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (float[1,1] a, uint8[1,1] b) => (float[1,1] y)
    #    <float s = {1}, float[1,1] c = {1}>
    # {
    #    y = com.microsoft.DynamicQuantizeMatMul (a, b, s, , c)
    # }
    {
        'name': 'DynamicQuantizeMatMul/bias-shape/row',
        'feed': {
            'a': (1, [1, 1], [1.0]),
            'b': (2, [1, 1], [1]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOpwBCjcKAWEKAWIKAXMKAAoBYxIBeSIVRHluYW1pY1F1YW50aXplTWF0TXVsOg1jb20ubWljcm9zb2Z0EgRjYXNl'
            'KgsQASIEAACAP0IBcyoPCAEIARABIgQAAIA/QgFjWhMKAWESDgoMCAESCAoCCAEKAggBWhMKAWISDgoMCAISCAoCCAEKAggBYhMK'
            'AXkSDgoMCAESCAoCCAEKAggBQgQKABANQhEKDWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (uint8[1] x) => (uint8[1] y)
    #    <float s = {1}, float[2] t = {1, 1}, uint8 z = {0}>
    # {
    #    y = com.microsoft.QLinearConcat <axis = 0> (s, z, x, t, z)
    # }
    {
        'name': 'QLinearConcat/x_scale-shape/two',
        'feed': {
            'x': (2, [1], [5]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOpEBCj0KAXMKAXoKAXgKAXQKAXoSAXkiDVFMaW5lYXJDb25jYXQqCwoEYXhpcxgAoAECOg1jb20ubWljcm9zb2Z0'
            'EgRjYXNlKgsQASIEAACAP0IBcyoRCAIQASIIAACAPwAAgD9CAXQqCBACKgEAQgF6Wg8KAXgSCgoICAISBAoCCAFiDwoBeRIKCggI'
            'AhIECgIIAUIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (uint8[1] x, uint8[1,1] t) => (uint8[1] y)
    #    <float s = {1}, uint8 z = {0}>
    # {
    #    y = com.microsoft.QLinearConcat <axis = 0> (s, z, x, s, t)
    # }
    {
        'name': 'QLinearConcat/x_zero_point-shape/row',
        'feed': {
            'x': (2, [1], [5]),
            't': (2, [1, 1], [0]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOpMBCj0KAXMKAXoKAXgKAXMKAXQSAXkiDVFMaW5lYXJDb25jYXQqCwoEYXhpcxgAoAECOg1jb20ubWljcm9zb2Z0'
            'EgRjYXNlKgsQASIEAACAP0IBcyoIEAIqAQBCAXpaDwoBeBIKCggIAhIECgIIAVoTCgF0Eg4KDAgCEggKAggBCgIIAWIPCgF5EgoK'
            'CAgCEgQKAggBQgQKABANQhEKDWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (uint8[1,2] x, float[0] none) => (uint8[1,2] y)
    #    <float s = {1}, uint8 z = {0}>
    # {
    #    y = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (x, none, z, s, z)
    # }
    {
        'name': 'QLinearSoftmax/x_scale-shape/none',
        'feed': {
            'x': (2, [1, 2], [1, 2]),
            'none': (1, [0], []),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOrUBClgKAXgKBG5vbmUKAXoKAXMKAXoSAXkiDlFMaW5lYXJTb2Z0bWF4KhQKBGF4aXMY////////////AaABAioM'
            'CgVvcHNldBgNoAECOg1jb20ubWljcm9zb2Z0EgRjYXNlKgsQASIEAACAP0IBcyoIEAIqAQBCAXpaEwoBeBIOCgwIAhIICgIIAQoC'
            'CAJaEgoEbm9uZRIKCggIARIECgIIAGITCgF5Eg4KDAgCEggKAggBCgIIAkIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (float[1,1] a, uint8[1,1] b) => (float[1,1] y)
    #    <float s = {1}, uint8[1,1] z = {1}>
    # {
    #    y = com.microsoft.DynamicQuantizeMatMul (a, b, s, z)
    # }
    {
        'name': 'DynamicQuantizeMatMul/b_zero_point-shape/row',
        'feed': {
            'a': (1, [1, 1], [1.0]),
            'b': (2, [1, 1], [1]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOpcBCjUKAWEKAWIKAXMKAXoSAXkiFUR5bmFtaWNRdWFudGl6ZU1hdE11bDoNY29tLm1pY3Jvc29mdBIEY2FzZSoL'
            'EAEiBAAAgD9CAXMqDAgBCAEQAioBAUIBeloTCgFhEg4KDAgBEggKAggBCgIIAVoTCgFiEg4KDAgCEggKAggBCgIIAWITCgF5Eg4K'
            'DAgBEggKAggBCgIIAUIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (float[1,1] a) => (float[1,1] y)
    #    <float[1,1] s = {1}, float16[1,1] z = {1}, uint8[8] codes = {0, 0, 0, 0, 0, 0, 0, 0}, int64[3] shape = {1, 1, 8}>
    # {
    #    b = Reshape (codes, shape)
    #    y = com.microsoft.MatMulNBits <K = 1, N = 1, bits = 4, block_size = 16> (a, b, s, z)
    # }
    {
        'name': 'MatMulNBits/zero_points-type/float16 beside float32',
        'feed': {
            'a': (1, [1, 1], [1.0]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOvcBChwKBWNvZGVzCgVzaGFwZRIBYiIHUmVzaGFwZToACl8KAWEKAWIKAXMKAXoSAXkiC01hdE11bE5CaXRzKggK'
            'AUsYAaABAioICgFOGAGgAQIqCwoEYml0cxgEoAECKhEKCmJsb2NrX3NpemUYEKABAjoNY29tLm1pY3Jvc29mdBIEY2FzZSoPCAEI'
            'ARABIgQAAIA/QgFzKgwIAQgBEAoqAQFCAXoqFQgIEAIqCAAAAAAAAAAAQgVjb2RlcyoQCAMQBzoDAQEIQgVzaGFwZVoTCgFhEg4K'
            'DAgBEggKAggBCgIIAWITCgF5Eg4KDAgBEggKAggBCgIIAUIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (uint8[1] x) => (uint8[1] y)
    #    <bool[1] c = {0}, uint8[1] b = {1}, float s = {1}, float[2] t = {1, 1}, uint8 z = {0}>
    # {
    #    y = com.microsoft.QLinearWhere (c, b, t, z, x, s, z, s, z)
    # }
    {
        'name': 'QLinearWhere/x_scale-shape/two',
        'feed': {
            'x': (2, [1], [5]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOqcBCjsKAWMKAWIKAXQKAXoKAXgKAXMKAXoKAXMKAXoSAXkiDFFMaW5lYXJXaGVyZToNY29tLm1pY3Jvc29mdBIE'
            'Y2FzZSoKCAEQCSoBAEIBYyoKCAEQAioBAUIBYioLEAEiBAAAgD9CAXMqEQgCEAEiCAAAgD8AAIA/QgF0KggQAioBAEIBeloPCgF4'
            'EgoKCAgCEgQKAggBYg8KAXkSCgoICAISBAoCCAFCBAoAEA1CEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (uint8[1] x) => (uint8[1] y)
    #    <bool[1] c = {0}, uint8[1] b = {1}, float s = {1}, float[2] t = {1, 1}, uint8 z = {0}>
    # {
    #    y = com.microsoft.QLinearWhere (c, b, s, z, x, t, z, s, z)
    # }
    {
        'name': 'QLinearWhere/y_scale-shape/two',
        'feed': {
            'x': (2, [1], [5]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOqcBCjsKAWMKAWIKAXMKAXoKAXgKAXQKAXoKAXMKAXoSAXkiDFFMaW5lYXJXaGVyZToNY29tLm1pY3Jvc29mdBIE'
            'Y2FzZSoKCAEQCSoBAEIBYyoKCAEQAioBAUIBYioLEAEiBAAAgD9CAXMqEQgCEAEiCAAAgD8AAIA/QgF0KggQAioBAEIBeloPCgF4'
            'EgoKCAgCEgQKAggBYg8KAXkSCgoICAISBAoCCAFCBAoAEA1CEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
]

# ONNX's numbers of element types, and NumPy types of that size. Values of types that NumPy lacks are written as bytes.
NUMPY = {1: 'f4', 2: 'u1', 3: 'i1', 5: 'i2', 6: 'i4', 7: 'i8', 10: 'f2', 17: 'u1', 19: 'u1', 24: 'u1', 26: 'u1'}
LEVELS = {'none': 'DISABLE_ALL', 'basic': 'ENABLE_BASIC', 'extended': 'ENABLE_EXTENDED', 'all': 'ENABLE_ALL'}


def array(number, shape, values):
    return numpy.array(values, NUMPY[number]).reshape(shape)


def own_outputs(session, case, feeds):
    """The outputs in memory of ONNX Runtime's own, whose types it says."""
    return session.run_with_ort_values(None, dict(zip(case['feed'], feeds)))


def run(case):
    """Runs one case and returns what came out, or None where it was refused."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    onnxruntime.set_default_logger_severity(4)
    level = sys.argv[1] if len(sys.argv) > 1 else 'all'
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, 'ORT_' + LEVELS[level])
    try:
        session = onnxruntime.InferenceSession(
            base64.b64decode(case['model']), options, providers=['CPUExecutionProvider'])
        binding = session.io_binding()
        feeds = [onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array(*tensor), tensor[0])
                 for tensor in case['feed'].values()]
        for name, value in zip(case['feed'], feeds):
            binding.bind_ortvalue_input(name, value)
        outputs = []
        for name, (number, shape, values) in (case['want'] or {}).items():
            outputs.append(onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
                numpy.frombuffer(b'\x5a' * array(number, shape, values).nbytes, NUMPY[number])
                .reshape(shape).copy(), number))
            binding.bind_ortvalue_output(name, outputs[-1])
        if case['want'] is None:
            for output in session.get_outputs():
                binding.bind_output(output.name)
        session.run_with_iobinding(binding)
        for (name, want), value in zip((case['want'] or {}).items(), own_outputs(session, case, feeds)):
            if value.element_type() != want[0]:
                print(f'  {name}: want type {want[0]}, have {value.element_type()} ({value.data_type()})')
                return None
    except Exception as error:
        print('  refused:', str(error).strip().split('\n')[0])
        return None
    if case['want'] is None:
        return []
    return [numpy.frombuffer(ctypes.string_at(value.data_ptr(), like.nbytes), like.dtype).reshape(like.shape)
            for value, like in zip(outputs, (array(*t) for t in case['want'].values()))]


def shows(case):
    """Whether the answer of one case is not the expected one."""
    have = run(case)
    if case['want'] is None:
        print('  want: refused; have:', 'refused' if have is None else 'taken')
        return have is not None
    if have is None:
        print('  want: an answer; have: none')
        return True
    bad = False
    for (name, want), got in zip(case['want'].items(), have):
        want = array(*want)
        same = numpy.allclose(got, want, rtol=case.get('rtol', 0), atol=0)
        print(f'  {name}: want {want.ravel().tolist()}, have {got.ravel().tolist()}')
        bad = bad or not same
    return bad


def main():
    if os.environ.get('REPRODUCE_CASE'):
        sys.exit(10 + shows(CASES[int(os.environ['REPRODUCE_CASE'])]))
    print('onnxruntime', onnxruntime.__version__)
    bad = 0
    for i, case in enumerate(CASES):  # each in a process of its own: some crash
        print(case['name'], flush=True)
        child = subprocess.run([sys.executable] + sys.argv, env={**os.environ, 'REPRODUCE_CASE': str(i)},
                               timeout=60, check=False)
        if child.returncode not in (10, 11):
            print('  died: status', child.returncode)
        bad += child.returncode != 10
    print(f'{bad} of {len(CASES)} cases show the divergence')
    sys.exit(bad > 0)


main()
