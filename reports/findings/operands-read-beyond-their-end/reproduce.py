"""Operands that are too short are read beyond their ends

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
    # case (float[1,2,3,3] x) => (float[?,?,?,?] y)
    #    <float[4,1,2,2] w =  {-0.25,-1.5,1,2,0.5,3,0.75,-2,-0.25,-1.5,1,2,0.5,3,0.75,-2}, float[3] b =
    #         {-0.25,-1.5,1}>
    # {
    #    y = Conv <group: int = 2> (x, w, b)
    # }
    {
        'name': 'Conv/bias-shape/one-short',
        'feed': {
            'x': (1, [1, 2, 3, 3], [-0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0,
                -0.25, -1.5]),
        },
        'want': None,
        'model': (
            'CAY6wgEKIAoBeAoBdwoBYhIBeSIEQ29udioMCgVncm91cBgCoAECEgRjYXNlKk8IBAgBCAIIAhABIkAAAIC+AADAvwAAgD8A'
            'AABAAAAAPwAAQEAAAEA/AAAAwAAAgL4AAMC/AACAPwAAAEAAAAA/AABAQAAAQD8AAADAQgF3KhUIAxABIgwAAIC+AADAvwAA'
            'gD9CAWJaGwoBeBIWChQIARIQCgIIAQoCCAIKAggDCgIIA2ITCgF5Eg4KDAgBEggKAAoACgAKAEIECgAQCw=='
        ),
    },
    # case (float[1,2,3,3] x) => (float[?,?,?,?] y)
    #    <float[4,1,2,2] w =  {-0.25,-1.5,1,2,0.5,3,0.75,-2,-0.25,-1.5,1,2,0.5,3,0.75,-2}, float[1,4] b =
    #         {-0.25,-1.5,1,2}>
    # {
    #    y = Conv <group: int = 2> (x, w, b)
    # }
    {
        'name': 'Conv/bias-shape/row',
        'feed': {
            'x': (1, [1, 2, 3, 3], [-0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0,
                -0.25, -1.5]),
        },
        'want': None,
        'model': (
            'CAY6yAEKIAoBeAoBdwoBYhIBeSIEQ29udioMCgVncm91cBgCoAECEgRjYXNlKk8IBAgBCAIIAhABIkAAAIC+AADAvwAAgD8A'
            'AABAAAAAPwAAQEAAAEA/AAAAwAAAgL4AAMC/AACAPwAAAEAAAAA/AABAQAAAQD8AAADAQgF3KhsIAQgEEAEiEAAAgL4AAMC/'
            'AACAPwAAAEBCAWJaGwoBeBIWChQIARIQCgIIAQoCCAIKAggDCgIIA2ITCgF5Eg4KDAgBEggKAAoACgAKAEIECgAQCw=='
        ),
    },
    # case (float[2,3] A) => (float[?,?] y)
    #    <uint8[3,4] B =  {9,200,4,77,1,0,128,255,3,4,5,6}, float b_scale =  {0.5}, uint8 b_zero_point =  {128},
    #          float[3] bias =  {1,1,1}>
    # {
    #    y = com.microsoft.DynamicQuantizeMatMul (A, B, b_scale, b_zero_point, bias)
    # }
    {
        'name': 'DynamicQuantizeMatMul/bias-shape/three',
        'feed': {
            'A': (1, [2, 3], [1.0, -2.0, 0.5, 3.0, 0.0, 4.0]),
        },
        'want': None,
        'model': (
            'CAc62QEKTAoBQQoBQgoHYl9zY2FsZQoMYl96ZXJvX3BvaW50CgRiaWFzEgF5IhVEeW5hbWljUXVhbnRpemVNYXRNdWw6DWNv'
            'bS5taWNyb3NvZnQSBGNhc2UqGggDCAQQAioPCcgBBE0BAIAB/wEDBAUGQgFCKhEQASIEAAAAP0IHYl9zY2FsZSoUEAIqAoAB'
            'QgxiX3plcm9fcG9pbnQqGAgDEAEiDAAAgD8AAIA/AACAP0IEYmlhc1oTCgFBEg4KDAgBEggKAggCCgIIA2IPCgF5EgoKCAgB'
            'EgQKAAoAQgQKABANQhEKDWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (uint8[2,3] A) => (float[?,?] y)
    #    <uint8[3,4] B =  {9,200,4,77,1,0,128,255,3,4,5,6}, float a_scale =  {0.25}, float b_scale =  {0.5},
    #         uint8 a_zero_point =  {100}, uint8 b_zero_point =  {128}, float[3] bias =  {1,1,1}>
    # {
    #    y = com.microsoft.MatMulIntegerToFloat (A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias)
    # }
    {
        'name': 'MatMulIntegerToFloat/bias-shape/three',
        'feed': {
            'A': (2, [2, 3], [1, 2, 250, 3, 0, 4]),
        },
        'want': None,
        'model': (
            'CAc6lwIKYgoBQQoBQgoHYV9zY2FsZQoHYl9zY2FsZQoMYV96ZXJvX3BvaW50CgxiX3plcm9fcG9pbnQKBGJpYXMSAXkiFE1h'
            'dE11bEludGVnZXJUb0Zsb2F0Og1jb20ubWljcm9zb2Z0EgRjYXNlKhoIAwgEEAIqDwnIAQRNAQCAAf8BAwQFBkIBQioREAEi'
            'BAAAgD5CB2Ffc2NhbGUqERABIgQAAAA/QgdiX3NjYWxlKhMQAioBZEIMYV96ZXJvX3BvaW50KhQQAioCgAFCDGJfemVyb19w'
            'b2ludCoYCAMQASIMAACAPwAAgD8AAIA/QgRiaWFzWhMKAUESDgoMCAISCAoCCAIKAggDYg8KAXkSCgoICAESBAoACgBCBAoA'
            'EA1CEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (float[2,16] A) => (float[?,?] y)
    #    <uint8[3,1,7] B =  {1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}, float[3,1] scales =  {0.5,0.25,1},
    #         uint8[3,1] zero_points =  {7,8,9}, float[3] bias =  {1,0,-1}>
    # {
    #    y = com.microsoft.MatMulNBits <K: int = 16, N: int = 3, block_size: int = 16, bits: int = 4,
    #         accuracy_level: int = 0> (A, B, scales, zero_points, "", bias)
    # }
    {
        'name': 'MatMulNBits/b-shape/seven',
        'feed': {
            'A': (1, [2, 16], [1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0,
                -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0]),
        },
        'want': None,
        'model': (
            'CAc6sgIKjQEKAUEKAUIKBnNjYWxlcwoLemVyb19wb2ludHMKAAoEYmlhcxIBeSILTWF0TXVsTkJpdHMqCAoBSxgQoAECKggK'
            'AU4YA6ABAioRCgpibG9ja19zaXplGBCgAQIqCwoEYml0cxgEoAECKhUKDmFjY3VyYWN5X2xldmVsGACgAQI6DWNvbS5taWNy'
            'b3NvZnQSBGNhc2UqIggDCAEIBxACKhUBAQEBAQEBAQEBAQEBAQEBAQEBAQFCAUIqHAgDCAEQASIMAAAAPwAAgD4AAIA/QgZz'
            'Y2FsZXMqGAgDCAEQAioDBwgJQgt6ZXJvX3BvaW50cyoYCAMQASIMAACAPwAAAAAAAIC/QgRiaWFzWhMKAUESDgoMCAESCAoC'
            'CAIKAggQYg8KAXkSCgoICAESBAoACgBCBAoAEA1CEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (float16[1,1] a) => (float16[1,3] y)
    #    <uint8[1,1,1] b = {0}, float16[3,1] s = {1, 1, 1}>
    # {
    #    y = com.microsoft.MatMulNBits <K = 1, N = 3, bits = 4, block_size = 16> (a, b, s)
    # }
    {
        'name': 'MatMulNBits, float16, constant B of one byte for 24',
        'feed': {
            'a': (10, [1, 1], [1.0]),
        },
        'want': None,
        'model': (
            'CAgSBXFkaWZmOq4BClwKAWEKAWIKAXMSAXkiC01hdE11bE5CaXRzKggKAUsYAaABAioICgFOGAOgAQIqCwoEYml0cxgEoAECKhEK'
            'CmJsb2NrX3NpemUYEKABAjoNY29tLm1pY3Jvc29mdBIEY2FzZSoOCAEIAQgBEAIqAQBCAWIqDggDCAEQCioDAQEBQgFzWhMKAWES'
            'DgoMCAoSCAoCCAEKAggBYhMKAXkSDgoMCAoSCAoCCAEKAggDQgQKABANQhEKDWNvbS5taWNyb3NvZnQQAQ=='
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
