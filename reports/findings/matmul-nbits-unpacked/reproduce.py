"""MatMulNBits: 8 bits with float zero points

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
    # case (float[1,2] A) => (float[1,1] Y)
    #    <uint8[1,1,16] B =  {3,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0}, float[1,1] scales =  {0.5}, float[1,1]
    #         zero_points =  {1.5}>
    # {
    #    [MatMulNBits_Y] Y = com.microsoft.MatMulNBits <K: int = 2, N: int = 1, bits: int = 8, block_size: int =
    #          16> (A, B, scales, zero_points)
    # }
    {
        'name': '8 bits with float zero points',
        'feed': {
            'A': (1, [1, 2], [2.0, 4.0]),
        },
        'want': {
            'Y': (1, [1, 1], [8.5]),
        },
        'rtol': 1e-06,
        'model': (
            'CAoSBXFkaWZmOv8BCn0KAUEKAUIKBnNjYWxlcwoLemVyb19wb2ludHMSAVkaDU1hdE11bE5CaXRzX1kiC01hdE11bE5CaXRz'
            'KggKAUsYAqABAioICgFOGAGgAQIqCwoEYml0cxgIoAECKhEKCmJsb2NrX3NpemUYEKABAjoNY29tLm1pY3Jvc29mdBIEY2Fz'
            'ZSodCAEIAQgQEAIqEAMFAAAAAAAAAAAAAAAAAABCAUIqFAgBCAEQASIEAAAAP0IGc2NhbGVzKhkIAQgBEAEiBAAAwD9CC3pl'
            'cm9fcG9pbnRzWhMKAUESDgoMCAESCAoCCAEKAggCYhMKAVkSDgoMCAESCAoCCAEKAggBQgQKABANQhEKDWNvbS5taWNyb3Nv'
            'ZnQQAQ=='
        ),
    },
    # case (float16[1,2] A) => (float16[1,1] Y)
    #    <uint8[1,1,4] B =  {7,0,0,0}, float16[1,1] scales = >
    # {
    #    [MatMulNBits_Y] Y = com.microsoft.MatMulNBits <K: int = 2, N: int = 1, bits: int = 2, block_size: int =
    #          16> (A, B, scales)
    # }
    {
        'name': '2 bits with float16',
        'feed': {
            'A': (10, [1, 2], [2.0, 4.0]),
        },
        'want': {
            'Y': (10, [1, 1], [-1.0]),
        },
        'rtol': 0.001,
        'model': (
            'CAoSBXFkaWZmOskBCnAKAUEKAUIKBnNjYWxlcxIBWRoNTWF0TXVsTkJpdHNfWSILTWF0TXVsTkJpdHMqCAoBSxgCoAECKggK'
            'AU4YAaABAioLCgRiaXRzGAKgAQIqEQoKYmxvY2tfc2l6ZRgQoAECOg1jb20ubWljcm9zb2Z0EgRjYXNlKhEIAQgBCAQQAioE'
            'BwAAAEIBQioSCAEIARAKKgKAcEIGc2NhbGVzWhMKAUESDgoMCAoSCAoCCAEKAggCYhMKAVkSDgoMCAoSCAoCCAEKAggBQgQK'
            'ABANQhEKDWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (float16[1,17] A, float16[1,2] scales) => (float16[1,1] Y)
    #    <uint8[1,2,8] B =  {153,153,153,153,153,153,153,153,250,255,255,255,255,255,255,255}>
    # {
    #    [MatMulNBits_Y] Y = com.microsoft.MatMulNBits <K: int = 17, N: int = 1, bits: int = 4, block_size: int
    #         = 16> (A, B, scales)
    # }
    {
        'name': '4 bits with float16, K = 17, blocks of 16',
        'feed': {
            'A': (10, [1, 17], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0]),
            'scales': (10, [1, 2], [0.5, 0.25]),
        },
        'want': {
            'Y': (10, [1, 1], [9.5]),
        },
        'rtol': 0.001,
        'model': (
            'CAoSBXFkaWZmOusBCnAKAUEKAUIKBnNjYWxlcxIBWRoNTWF0TXVsTkJpdHNfWSILTWF0TXVsTkJpdHMqCAoBSxgRoAECKggK'
            'AU4YAaABAioLCgRiaXRzGASgAQIqEQoKYmxvY2tfc2l6ZRgQoAECOg1jb20ubWljcm9zb2Z0EgRjYXNlKi0IAQgCCAgQAiog'
            'mQGZAZkBmQGZAZkBmQGZAfoB/wH/Af8B/wH/Af8B/wFCAUJaEwoBQRIOCgwIChIICgIIAQoCCBFaGAoGc2NhbGVzEg4KDAgK'
            'EggKAggBCgIIAmITCgFZEg4KDAgKEggKAggBCgIIAUIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (float16[1,1] a, float16[1,1] scales) => (float16[1,1] y)
    #    <uint8[8] codes = {0, 0, 0, 0, 0, 0, 0, 0}, int64[3] shape = {1, 1, 8}>
    # {
    #    b = Reshape (codes, shape)
    #    y = com.microsoft.MatMulNBits <K = 1, N = 1, bits = 4, block_size = 16> (a, b, scales)
    # }
    {
        'name': '4 bits, float16, run-time scales, constant weights',
        'feed': {
            'a': (10, [1, 1], [1.0]),
            'scales': (10, [1, 1], [1.0]),
        },
        'want': {
            'y': (10, [1, 1], [-8.0]),
        },
        'model': (
            'CAgSBXFkaWZmOvQBChwKBWNvZGVzCgVzaGFwZRIBYiIHUmVzaGFwZToACmEKAWEKAWIKBnNjYWxlcxIBeSILTWF0TXVsTkJpdHMq'
            'CAoBSxgBoAECKggKAU4YAaABAioLCgRiaXRzGASgAQIqEQoKYmxvY2tfc2l6ZRgQoAECOg1jb20ubWljcm9zb2Z0EgRjYXNlKhUI'
            'CBACKggAAAAAAAAAAEIFY29kZXMqEAgDEAc6AwEBCEIFc2hhcGVaEwoBYRIOCgwIChIICgIIAQoCCAFaGAoGc2NhbGVzEg4KDAgK'
            'EggKAggBCgIIAWITCgF5Eg4KDAgKEggKAggBCgIIAUIECgAQDUIRCg1jb20ubWljcm9zb2Z0EAE='
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
