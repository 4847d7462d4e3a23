# SPDX-License-Identifier: Apache-2.0
"""Quantizes float networks of PyPI packages in the ways that ONNX Runtime's quantizer has: networks.py MODELS OUT [NAME...]

MODELS holds a directory <package>-<version> for each package (scripts/setup networks). Writes OUT/<network>.<way>.onnx and, for each
network, OUT/<network>/<input>.npy: one input, drawn from a fixed seed. A way that the quantizer refuses for a network is said and
counted. An existing file is kept."""
import logging
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnx.version_converter
from onnxruntime.quantization import (CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_dynamic,
                                      quantize_static)
from onnxruntime.quantization.shape_inference import quant_pre_process

# network: file below MODELS, and the shape and type of each input (the vision models are fully convolutional: small images do)
NETWORKS = {
    "classifier": ("rapidocr-onnxruntime-*/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": ((1, 3, 48, 192), np.float32)}),
    "detector": ("rapidocr-onnxruntime-*/ch_PP-OCRv4_det_infer.onnx", {"x": ((1, 3, 96, 96), np.float32)}),
    "recognizer": ("rapidocr-onnxruntime-*/ch_PP-OCRv4_rec_infer.onnx", {"x": ((1, 3, 48, 160), np.float32)}),
    "vad": ("silero-vad-*/silero_vad_openvino_16k.onnx", {"input": ((1, 576), np.float32), "state": ((2, 1, 128), np.float32)}),
    "vad-sequence": ("silero-vad-*/silero_vad_16k_sequence.onnx",
                     {"input": ((4, 576), np.float32), "h": ((1, 1, 128), np.float32), "c": ((1, 1, 128), np.float32)}),
    "magika": ("magika-*/model.onnx", {"bytes": ((1, 2048), np.int32)}),
}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def draw(shapes, seed):
    random = np.random.default_rng(seed)
    return {name: random.integers(0, 256, shape).astype(dtype) if dtype == np.int32 else
            random.uniform(-1, 1, shape).astype(dtype) for name, (shape, dtype) in shapes.items()}


def static(source, target, shapes, **options):
    quantize_static(source, target, Reader([draw(shapes, seed) for seed in (1, 2)]),
                    calibrate_method=CalibrationMethod.MinMax, **options)


def way(function, **options):
    return lambda source, target, shapes: function(source, target, shapes, **options)


def dynamic(source, target, _shapes, **options):
    quantize_dynamic(source, target, **options)


QDQ, QOPERATOR = QuantFormat.QDQ, QuantFormat.QOperator
U8, S8, U16, S16 = QuantType.QUInt8, QuantType.QInt8, QuantType.QUInt16, QuantType.QInt16
WAYS = {
    "qdq-u8-s8": way(static, quant_format=QDQ, activation_type=U8, weight_type=S8),
    "qdq-s8-s8-channel": way(static, quant_format=QDQ, activation_type=S8, weight_type=S8, per_channel=True),
    "qdq-u8-u8": way(static, quant_format=QDQ, activation_type=U8, weight_type=U8),
    "qdq-u16-s8": way(static, quant_format=QDQ, activation_type=U16, weight_type=S8,
                      extra_options={"UseQDQContribOps": True}),
    "qdq-s16-s16-channel": way(static, quant_format=QDQ, activation_type=S16, weight_type=S16, per_channel=True,
                               extra_options={"UseQDQContribOps": True}),
    "qdq-s8-symmetric": way(static, quant_format=QDQ, activation_type=S8, weight_type=S8,
                            extra_options={"ActivationSymmetric": True, "WeightSymmetric": True}),
    "qdq-u8-s8-reduced": way(static, quant_format=QDQ, activation_type=U8, weight_type=S8, reduce_range=True),
    "qoperator-u8-s8": way(static, quant_format=QOPERATOR, activation_type=U8, weight_type=S8),
    "qoperator-s8-s8-channel": way(static, quant_format=QOPERATOR, activation_type=S8, weight_type=S8, per_channel=True),
    "dynamic-s8": way(dynamic, weight_type=S8),
    "dynamic-u8-channel": way(dynamic, weight_type=U8, per_channel=True),
}


def at_least_opset_13(source, target):
    """Below opset 13 DequantizeLinear has no axis, and the quantizer writes one all the same."""
    model = onnx.load(source)
    if max(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")) < 13:
        model = onnx.version_converter.convert_version(model, 13)
    onnx.save(model, target)


def prepare(source, target):
    """What the quantizer asks for before it: shapes, and batch normalizations folded. Some networks do without."""
    try:
        quant_pre_process(source, target, skip_symbolic_shape=True)
    except Exception as error:  # pylint: disable=broad-except
        print(f"networks: {source.name}: not prepared: {error}", file=sys.stderr)
        onnx.save(onnx.load(source), target)


def main(models, out, names):
    out.mkdir(parents=True, exist_ok=True)
    made = refused = 0
    for name, (path, shapes) in NETWORKS.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            prepared = Path(scratch) / "model.onnx"
            prepare(next(models.glob(path)), prepared)
            (out / name).mkdir(exist_ok=True)
            for key, value in draw(shapes, 3).items():
                np.save(out / name / f"{key}.npy", value)
            for word, function in WAYS.items():
                target = out / f"{name}.{word}.onnx"
                if target.exists():
                    continue
                try:
                    source = prepared
                    if "channel" in word:
                        source = Path(scratch) / "axis.onnx"
                        at_least_opset_13(prepared, source)
                    function(source, Path(scratch) / "quantized.onnx", shapes)
                    shutil.move(Path(scratch) / "quantized.onnx", target)
                    made += 1
                except Exception as error:  # pylint: disable=broad-except
                    refused += 1
                    print(f"networks: {name} {word}: refused: {str(error)[:200]}", file=sys.stderr)
    print(f"networks: {made} made, {refused} refused, in {out}")


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # the quantizer repeats advice for each tensor
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
