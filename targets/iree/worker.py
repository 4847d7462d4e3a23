# SPDX-License-Identifier: Apache-2.0
"""IREE as a target: ONNX -> torch -> IREE's compiler -> its run time, in one process. See README.md."""

import importlib.metadata

import iree.runtime as rt
import numpy
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
from qdiff_worker import Rejected, Tensor, Unusable, Worker, parse_config, serve
from qdiff_worker.importer import CAPABILITIES, Compiled, stage
from qdiff_worker.protocol import DTYPES

FLAGS = {
    "llvm-cpu": ["--iree-llvmcpu-target-cpu=generic", "--iree-llvmcpu-link-embedded=true"],
    "vmvx": [],
}


def import_model(model):
    context = Context()
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    module.verify()
    return module.get_asm(enable_debug_info=False, large_elements_limit=None)


def compile_module(text, backend):
    """Bytes of a VM module. Reasons for a refusal appear on standard error."""
    with Session() as session:
        session.set_flags(
            "--iree-input-type=auto",
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=" + backend,
            *FLAGS[backend],
        )
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        source = Source.wrap_buffer(session, text.encode() + b"\0")
        if not invocation.parse_source(source) or not invocation.execute():
            raise Rejected("the compiler failed", "compile")
        output = Output.open_membuffer()
        invocation.output_vm_bytecode(output)
        code = bytes(output.map_memory())
        invocation.close()
        source.close()
        output.close()
        return code


class Program:
    def __init__(self, function, context, outputs):
        self.function, self.context, self.outputs = function, context, outputs


class Iree(Worker):
    name = "iree"

    def open(self, version, config):
        settings = parse_config(config, backend=("llvm-cpu", "vmvx"), parameters=("constant", "input"))
        self.backend = settings["backend"]
        self.settings = ",".join("%s=%s" % setting for setting in settings.items())
        self.compiled = Compiled(self.build, settings["parameters"] == "input")
        self.version = importlib.metadata.version("iree-base-compiler")
        if version and version != self.version:
            raise Unusable("IREE %s is installed here, not %s" % (self.version, version))
        self.config = rt.Config("local-sync")

    capabilities = CAPABILITIES

    def prepare(self, data):
        return self.compiled.prepare(data)

    def build(self, model):
        text = stage("import", lambda: import_model(model))
        code = stage("compile", lambda: compile_module(text, self.backend))
        return stage("load", lambda: self.load(code, model))

    def load(self, code, model):
        context = rt.SystemContext(config=self.config)
        module = rt.VmModule.copy_buffer(context.instance, code)
        context.add_vm_module(module)
        names = [name for name in module.function_names if not name.endswith("$async") and name != "__init"]
        outputs = [output.type.tensor_type.elem_type for output in model.graph.output]
        return Program(context.modules[module.name][names[0]], context, outputs)

    def run(self, prepared, inputs, wanted):
        program, parameters = prepared
        if any(isinstance(x, Tensor) for x in inputs):
            raise Rejected("an input has a type that NumPy lacks", "run")
        result = stage("run", lambda: program.function(*inputs, *parameters))
        results = result if isinstance(result, (list, tuple)) else [result]
        return [self.output(one.to_host(), kind) for one, kind in zip(results, program.outputs)]

    def output(self, array, kind):
        """A copy: the array lies in IREE's memory. Its types have no sign: the model says whether codes are signed."""
        dtype = DTYPES.get(kind)
        if dtype is not None and dtype.kind == "u" and array.dtype.itemsize == dtype.itemsize:
            array = array.view(dtype)
        return numpy.array(array, order="C")


serve(Iree)
