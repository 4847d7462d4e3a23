"""A product of scales, or of a scale and a code, overflows float32 where the answer does not

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
    # case (uint8[1,1] a) => (float[1,1] y)
    #    <float as = {2.0}, uint8 az = {0}, int8[1,1] b = {0}, float bs = {1.7014118346046923e+38}, int8 bz = {0}>
    # {
    #    y = com.microsoft.QGemm (a, as, az, b, bs, bz)
    # }
    {
        'name': 'QGemm to float',
        'feed': {
            'a': (2, [1, 1], [0]),
        },
        'want': {
            'y': (1, [1, 1], [0.0]),
        },
        'model': (
            'CAoSBXFkaWZmOqEBCi8KAWEKAmFzCgJhegoBYgoCYnMKAmJ6EgF5IgVRR2VtbToNY29tLm1pY3Jvc29mdBIEY2FzZSoMEAEiBAAA'
            'AEBCAmFzKgkQAioBAEICYXoqDAgBCAEQAyoBAEIBYioMEAEiBAAAAH9CAmJzKgkQAyoBAEICYnpaEwoBYRIOCgwIAhIICgIIAQoC'
            'CAFiEwoBeRIOCgwIARIICgIIAQoCCAFCBAoAEBVCEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (uint8[1,1] a) => (uint8[1,1] y)
    #    <float as = {1.7014118346046923e+38}, uint8 az = {0}, int8[1,1] b = {1}, float bs = {1.0}, int8 bz = {0}, float ys = {2.658455991569832e+36}, uint8 yz = {0}>
    # {
    #    y = com.microsoft.QGemm <alpha: float = 3.0> (a, as, az, b, bs, bz, , ys, yz)
    # }
    {
        'name': 'QGemm to codes',
        'feed': {
            'a': (2, [1, 1], [1]),
        },
        'want': {
            'y': (2, [1, 1], [192]),
        },
        'model': (
            'CAoSBXFkaWZmOtUBCkoKAWEKAmFzCgJhegoBYgoCYnMKAmJ6CgAKAnlzCgJ5ehIBeSIFUUdlbW0qDwoFYWxwaGEVAABAQKABAToN'
            'Y29tLm1pY3Jvc29mdBIEY2FzZSoMEAEiBAAAAH9CAmFzKgkQAioBAEICYXoqDAgBCAEQAyoBAUIBYioMEAEiBAAAgD9CAmJzKgkQ'
            'AyoBAEICYnoqDBABIgQAAAB8QgJ5cyoJEAIqAQBCAnl6WhMKAWESDgoMCAISCAoCCAEKAggBYhMKAXkSDgoMCAISCAoCCAEKAggB'
            'QgQKABAVQhEKDWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (uint8[1,1] a) => (uint8[1,1] y)
    #    <float as = {2.1267647932558654e+37}, uint8 az = {0}, uint8[1,1] b = {0}, float bs = {1.0}, uint8 bz = {0}, float ys = {0.03125}, uint8 yz = {1}>
    # {
    #    y = QLinearMatMul (a, as, az, b, bs, bz, ys, yz)
    # }
    {
        'name': 'QLinearMatMul',
        'feed': {
            'a': (2, [1, 1], [0]),
        },
        'want': {
            'y': (2, [1, 1], [1]),
        },
        'model': (
            'CAoSBXFkaWZmOr0BCjIKAWEKAmFzCgJhegoBYgoCYnMKAmJ6CgJ5cwoCeXoSAXkiDVFMaW5lYXJNYXRNdWw6ABIEY2FzZSoMEAEi'
            'BAAAgH1CAmFzKgkQAioBAEICYXoqDAgBCAEQAioBAEIBYioMEAEiBAAAgD9CAmJzKgkQAioBAEICYnoqDBABIgQAAAA9QgJ5cyoJ'
            'EAIqAQFCAnl6WhMKAWESDgoMCAISCAoCCAEKAggBYhMKAXkSDgoMCAISCAoCCAEKAggBQgQKABAVQhEKDWNvbS5taWNyb3NvZnQQ'
            'AQ=='
        ),
    },
    # case (uint8[1,1] a) => (float[1,1] y)
    #    <float as = {2.0}, uint8[1,1] b = {0}, float bs = {1.7014118346046923e+38}>
    # {
    #    y = com.microsoft.MatMulIntegerToFloat (a, b, as, bs)
    # }
    {
        'name': 'MatMulIntegerToFloat',
        'feed': {
            'a': (2, [1, 1], [0]),
        },
        'want': {
            'y': (1, [1, 1], [0.0]),
        },
        'model': (
            'CAoSBXFkaWZmOpIBCjYKAWEKAWIKAmFzCgJicxIBeSIUTWF0TXVsSW50ZWdlclRvRmxvYXQ6DWNvbS5taWNyb3NvZnQSBGNhc2Uq'
            'DBABIgQAAABAQgJhcyoMCAEIARACKgEAQgFiKgwQASIEAAAAf0ICYnNaEwoBYRIOCgwIAhIICgIIAQoCCAFiEwoBeRIOCgwIARII'
            'CgIIAQoCCAFCBAoAEBVCEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (float[1,1] a) => (float[1,1] y)
    #    <int8[1,1] b = {0}, float bs = {2.658455991569832e+36}>
    # {
    #    y = com.microsoft.DynamicQuantizeMatMul (a, b, bs)
    # }
    {
        'name': 'DynamicQuantizeMatMul',
        'feed': {
            'a': (1, [1, 1], [32768.0]),
        },
        'want': {
            'y': (1, [1, 1], [0.0]),
        },
        'model': (
            'CAoSBXFkaWZmOoEBCjMKAWEKAWIKAmJzEgF5IhVEeW5hbWljUXVhbnRpemVNYXRNdWw6DWNvbS5taWNyb3NvZnQSBGNhc2UqDAgB'
            'CAEQAyoBAEIBYioMEAEiBAAAAHxCAmJzWhMKAWESDgoMCAESCAoCCAEKAggBYhMKAXkSDgoMCAESCAoCCAEKAggBQgQKABAVQhEK'
            'DWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (uint8[1,1] a) => (float[1,1] y)
    #    <float as = {2.0}, int8[1,1] b = {0}, float bs = {1.7014118346046923e+38}>
    # {
    #    af = DequantizeLinear (a, as)
    #    bf = DequantizeLinear (b, bs)
    #    y = MatMul (af, bf)
    # }
    {
        'name': 'MatMul of dequantized operands',
        'feed': {
            'a': (2, [1, 1], [0]),
        },
        'want': {
            'y': (1, [1, 1], [0.0]),
        },
        'model': (
            'CAoSBXFkaWZmOrMBCh8KAWEKAmFzEgJhZiIQRGVxdWFudGl6ZUxpbmVhcjoACh8KAWIKAmJzEgJiZiIQRGVxdWFudGl6ZUxpbmVh'
            'cjoAChUKAmFmCgJiZhIBeSIGTWF0TXVsOgASBGNhc2UqDBABIgQAAABAQgJhcyoMCAEIARADKgEAQgFiKgwQASIEAAAAf0ICYnNa'
            'EwoBYRIOCgwIAhIICgIIAQoCCAFiEwoBeRIOCgwIARIICgIIAQoCCAFCBAoAEBVCEQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (uint8[1,1,1,1] x) => (uint8[1,1,1,1] y)
    #    <float xs = {1.7014118346046923e+38}, uint8 xz = {0}, uint8[1,1,1,1] w = {1}, float ws = {4.0}, uint8 wz = {0}, float ys = {5.316911983139664e+36}, uint8 yz = {0}>
    # {
    #    y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz)
    # }
    {
        'name': 'QLinearConv',
        'feed': {
            'x': (2, [1, 1, 1, 1], [1]),
        },
        'want': {
            'y': (2, [1, 1, 1, 1], [128]),
        },
        'model': (
            'CAoSBXFkaWZmOs8BCjAKAXgKAnhzCgJ4egoBdwoCd3MKAnd6CgJ5cwoCeXoSAXkiC1FMaW5lYXJDb252OgASBGNhc2UqDBABIgQA'
            'AAB/QgJ4cyoJEAIqAQBCAnh6KhAIAQgBCAEIARACKgEBQgF3KgwQASIEAACAQEICd3MqCRACKgEAQgJ3eioMEAEiBAAAgHxCAnlz'
            'KgkQAioBAEICeXpaGwoBeBIWChQIAhIQCgIIAQoCCAEKAggBCgIIAWIbCgF5EhYKFAgCEhAKAggBCgIIAQoCCAEKAggBQgQKABAV'
            'QhEKDWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (uint8[1] a) => (uint8[1] y)
    #    <float as = {1.7014118346046923e+38}, uint8 az = {0}, uint8[1] b = {1}, float bs = {4.0}, uint8 bz = {0}, float ys = {5.316911983139664e+36}, uint8 yz = {0}>
    # {
    #    y = com.microsoft.QLinearMul (a, as, az, b, bs, bz, ys, yz)
    # }
    {
        'name': 'QLinearMul',
        'feed': {
            'a': (2, [1], [1]),
        },
        'want': {
            'y': (2, [1], [128]),
        },
        'model': (
            'CAoSBXFkaWZmOr0BCjwKAWEKAmFzCgJhegoBYgoCYnMKAmJ6CgJ5cwoCeXoSAXkiClFMaW5lYXJNdWw6DWNvbS5taWNyb3NvZnQS'
            'BGNhc2UqDBABIgQAAAB/QgJhcyoJEAIqAQBCAmF6KgoIARACKgEBQgFiKgwQASIEAACAQEICYnMqCRACKgEAQgJieioMEAEiBAAA'
            'gHxCAnlzKgkQAioBAEICeXpaDwoBYRIKCggIAhIECgIIAWIPCgF5EgoKCAgCEgQKAggBQgQKABAVQhEKDWNvbS5taWNyb3NvZnQQ'
            'AQ=='
        ),
    },
    # case (int8[1] x) => (int8[1] y)
    #    <float ys = {2.1267647932558654e+37}, int8 yz = {0}, float xs = {1.0633823966279327e+37}, int8 xz = {0}>
    # {
    #    y = com.microsoft.QLinearConcat <axis = 0> (ys, yz, x, xs, xz)
    # }
    {
        'name': 'QLinearConcat',
        'feed': {
            'x': (3, [1], [-32]),
        },
        'want': {
            'y': (3, [1], [-16]),
        },
        'model': (
            'CAoSBXFkaWZmOp0BCkEKAnlzCgJ5egoBeAoCeHMKAnh6EgF5Ig1RTGluZWFyQ29uY2F0KgsKBGF4aXMYAKABAjoNY29tLm1pY3Jv'
            'c29mdBIEY2FzZSoMEAEiBAAAgH1CAnlzKgkQAyoBAEICeXoqDBABIgQAAAB9QgJ4cyoJEAMqAQBCAnh6Wg8KAXgSCgoICAMSBAoC'
            'CAFiDwoBeRIKCggIAxIECgIIAUIECgAQFUIRCg1jb20ubWljcm9zb2Z0EAE='
        ),
    },
    # case (bool[1] p) => (uint8[1] y)
    #    <uint8[1] b = {16}, float bs = {2.1267647932558654e+37}, uint8 bz = {0}, uint8[1] c = {0}, float cs = {1.0}, uint8 cz = {0}, float ys = {2.658455991569832e+36}, uint8 yz = {0}>
    # {
    #    y = com.microsoft.QLinearWhere (p, b, bs, bz, c, cs, cz, ys, yz)
    # }
    {
        'name': 'QLinearWhere',
        'feed': {
            'p': (9, [1], [True]),
        },
        'want': {
            'y': (2, [1], [128]),
        },
        'model': (
            'CAoSBXFkaWZmOs4BCkEKAXAKAWIKAmJzCgJiegoBYwoCY3MKAmN6CgJ5cwoCeXoSAXkiDFFMaW5lYXJXaGVyZToNY29tLm1pY3Jv'
            'c29mdBIEY2FzZSoKCAEQAioBEEIBYioMEAEiBAAAgH1CAmJzKgkQAioBAEICYnoqCggBEAIqAQBCAWMqDBABIgQAAIA/QgJjcyoJ'
            'EAIqAQBCAmN6KgwQASIEAAAAfEICeXMqCRACKgEAQgJ5eloPCgFwEgoKCAgJEgQKAggBYg8KAXkSCgoICAISBAoCCAFCBAoAEBVC'
            'EQoNY29tLm1pY3Jvc29mdBAB'
        ),
    },
    # case (uint8[1] x) => (uint8[1] y)
    #    <float xs = {2.1267647932558654e+37}, uint8 xz = {0}, float ys = {2.658455991569832e+36}, uint8 yz = {0}>
    # {
    #    y = com.microsoft.QLinearLeakyRelu (x, xs, xz, ys, yz)
    # }
    {
        'name': 'QLinearLeakyRelu',
        'feed': {
            'x': (2, [1], [16]),
        },
        'want': {
            'y': (2, [1], [128]),
        },
        'model': (
            'CAoSBXFkaWZmOpMBCjcKAXgKAnhzCgJ4egoCeXMKAnl6EgF5IhBRTGluZWFyTGVha3lSZWx1Og1jb20ubWljcm9zb2Z0EgRjYXNl'
            'KgwQASIEAACAfUICeHMqCRACKgEAQgJ4eioMEAEiBAAAAHxCAnlzKgkQAioBAEICeXpaDwoBeBIKCggIAhIECgIIAWIPCgF5EgoK'
            'CAgCEgQKAggBQgQKABAVQhEKDWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (uint8[1,1] a) => (float[1,1] y)
    #    <float as = {1.0229478789571165e-43}, uint8 az = {0}, int8[1,1] b = {0}, float bs = {1}, int8 bz = {0}, int32[1,1] c = {-36}>
    # {
    #    y = com.microsoft.QGemm <alpha: float = 0.5> (a, as, az, b, bs, bz, c)
    # }
    {
        'name': 'QGemm, subnormal',
        'feed': {
            'a': (2, [1, 1], [0]),
        },
        'want': {
            'y': (1, [1, 1], [-1.8413061821228096e-42]),
        },
        'model': (
            'CAoSBXFkaWZmOswBCkMKAWEKAmFzCgJhegoBYgoCYnMKAmJ6CgFjEgF5IgVRR2VtbSoPCgVhbHBoYRUAAAA/oAEBOg1jb20ubWlj'
            'cm9zb2Z0EgRjYXNlKgwQAUICYXNKBEkAAAAqCRACKgEAQgJheioMCAEIARADKgEAQgFiKgwQASIEAACAP0ICYnMqCRADKgEAQgJi'
            'eioVCAEIARAGKgrc//////////8BQgFjWhMKAWESDgoMCAISCAoCCAEKAggBYhMKAXkSDgoMCAESCAoCCAEKAggBQgQKABAVQhEK'
            'DWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
    # case (float[1,1] a) => (float[1,1] y)
    #    <int8[1,1] b = {2}, float bs = {8.96831017167883e-44}>
    # {
    #    y = com.microsoft.DynamicQuantizeMatMul (a, b, bs)
    # }
    {
        'name': 'DynamicQuantizeMatMul, subnormal',
        'feed': {
            'a': (1, [1, 1], [-64.0]),
        },
        'want': {
            'y': (1, [1, 1], [-1.1479437019748901e-41]),
        },
        'model': (
            'CAoSBXFkaWZmOoEBCjMKAWEKAWIKAmJzEgF5IhVEeW5hbWljUXVhbnRpemVNYXRNdWw6DWNvbS5taWNyb3NvZnQSBGNhc2UqDAgB'
            'CAEQAyoBAkIBYioMEAFCAmJzSgRAAAAAWhMKAWESDgoMCAESCAoCCAEKAggBYhMKAXkSDgoMCAESCAoCCAEKAggBQgQKABAVQhEK'
            'DWNvbS5taWNyb3NvZnQQAQ=='
        ),
    },
]

# ONNX's numbers of element types, and NumPy types of that size. Values of types that NumPy lacks are written as bytes.
NUMPY = {1: 'f4', 2: 'u1', 3: 'i1', 5: 'i2', 6: 'i4', 7: 'i8', 9: '?', 10: 'f2', 17: 'u1', 19: 'u1', 24: 'u1', 26: 'u1'}
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
