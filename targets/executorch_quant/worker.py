# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch's XNNPACKQuantizer as a quantizer target. See README.md."""

import copy
import importlib.metadata
import logging
import traceback
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch
from executorch.backends.xnnpack.quantizer import xnnpack_quantizer_utils
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from qdiff_worker import Crashed, Edge, Quantized, Rejected, Unusable, Worker, serve
from qdiff_worker.torch_graph import TorchGraph
from torchao.quantization.pt2e import MinMaxObserver, ObserverBase
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e

INT8 = 3
WORDS = {torch.int8: 3, torch.uint8: 2, torch.int16: 5, torch.int32: 6}
SAID_NO = (ValueError, NotImplementedError, RuntimeError, TypeError, AssertionError)

torch.set_num_threads(1)


def memoize_patterns():
    """The annotators export their twelve convolution-batchnorm patterns at each call: a second. Once is enough: the key is
    the pattern's code and what it closes over."""
    export, known = xnnpack_quantizer_utils._get_aten_graph_module_for_pattern, {}

    def once(pattern, example_inputs, is_cuda=False, **options):
        function = pattern.forward
        function = getattr(function, "__wrapped__", function)
        cells = tuple(cell.cell_contents for cell in getattr(function, "__closure__", None) or ())
        key = (getattr(function, "__code__", None), cells, tuple(one.shape for one in example_inputs), is_cuda)
        if key not in known:
            known[key] = export(pattern, example_inputs, is_cuda, **options)
        return copy.deepcopy(known[key])  # the matcher changes its pattern

    xnnpack_quantizer_utils._get_aten_graph_module_for_pattern = once


def quantization(options, by_ranges):
    config = get_symmetric_quantization_config(is_per_channel=options.per_channel)
    if by_ranges:
        # What was observed is the range itself: the same parameters as the stock histogram gives before it looks for a
        # better range.
        for spec in (config.input_activation, config.output_activation):
            object.__setattr__(spec, "observer_or_fake_quant_ctr", MinMaxObserver.with_args(eps=2**-12))
    return XNNPACKQuantizer().set_global(config)


class Prepared:
    """A graph after prepare, its observers fed, and where they are."""

    def __init__(self, imported, request):
        self.imported = imported
        self.module = prepare_pt2e(imported.module, quantization(request.options, not request.calibration))
        self.observers = {
            name: one for name, one in self.module.named_modules(remove_duplicate=False) if isinstance(one, ObserverBase)
        }
        # prepare keeps the names of nodes
        self.tensors, self.nodes = {}, {}
        for name, node in imported.node_of.items():
            self.tensors.setdefault(node.name, node.meta.get("onnx", name))
        for node, made in imported.made.items():
            self.nodes[node.name] = made

    def observer(self, node):
        return self.observers.get(node.target) if node.op == "call_module" else None

    def calibrate(self, runs):
        for run in runs:
            with torch.no_grad():
                self.module(*(torch.from_numpy(tensor.array()) for tensor in run))

    def set_ranges(self, ranges):
        for node in self.module.graph.nodes:
            observer = self.observer(node)
            if observer is None:
                continue
            observed = node.args[0]
            while self.observer(observed) is not None:
                observed = observed.args[0]
            if observed.op == "get_attr":
                observer(getattr(self.module, observed.target))
                continue
            tensor = self.tensors.get(observed.name)
            if tensor not in ranges:
                raise Rejected("no range of tensor '%s'" % tensor, "options")
            low, high = ranges[tensor]
            if low > high:  # fed as two observations they would change places
                raise Rejected("range of tensor '%s' is upside down" % tensor, "options")
            observer(torch.tensor([low, high]))

    def edges(self):
        groups, made = {}, []
        for node in self.module.graph.nodes:
            if node.name in self.nodes:
                made += self.edges_of(node, groups)
        return made

    def edges_of(self, node, groups):
        onnx_node, made = self.nodes[node.name], []
        arguments = [one for arg in node.args for one in (arg if isinstance(arg, (list, tuple)) else [arg])]
        arguments = [one for one in arguments if isinstance(one, torch.fx.Node)]
        for position, argument in enumerate(arguments):
            source = argument
            while self.observer(source) is not None:
                source = source.args[0]
            tensor = self.tensors.get(source.name)
            if tensor in onnx_node.input:
                made.append(self.edge(tensor, onnx_node.name, list(onnx_node.input).index(tensor), argument, groups))
        annotation = node.meta.get("quantization_annotation")
        if annotation is not None and annotation.output_qspec is not None:
            observed = [user for user in node.users if self.observer(user) is not None]
            if observed:
                made.append(self.edge(onnx_node.output[0], "", 0, observed[0], groups))
        return made

    def edge(self, tensor, consumer, position, node, groups):
        observer = self.observer(node)
        if observer is None:
            return Edge(tensor, consumer, position)
        scale, zero = observer.calculate_qparams()
        axis = observer.ch_axis if scale.numel() > 1 else 0
        if scale.numel() > 1 and tensor in self.imported.axes:  # transposed for torch
            axis = self.imported.axes[tensor] - axis
        return Edge(
            tensor, consumer, position, WORDS[observer.dtype], observer.quant_min, observer.quant_max,
            [float(one) for one in scale.flatten()], [int(one) for one in zero.flatten()], axis,
            groups.setdefault(id(observer), len(groups) + 1),
        )


def demand(condition, text):
    if not condition:
        raise Rejected(text, "options")


class ExecutorchQuant(Worker):
    name = "executorch-quant"
    quantizes = ["scheme=0", "format=0", "activation_type=3,0", "weight_type=3,0", "per_channel", "symmetric_weights"]

    def open(self, version, config):
        if config:
            raise Unusable("executorch-quant has no settings; leave out [%s]" % config)
        self.version = importlib.metadata.version("executorch")
        if version and version != self.version:
            raise Unusable("executorch %s is installed here, not %s" % (self.version, version))
        memoize_patterns()

    def quantize(self, request):
        options = request.options
        demand(options.scheme == "static", "static only here")
        demand(options.format == "qdq", "the tool has no QOperator format")
        demand(options.activation_type in (0, INT8) and options.weight_type in (0, INT8), "int8 only")
        demand(not options.reduce_range and not options.symmetric_activations, "no such option")
        demand(not options.restricted_asymmetric, "no such option")
        demand(not options.exclude and not options.op and not options.extra, "no such option")
        imported = TorchGraph(request.model)
        try:
            prepared = Prepared(imported, request)
            if request.calibration:
                prepared.calibrate(request.calibration)
            else:
                prepared.set_ranges(request.ranges)
            return Quantized(edges=prepared.edges())
        except RecursionError as exception:  # a RuntimeError that says nothing about the model
            raise Crashed("RecursionError: %s" % exception, "quantize") from None
        except SAID_NO as exception:
            if str(exception):
                raise Rejected("%s: %s" % (type(exception).__name__, exception), "quantize") from None
            raise Crashed("%s without a word" % type(exception).__name__, "quantize") from None
        except (Rejected, MemoryError):
            raise
        except Exception as exception:
            last = traceback.extract_tb(exception.__traceback__)[-1]
            text = "%s at %s:%d: %s" % (type(exception).__name__, last.filename.rsplit("/", 1)[-1], last.lineno, exception)
            raise Crashed(text, "quantize") from None


serve(ExecutorchQuant)
