# SPDX-License-Identifier: Apache-2.0
"""Tensors of codes, and torch's fused kernels over them. What torch cannot express is declined, with what it lacks."""

from fractions import Fraction

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from qdiff_worker import Skip

quantized = torch.ops.quantized
decomposed = torch.ops.quantized_decomposed

QUANTIZED = {torch.uint8: torch.quint8, torch.int8: torch.qint8, torch.int32: torch.qint32}
# The operators as torch declares them, and what each engine has.
OPERATORS = "https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native/quantized/library.cpp"


def decline(lack):
    raise Skip(lack, OPERATORS)


def need(condition, lack):
    if not condition:
        decline(lack)


def scalar(tensor):
    """The number in a tensor of one element, exactly; None of none."""
    need(tensor.numel() == 1, "one scale and zero point for this operand")
    return tensor.flatten()[0].item()


def zero_of(scale, zero, dtype):
    return torch.zeros(scale.shape, dtype=dtype) if zero is None else zero


def with_parameters(codes, scale, zero, axis=0):
    """The quantized tensor that has these codes."""
    need(codes.dtype in QUANTIZED, "codes of %s in a quantized tensor" % codes.dtype)
    zero = zero_of(scale, zero, codes.dtype)
    if scale.numel() == 1 and zero.numel() == 1:
        return torch._make_per_tensor_quantized_tensor(codes, scalar(scale), scalar(zero))
    need(scale.dim() == 1 and zero.shape == scale.shape, "parameters of another shape than a vector")
    return torch._make_per_channel_quantized_tensor(codes, scale.double(), zero.long(), axis)


def quantize(x, scale, zero, axis, dtype):
    """Codes of x. Quantized tensors where torch has them; else quantized_decomposed, whose codes are plain tensors."""
    need(x.dtype in (torch.float32, torch.float16, torch.bfloat16), "codes of %s" % x.dtype)
    zero = zero_of(scale, zero, dtype)
    one = scale.numel() == 1 and zero.numel() == 1
    need(one or scale.dim() == 1 and zero.shape == scale.shape, "parameters of another shape than a vector")
    if x.dtype is torch.float32 and dtype in QUANTIZED:
        if one:
            return torch.quantize_per_tensor(x, scalar(scale), scalar(zero), QUANTIZED[dtype]).int_repr()
        return torch.quantize_per_channel(x, scale.double(), zero.long(), axis, QUANTIZED[dtype]).int_repr()
    limits = torch.iinfo(dtype)
    if one:
        return decomposed.quantize_per_tensor(x, scalar(scale), scalar(zero), limits.min, limits.max, dtype)
    return decomposed.quantize_per_channel(x, scale.float(), zero.int(), axis, limits.min, limits.max, dtype)


def dequantize(codes, scale, zero, axis, dtype):
    """Numbers of codes, likewise."""
    if dtype is torch.float32 and codes.dtype in QUANTIZED:
        return with_parameters(codes, scale, zero, axis).dequantize()
    limits, zero = torch.iinfo(codes.dtype), zero_of(scale, zero, codes.dtype)
    rest = (limits.min, limits.max, codes.dtype)
    if scale.numel() == 1 and zero.numel() == 1:
        return decomposed.dequantize_per_tensor(codes, scalar(scale), scalar(zero), *rest, out_dtype=dtype)
    need(scale.dim() == 1 and zero.shape == scale.shape, "parameters of another shape than a vector")
    return decomposed.dequantize_per_channel(codes, scale.float(), zero.int(), axis, *rest, out_dtype=dtype)


def by_groups(name, x, scale, zero, axis, size, dtype):
    """quantize_per_channel_group or its inverse: blocks of rows of a matrix."""
    need(x.dim() == 2 and axis == 1 and scale.dim() == 2, "blocks of other than the rows of a matrix")
    need(size > 1 and x.shape[1] % size == 0, "blocks of one element, or a shorter last one")
    need(dtype.is_floating_point or x.dtype is torch.float32 and scale.dtype is torch.float32, "blocks of other than float32")
    need(dtype.is_floating_point or not x.isnan().any(), "blocks with NaN")
    codes = x.dtype if dtype.is_floating_point else dtype
    limits, zero = torch.iinfo(codes), zero_of(scale, zero, codes)
    rest = (limits.min, limits.max, codes, size) + ((dtype,) if dtype.is_floating_point else ())
    return getattr(decomposed, name)(x, scale.float(), zero.int(), *rest)


def float_bias(codes, x_scale, w_scale):
    """torch's kernels take the bias as float32. Declined where it is no such number: a rounding here would be ours."""
    if codes is None:
        return None
    factor = x_scale.double() * w_scale.double().flatten()  # exact: 48 bits
    factor = factor.expand(codes.numel())
    bias = (codes.double().flatten() * factor).float()
    exact = all(
        Fraction(have) == code * Fraction(by) for have, code, by in zip(bias.tolist(), codes.flatten().tolist(), factor.tolist())
    )
    need(exact, "a bias that is no float32: b * x_scale * w_scale has more bits")
    return bias


def same_type(lack, *tensors):
    need(len({tensor.dtype for tensor in tensors}) == 1, "one type of codes for operands and result of " + lack)


def need_symmetric(w):
    """oneDNN's own condition; the engine x86 takes FBGEMM where it does not hold."""
    plain = w.qscheme() is torch.per_tensor_affine
    symmetric = w.q_zero_point() == 0 if plain else not w.q_per_channel_zero_points().any()
    need(symmetric or torch.backends.quantized.engine != "onednn", "weights with a zero point in oneDNN")


def conv(x, w, bias, window, y, relu=False, transposed=False):
    """x, w: quantized tensors; y: (scale, zero point)."""
    need(x.dtype is torch.quint8, "a convolution of codes other than uint8")
    need(w.dtype is torch.qint8, "filters other than int8")
    need_symmetric(w)
    need(not x.qscheme() is torch.per_channel_affine, "one scale and zero point for this operand")
    strides, begin, end, dilations, groups, more = window
    spatial = len(strides)
    need(x.dim() == spatial + 2, "a convolution of %d axes" % spatial)
    name = "conv%s%dd" % ("_transpose" if transposed else "", spatial)
    if begin != end:
        need(not transposed, "padding that differs at the ends")
        x = torch.nn.functional.pad(x, [one for pair in zip(reversed(begin), reversed(end)) for one in pair], value=0.0)
        begin = [0] * spatial
    shape = [strides, begin] + ([more] if transposed else []) + [dilations, groups]
    packed = getattr(quantized, name + "_prepack")(w, bias, *shape)
    return getattr(quantized, name + ("_relu" if relu else ""))(x, packed, *y)


def linear(a, b, bias, y, relu=False):
    """a times the transpose of b."""
    need(a.dtype is torch.quint8 and a.qscheme() is torch.per_tensor_affine, "rows other than uint8 by one scale")
    need(b.dtype is torch.qint8 and b.dim() == 2, "weights other than a matrix of int8")
    need_symmetric(b)
    need(a.dim() > 1, "a product with a vector: quantized::linear has at least two axes")
    return (quantized.linear_relu if relu else quantized.linear)(a, quantized.linear_prepack(b, bias), *y)


def product(a, b, y):
    """quantized::matmul, of two tensors of one type."""
    same_type("quantized::matmul", a, b)
    need({a.qscheme(), b.qscheme()} == {torch.per_tensor_affine}, "one scale and zero point for this operand")
    return quantized.matmul(a, b, *y)
