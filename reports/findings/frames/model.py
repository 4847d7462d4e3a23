import onnx


def model_of(text, opset, constants, valid=True):
    """A model of ONNX's text form of a graph: what stands after `agraph`; constants are arrays by their names."""
    vendor = ', "com.microsoft" : 1' if "com.microsoft" in text else ""
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : %d%s]> agraph %s' % (opset, vendor, text))
    model.graph.initializer.extend(onnx.numpy_helper.from_array(x, name) for name, x in constants.items())
    if valid:
        onnx.checker.check_model(model, full_check=True)
    return model
