#!/usr/bin/env python3
"""Gradients of ONNX operators by PyTorch's autograd: makes gradient_reference.json.

A case is a small model; the loss is the sum of its output's elements times numbers of their own
("factors"). The file has each model as JSON of its protobuf, the range of the numbers that its
inputs get and the gradient of the loss for each of them. Needs python3-onnx.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
import torch
from google.protobuf import json_format
from onnx import TensorProto, helper, numpy_helper

import onnx_by_torch
from reference_numbers import numbers

OPSET = 17
CASES = {}


def listed(gradient):
    """None of what only decides."""
    return [] if gradient is None else [float(f"{v:.6g}") for v in gradient.flatten()]


class Case:
    """Reals: name to (shape, offset, scale). Constants: name to array."""

    def __init__(self, name, nodes, reals, **constants):
        self.name, self.reals = name, reals
        inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, r[0])
                  for n, r in reals.items()]
        given = []
        for key, value in constants.items():
            array = np.asarray(value)
            array = array.astype(np.float32) if array.dtype == np.float64 else array
            given.append(numpy_helper.from_array(array, key))
        self.model = self.with_output(nodes, inputs, given, None)
        shape = self.forward(self.values()).shape
        self.model = self.with_output(nodes, inputs, given, list(shape))
        onnx.checker.check_model(self.model)
        assert name not in CASES, name
        CASES[name] = self

    def with_output(self, nodes, inputs, given, shape):
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
        graph = helper.make_graph(nodes, self.name, inputs, [output], given)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)],
                                 ir_version=8)

    def values(self):
        return {n: torch.from_numpy(numbers(n, *r)).requires_grad_() for n, r in self.reals.items()}

    def forward(self, given):
        return onnx_by_torch.run(self.model, given)["y"]

    def record(self):
        given = self.values()
        output = self.forward(given)
        factors = torch.from_numpy(numbers("factors", output.shape))
        (output * factors).sum().backward()
        return {
            "model": json_format.MessageToDict(self.model),
            "inputs": {n: {"offset": r[1], "scale": r[2],
                           "gradient": listed(given[n].grad)}
                       for n, r in self.reals.items()},
        }


def node(kind, inputs, outputs="y", **attributes):
    return helper.make_node(kind, inputs.split(","), outputs.split(","), name="n" + outputs,
                            **attributes)


def one(kind, reals, label="", constants=None, **attributes):
    """One node whose operands are the reals, then the constants."""
    constants = constants or {}
    names = ",".join([*reals, *constants])
    Case(kind + label, [node(kind, names, **attributes)], reals, **constants)


def unary():
    plain = "Sigmoid Tanh Erf Exp Neg Sin Cos Atan Sinh Cosh Asinh Softplus Softsign Identity"
    for kind in plain.split():
        one(kind, {"x": ([2, 4], 0, 2)})
    for kind in "Log Sqrt Reciprocal".split():
        one(kind, {"x": ([2, 4], 2, 1)})
    for kind in "Asin Acos Atanh Tan".split():
        one(kind, {"x": ([2, 4], 0, 0.8)})
    one("Acosh", {"x": ([2, 4], 3, 1)})
    for kind in "Relu LeakyRelu Abs Elu Celu Selu HardSigmoid ThresholdedRelu".split():
        one(kind, {"x": ([3, 4], 0.003, 3)})
    one("HardSwish", {"x": ([3, 4], 0.003, 4)})
    one("Celu", {"x": ([3, 4], 0, 2)}, "_alpha", alpha=0.7)
    one("HardSigmoid", {"x": ([3, 4], 0, 3)}, "_alpha", alpha=0.4, beta=0.3)
    one("Clip", {"x": ([3, 4], 0, 2)}, constants={"low": -1.0, "high": 0.5})


def binary():
    for kind in "Add Sub Mul Max Min".split():
        one(kind, {"a": ([2, 3], 0, 1), "b": ([3], 0, 1)})
        one(kind, {"a": ([2, 1], 0, 1), "b": ([2, 3], 0, 1)}, "_left")
    one("Div", {"a": ([2, 3], 0, 1), "b": ([2, 1], 2, 1)})
    one("Pow", {"a": ([2, 3], 2, 1), "b": ([3], 1, 1)})
    one("Pow", {"a": ([2, 3], 0, 1)}, "_cube", {"e": 3.0})
    one("Pow", {"a": ([2, 3], 0, 1)}, "_square", {"e": 2.0})
    one("PRelu", {"x": ([2, 3, 4], 0, 1), "slope": ([3, 1], 0, 1)})
    one("Sum", {"a": ([2, 3], 0, 1), "b": ([3], 0, 1), "c": ([2, 1], 0, 1)})
    one("Mean", {"a": ([2, 3], 0, 1), "b": ([3], 0, 1), "c": ([2, 1], 0, 1)})
    Case("Where", [node("Greater", "a,b", "c"), node("Where", "c,a,d")],
         {"a": ([2, 3], 0, 1), "b": ([3], 0, 1), "d": ([2, 1], 0, 1)})


def reductions():
    for kind in ("ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceSumSquare "
                 "ReduceLogSumExp").split():
        one(kind, {"x": ([2, 3, 4], 0.1, 1)}, axes=[0, 2], keepdims=0)
    one("ReduceLogSum", {"x": ([2, 3, 4], 2, 1)}, axes=[1])
    one("ReduceSum", {"x": ([2, 3, 4], 0, 1)}, constants={"axes": np.array([1])}, keepdims=0)
    one("CumSum", {"x": ([2, 5], 0, 1)}, constants={"axis": np.array(1)})
    for kind in "Softmax LogSoftmax".split():
        one(kind, {"x": ([2, 3, 4], 0, 2)}, axis=1)
        one(kind, {"x": ([2, 5], 0, 2)}, "_last")


def products():
    one("MatMul", {"a": ([2, 3, 4], 0, 1), "b": ([4, 2], 0, 1)})
    one("MatMul", {"a": ([3, 4], 0, 1), "b": ([2, 4, 2], 0, 1)}, "_batch")
    one("Gemm", {"a": ([4, 2], 0, 1), "b": ([3, 4], 0, 1), "c": ([3], 0, 1)}, transA=1, transB=1,
        alpha=0.5, beta=2.0)
    one("Einsum", {"a": ([2, 3, 4], 0, 1), "b": ([2, 4, 2], 0, 1)}, equation="bij,bjk->bki")
    one("Conv", {"x": ([1, 2, 6], 0, 1), "w": ([3, 2, 3], 0, 1), "b": ([3], 0, 1)}, "_1d",
        kernel_shape=[3], strides=[2], pads=[1, 2])
    one("Conv", {"x": ([1, 4, 5, 5], 0, 1), "w": ([4, 2, 3, 2], 0, 1)}, "_groups", group=2,
        kernel_shape=[3, 2], dilations=[2, 1], pads=[1, 0, 2, 1])
    one("Conv", {"x": ([2, 2, 4, 5], 0, 1), "w": ([3, 2, 2, 3], 0, 1), "b": ([3], 0, 1)}, "_2d",
        kernel_shape=[2, 3], strides=[1, 2])
    one("Conv", {"x": ([1, 1, 3, 4, 3], 0, 1), "w": ([2, 1, 2, 2, 2], 0, 1)}, "_3d",
        kernel_shape=[2, 2, 2])
    one("Conv", {"x": ([1, 3, 4, 4], 0, 1), "w": ([3, 1, 3, 3], 0, 1)}, "_depthwise", group=3,
        kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    one("ConvTranspose", {"x": ([1, 2, 3, 3], 0, 1), "w": ([2, 3, 3, 3], 0, 1), "b": ([3], 0, 1)},
        kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])


def pools():
    image = {"x": ([1, 2, 5, 6], 0, 1)}
    one("MaxPool", image, kernel_shape=[2, 3], strides=[2, 2], pads=[1, 0, 0, 1])
    one("AveragePool", image, kernel_shape=[3, 2], strides=[1, 2], pads=[1, 0, 1, 1])
    one("AveragePool", image, "_padding", kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 0],
        count_include_pad=1)
    one("GlobalAveragePool", image)
    one("GlobalMaxPool", image)


def rows():
    def at(*list_):
        return np.array(list_)
    table = {"x": ([4, 3], 0, 1)}
    one("Gather", table, constants={"i": at([0, 2], [2, 3])})
    one("Gather", table, "_columns", {"i": at(2, 0, 2)}, axis=1)
    one("GatherElements", table, constants={"i": at([0, 1, 2], [3, 3, 0])})
    one("GatherND", table, constants={"i": at([0, 1], [3, 2], [0, 1])})
    changed = {"x": ([4, 3], 0, 1), "u": ([2, 3], 0, 1)}
    for name, kind, index in (("ScatterElements", "ScatterElements", at([0, 1, 2], [3, 2, 0])),
                              ("ScatterND", "ScatterND", at([3], [1]))):
        Case(name, [node(kind, "x,i,u")], changed, i=index)
        Case(name + "_add", [node(kind, "x,i,u", reduction="add")], changed, i=index)


def views():
    box = {"x": ([2, 3, 4], 0, 1)}
    one("Transpose", box, perm=[2, 0, 1])
    one("Reshape", box, constants={"s": np.array([4, 6])})
    one("Flatten", box)
    one("Squeeze", {"x": ([2, 1, 3], 0, 1)}, constants={"a": np.array([1])})
    one("Unsqueeze", {"x": ([2, 3], 0, 1)}, constants={"a": np.array([1])})
    one("Slice", box, constants={"s": np.array([1, 3]), "e": np.array([3, 0]),
                                 "a": np.array([1, 2]), "t": np.array([1, -2])})
    one("Expand", {"x": ([3, 1], 0, 1)}, constants={"s": np.array([2, 3, 4])})
    one("Tile", {"x": ([2, 3], 0, 1)}, constants={"r": np.array([2, 2])})
    Case("Concat", [node("Concat", "a,b", axis=1)], {"a": ([2, 3], 0, 1), "b": ([2, 2], 0, 1)})
    Case("Split", [node("Split", "x,s", "p,q", axis=1), node("Concat", "q,p,q", axis=1)],
         {"x": ([2, 5], 0, 1)}, s=np.array([2, 3]))
    pads = np.array([1, 0, 2, 1])
    one("Pad", {"x": ([3, 4], 0, 1)}, constants={"p": pads, "v": 0.5})
    for mode in ("edge", "reflect"):
        one("Pad", {"x": ([3, 4], 0, 1)}, "_" + mode, {"p": pads}, mode=mode)
    for mode in ("DCR", "CRD"):
        one("DepthToSpace", {"x": ([1, 8, 2, 3], 0, 1)}, "_" + mode, blocksize=2, mode=mode)
    one("SpaceToDepth", {"x": ([1, 2, 4, 2], 0, 1)}, blocksize=2)
    for mode, shift in (("nearest", "asymmetric"), ("linear", "half_pixel")):
        Case("Resize_" + mode, [helper.make_node(
            "Resize", ["x", "", "f"], ["y"], name="y", mode=mode, nearest_mode="floor",
            coordinate_transformation_mode=shift)], {"x": ([1, 2, 3, 3], 0, 1)},
             f=np.array([1.0, 1.0, 2.0, 2.0]))


def normalisations():
    image = {"x": ([2, 3, 2, 3], 0.5, 1), "s": ([3], 1, 0.5), "b": ([3], 0, 1)}
    one("InstanceNormalization", image)
    Case("BatchNormalization", [helper.make_node(
        "BatchNormalization", ["x", "s", "b", "m", "v"], ["y", "m1", "v1"], name="y",
        training_mode=1)], image, m=np.zeros(3), v=np.ones(3))
    one("LayerNormalization", {"x": ([2, 3, 4], 0.5, 1), "s": ([4], 1, 0.5), "b": ([4], 0, 1)})
    one("LayerNormalization", {"x": ([2, 3, 4], 0.5, 1), "s": ([3, 4], 1, 0.5)}, "_two", axis=1)
    one("LpNormalization", {"x": ([2, 4], 0, 1)}, p=2, axis=1)
    one("MeanVarianceNormalization", {"x": ([2, 3, 2, 2], 0, 1)})
    one("LRN", {"x": ([2, 5, 2, 2], 0, 1)}, size=3, alpha=0.5, beta=0.75, bias=1.5)


def losses():
    labels = {"t": np.array([2, 0, 1])}
    one("SoftmaxCrossEntropyLoss", {"x": ([3, 4], 0, 2)}, constants=labels)
    one("SoftmaxCrossEntropyLoss", {"x": ([3, 4], 0, 2)}, "_sum", labels, reduction="sum")
    Case("NegativeLogLikelihoodLoss",
         [node("LogSoftmax", "x", "p"), node("NegativeLogLikelihoodLoss", "p,t")],
         {"x": ([3, 4], 0, 2)}, **labels)


def recurrences():
    for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for direction, d in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            Case(f"{kind}_{direction}", [node(kind, "x,w,r,b", hidden_size=2, direction=direction)],
                 {"x": ([3, 1, 2], 0, 1), "w": ([d, gates * 2, 2], 0, 1),
                  "r": ([d, gates * 2, 2], 0, 1), "b": ([d, gates * 4], 0, 1)})
    Case("GRU_reset_after", [node("GRU", "x,w,r,b", hidden_size=2, linear_before_reset=1)],
         {"x": ([3, 1, 2], 0, 1), "w": ([1, 6, 2], 0, 1), "r": ([1, 6, 2], 0, 1),
          "b": ([1, 12], 0, 1)})


def compositions():
    """An activation of ONNX's older forms, and an attention."""
    Case("Gelu", [node("Div", "x,root", "d"), node("Erf", "d", "e"), node("Add", "e,one", "f"),
                  node("Mul", "x,f", "g"), node("Mul", "g,half")],
         {"x": ([3, 4], 0, 2)}, root=np.sqrt(2.0), one=1.0, half=0.5)
    Case("Swish", [node("Sigmoid", "x", "s"), node("Mul", "x,s")], {"x": ([3, 4], 0, 2)})
    Case("attention", [node("Transpose", "k", "t", perm=[0, 2, 1]), node("MatMul", "q,t", "s"),
                       node("Mul", "s,f", "u"), node("Softmax", "u", "p"), node("MatMul", "p,v")],
         {n: ([2, 3, 4], 0, 1) for n in "qkv"}, f=0.5)


def main():
    for family in (unary, binary, reductions, products, pools, rows, views, normalisations, losses,
                   recurrences, compositions):
        family()
    lines = [f"{json.dumps(c.name)}: {json.dumps(c.record(), separators=(',', ':'))}"
             for c in CASES.values()]
    target = pathlib.Path(__file__).with_name("gradient_reference.json")
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    sys.exit(main())
