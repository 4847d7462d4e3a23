# pip install numpy onnx onnxruntime
# usage: python3 reproduce.py [none | basic | extended | all]: the level of optimization, all by default
# exit: 0 the answers are the expected ones, 1 they are not
import ctypes
import os
import pickle
import subprocess
import sys

import numpy
import onnxruntime

# ONNX's numbers of element types, and NumPy types of that size. Values of types that NumPy lacks are written as bytes.
NUMPY = {1: 'f4', 2: 'u1', 3: 'i1', 4: 'u2', 5: 'i2', 6: 'i4', 7: 'i8', 9: '?', 10: 'f2', 17: 'u1', 19: 'u1', 24: 'u1', 25: 'u1', 26: 'u1'}
LEVELS = {'none': 'DISABLE_ALL', 'basic': 'ENABLE_BASIC', 'extended': 'ENABLE_EXTENDED', 'all': 'ENABLE_ALL'}


class Case:
    """A model in ONNX's text form, what is fed, and the right answers: elements by name, in the model's types and shapes.

    want is None for a model to be refused. constants are what ONNX's parser cannot read: subnormal float32 scalars, and TensorProtos."""

    def __init__(self, name, model, feed, want, rtol=0, constants=None):
        import onnx.parser  # here, as what runs a case needs it not

        self.name, self.rtol = name, rtol
        parsed = onnx.parser.parse_model(model)
        for constant, value in (constants or {}).items():
            if not isinstance(value, onnx.TensorProto):
                value = onnx.helper.make_tensor(constant, onnx.TensorProto.FLOAT, [], [value])
            parsed.graph.initializer.append(value)
        types = {value.name: value.type.tensor_type for value in [*parsed.graph.input, *parsed.graph.output]}
        self.model = parsed.SerializeToString()
        self.feed = {name: tensor(types[name], values) for name, values in feed.items()}
        self.want = want and {name: tensor(types[name], values) for name, values in want.items()}


def tensor(declared, values):
    """ONNX's number of the type, and the array."""
    array = numpy.array(values, NUMPY[declared.elem_type])
    if all(one.HasField('dim_value') for one in declared.shape.dim):
        array = array.reshape([one.dim_value for one in declared.shape.dim])
    return declared.elem_type, array


def on_runtime(number, array):
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array, number)


def own_outputs(session, case, feeds):
    """The outputs in memory of ONNX Runtime's own, whose types it says."""
    return session.run_with_ort_values(None, dict(zip(case.feed, feeds)))


def run(case):
    """Runs one case and returns what came out, or None where it was refused."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    onnxruntime.set_default_logger_severity(4)
    level = sys.argv[1] if len(sys.argv) > 1 else 'all'
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, 'ORT_' + LEVELS[level])
    outputs = []
    try:
        session = onnxruntime.InferenceSession(case.model, options, providers=['CPUExecutionProvider'])
        binding = session.io_binding()
        feeds = [on_runtime(*one) for one in case.feed.values()]
        for name, value in zip(case.feed, feeds):
            binding.bind_ortvalue_input(name, value)
        for name, (number, want) in (case.want or {}).items():  # 0x5a stays where nothing is written
            marked = numpy.frombuffer(b'\x5a' * want.nbytes, want.dtype).reshape(want.shape).copy()
            outputs.append(on_runtime(number, marked))
            binding.bind_ortvalue_output(name, outputs[-1])
        if case.want is None:
            for output in session.get_outputs():
                binding.bind_output(output.name)
        session.run_with_iobinding(binding)
        for (name, (number, _)), value in zip((case.want or {}).items(), own_outputs(session, case, feeds)):
            if value.element_type() != number:
                print(f'  {name}: want type {number}, have {value.element_type()} ({value.data_type()})')
                return None
    except Exception as error:
        print('  refused:', str(error).strip().split('\n')[0])
        return None
    return [numpy.frombuffer(ctypes.string_at(value.data_ptr(), like.nbytes), like.dtype).reshape(like.shape)
            for value, (_, like) in zip(outputs, (case.want or {}).values())]


def shows(case):
    """Whether the answer of one case is not the expected one."""
    have = run(case)
    if case.want is None:
        print('  want: refused; have:', 'refused' if have is None else 'taken')
        return have is not None
    if have is None:
        print('  want: an answer; have: none')
        return True
    bad = False
    for (name, (_, want)), got in zip(case.want.items(), have):
        print(f'  {name}: want {want.ravel().tolist()}, have {got.ravel().tolist()}')
        bad = bad or not numpy.allclose(got, want, rtol=case.rtol, atol=0)
    return bad


def main(cases):
    print('onnxruntime', onnxruntime.__version__)
    bad = 0
    for case in cases:  # each in a process of its own, which ends below: some crash
        print(case.name, flush=True)
        child = subprocess.run([sys.executable] + sys.argv, env={**os.environ, 'REPRODUCE_CASE': '1'},
                               input=pickle.dumps(case), timeout=60, check=False)
        if child.returncode not in (10, 11):
            print('  died: status', child.returncode)
        bad += child.returncode != 10
    print(f'{bad} of {len(cases)} cases show the divergence')
    sys.exit(bad > 0)


if os.environ.get('REPRODUCE_CASE'):
    sys.exit(10 + shows(pickle.load(sys.stdin.buffer)))
