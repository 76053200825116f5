"""Runs ONNX models with PyTorch's functions, in double precision and with their gradients.

Knows the operators of the models and cases that are compared here; each is a function from the
node's operands and attributes to its results, written after the operator's text
(github.com/onnx/onnx/blob/main/docs/Operators.md).
"""
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

OPERATORS = {}


def operator(*names):
    def add(function):
        for name in names:
            OPERATORS[name] = function
        return function
    return add


def simple(**functions):
    for name, function in functions.items():
        OPERATORS[name] = lambda x, a, f=function: f(*x)


def ints(tensor):
    return [int(v) for v in tensor.flatten()]


simple(
    Relu=torch.relu, Sigmoid=torch.sigmoid, Tanh=torch.tanh, Erf=torch.erf, Exp=torch.exp,
    Log=torch.log, Sqrt=torch.sqrt, Reciprocal=torch.reciprocal, Abs=torch.abs, Neg=torch.neg,
    Sin=torch.sin, Cos=torch.cos, Tan=torch.tan, Asin=torch.asin, Acos=torch.acos, Atan=torch.atan,
    Sinh=torch.sinh, Cosh=torch.cosh, Asinh=torch.asinh, Acosh=torch.acosh, Atanh=torch.atanh,
    Softplus=F.softplus, Softsign=F.softsign, HardSwish=F.hardswish, Identity=lambda x: x,
    Add=torch.add, Sub=torch.sub, Mul=torch.mul, Div=torch.div, Pow=torch.pow,
    MatMul=torch.matmul, Sum=lambda *x: sum(x), Mean=lambda *x: sum(x) / len(x),
    Where=torch.where, PRelu=lambda x, s: torch.where(x < 0, s * x, x),
    Greater=torch.gt, Expand=lambda x, s: x * torch.ones(ints(s)),
    Tile=lambda x, s: x.repeat(ints(s)), Dropout=lambda x, *_: x,
    GlobalAveragePool=lambda x: x.mean(tuple(range(2, x.dim())), True),
    GlobalMaxPool=lambda x: x.amax(tuple(range(2, x.dim())), True),
)


def folded(function):
    def run(x, _):
        result = x[0]
        for other in x[1:]:
            result = function(result, other)
        return result
    return run


OPERATORS["Max"] = folded(torch.maximum)
OPERATORS["Min"] = folded(torch.minimum)
OPERATORS["LeakyRelu"] = lambda x, a: F.leaky_relu(x[0], a.get("alpha", 0.01))
OPERATORS["Elu"] = lambda x, a: F.elu(x[0], a.get("alpha", 1.0))
OPERATORS["Celu"] = lambda x, a: F.celu(x[0], a.get("alpha", 1.0))
OPERATORS["Selu"] = lambda x, a: F.selu(x[0])
OPERATORS["ThresholdedRelu"] = lambda x, a: F.threshold(x[0], a.get("alpha", 1.0), 0)
OPERATORS["HardSigmoid"] = lambda x, a: torch.clamp(
    a.get("alpha", 0.2) * x[0] + a.get("beta", 0.5), 0, 1)
OPERATORS["Clip"] = lambda x, a: torch.clamp(x[0], x[1].item(), x[2].item())
OPERATORS["Transpose"] = lambda x, a: x[0].permute(a["perm"])
OPERATORS["Concat"] = lambda x, a: torch.cat(x, a["axis"])
OPERATORS["Split"] = lambda x, a: torch.split(x[0], ints(x[1]), a.get("axis", 0))
OPERATORS["Squeeze"] = lambda x, a: x[0].squeeze(ints(x[1])[0])
OPERATORS["Unsqueeze"] = lambda x, a: x[0].unsqueeze(ints(x[1])[0])
OPERATORS["Flatten"] = lambda x, a: x[0].flatten(a.get("axis", 1))
OPERATORS["Einsum"] = lambda x, a: torch.einsum(a["equation"].decode(), *x)
OPERATORS["CumSum"] = lambda x, a: torch.cumsum(x[0], int(x[1]))
OPERATORS["GatherElements"] = lambda x, a: torch.gather(x[0], a.get("axis", 0), x[1])
OPERATORS["ScatterElements"] = lambda x, a: (
    x[0].scatter_add if a.get("reduction") == b"add" else x[0].scatter)(
        a.get("axis", 0), x[1], x[2])
OPERATORS["GatherND"] = lambda x, a: x[0][tuple(x[1][..., d] for d in range(x[1].shape[-1]))]
OPERATORS["LRN"] = lambda x, a: local_response(x[0], a)
OPERATORS["LpNormalization"] = lambda x, a: F.normalize(x[0], a.get("p", 2), a.get("axis", -1))
OPERATORS["InstanceNormalization"] = lambda x, a: F.instance_norm(
    x[0], weight=x[1], bias=x[2], eps=a.get("epsilon", 1e-5))
OPERATORS["LayerNormalization"] = lambda x, a: F.layer_norm(
    x[0], x[0].shape[a.get("axis", -1):], *x[1:], eps=a.get("epsilon", 1e-5))


def local_response(x, a):
    """(size - 1) / 2 channels before and the rest behind."""
    size = a["size"]
    squares = F.pad((x * x).transpose(1, -1), ((size - 1) // 2, size // 2)).unfold(-1, size, 1)
    sums = squares.sum(-1).transpose(1, -1)
    return x / (a.get("bias", 1.0) + a.get("alpha", 1e-4) / size * sums) ** a.get("beta", 0.75)


@operator("Reshape")
def reshape(x, _):
    return x[0].reshape([x[0].shape[i] if n == 0 else n for i, n in enumerate(ints(x[1]))])


@operator("ConstantOfShape")
def filled(x, a):
    value = numpy_helper.to_array(a["value"])
    return torch.full(ints(x[0]), float(value.reshape(-1)[0]))


@operator("Softmax", "LogSoftmax")
def softmax(x, a):
    function = torch.log_softmax if a["type"] == "LogSoftmax" else torch.softmax
    if a["opset"] >= 13:
        return function(x[0], a.get("axis", -1))
    return function(x[0].flatten(a.get("axis", 1)), -1).reshape(x[0].shape)


@operator("Gemm")
def gemm(x, a):
    left = x[0].t() if a.get("transA") else x[0]
    right = x[1].t() if a.get("transB") else x[1]
    product = a.get("alpha", 1.0) * (left @ right)
    return product + a.get("beta", 1.0) * x[2] if len(x) > 2 else product


def padded(x, a, value=0.0):
    pads = a.get("pads", [])
    half = len(pads) // 2
    flat = [n for d in reversed(range(half)) for n in (pads[d], pads[half + d])]
    return F.pad(x, flat, value=value)


@operator("Conv")
def conv(x, a):
    function = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[x[0].dim()]
    return function(padded(x[0], a), *x[1:], stride=a.get("strides", 1),
                    dilation=a.get("dilations", 1), groups=a.get("group", 1))


@operator("ConvTranspose")
def conv_transpose(x, a):
    function = {3: F.conv_transpose1d, 4: F.conv_transpose2d}[x[0].dim()]
    pads = a.get("pads", [0] * (2 * (x[0].dim() - 2)))
    return function(*x, stride=a.get("strides", 1), padding=pads[:len(pads) // 2],
                    output_padding=a.get("output_padding", 0), groups=a.get("group", 1),
                    dilation=a.get("dilations", 1))


def windows(x, a):
    for d, size in enumerate(a["kernel_shape"]):
        x = x.unfold(2 + d, size, a.get("strides", [1] * 9)[d])
    return x.flatten(-len(a["kernel_shape"]))


@operator("MaxPool")
def max_pool(x, a):
    return windows(padded(x[0], a, -float("inf")), a).amax(-1)


@operator("AveragePool")
def average_pool(x, a):
    sums = windows(padded(x[0], a), a).sum(-1)
    ones = torch.ones_like(x[0]) if not a.get("count_include_pad") else None
    counts = windows(padded(ones, a), a).sum(-1) if ones is not None else len(
        windows(padded(x[0], a), a).flatten(0, -2)[0])
    return sums / counts


@operator("BatchNormalization")
def batch_norm(x, a):
    return F.batch_norm(x[0], x[3], x[4], x[1], x[2], bool(a.get("training_mode")),
                        eps=a.get("epsilon", 1e-5))


REDUCTIONS = {
    "ReduceSum": lambda x, d, k: x.sum(d, k), "ReduceMean": lambda x, d, k: x.mean(d, k),
    "ReduceMax": lambda x, d, k: x.amax(d, k), "ReduceMin": lambda x, d, k: x.amin(d, k),
    "ReduceL1": lambda x, d, k: x.abs().sum(d, k),
    "ReduceL2": lambda x, d, k: (x * x).sum(d, k).sqrt(),
    "ReduceSumSquare": lambda x, d, k: (x * x).sum(d, k),
    "ReduceLogSum": lambda x, d, k: x.sum(d, k).log(), "ReduceLogSumExp": torch.logsumexp,
}


@operator(*REDUCTIONS)
def reduce(x, a):
    axes = ints(x[1]) if len(x) > 1 else a["axes"]
    return REDUCTIONS[a["type"]](x[0], tuple(axes), bool(a.get("keepdims", 1)))


@operator("MeanVarianceNormalization")
def mean_variance(x, a):
    axes = tuple(a.get("axes", [0, 2, 3]))
    centred = x[0] - x[0].mean(axes, True)
    return centred / (centred * centred).mean(axes, True).sqrt()


@operator("Gather")
def gather(x, a):
    axis = a.get("axis", 0)
    rows = x[0].index_select(axis, x[1].flatten())
    return rows.reshape(x[0].shape[:axis] + x[1].shape + x[0].shape[axis + 1:])


@operator("ScatterND")
def scatter_rows(x, a):
    index = tuple(x[1][..., d] for d in range(x[1].shape[-1]))
    return x[0].index_put(index, x[2], accumulate=a.get("reduction") == b"add")


@operator("Slice")
def cut(x, _):
    result = x[0]
    starts, ends, axes, steps = (ints(t) for t in x[1:5])
    for start, end, axis, step in zip(starts, ends, axes, steps):
        rows = torch.arange(result.shape[axis])[slice(start, end, step)] if step > 0 else \
            torch.tensor(list(range(result.shape[axis]))[start:end:step])
        result = result.index_select(axis, rows)
    return result


@operator("Pad")
def pad(x, a):
    mode = a.get("mode", b"constant").decode()
    pads = ints(x[1])
    if mode == "constant":
        return padded(x[0], {"pads": pads}, x[2].item() if len(x) > 2 else 0.0)
    result = x[0]
    half = len(pads) // 2
    for d in range(half):
        size = result.shape[d]
        at = torch.arange(-pads[d], size + pads[half + d])
        if mode == "edge":
            at = at.clamp(0, size - 1)
        else:
            at = (size - 1) - ((size - 1) - at.abs()).abs()
        result = result.index_select(d, at)
    return result


@operator("DepthToSpace")
def depth_to_space(x, a):
    if a.get("mode", b"DCR") == b"CRD":
        return F.pixel_shuffle(x[0], a["blocksize"])
    n, c, h, w = x[0].shape
    b = a["blocksize"]
    return x[0].reshape(n, b, b, c // b // b, h, w).permute(0, 3, 4, 1, 5, 2).reshape(
        n, c // b // b, h * b, w * b)


@operator("SpaceToDepth")
def space_to_depth(x, a):
    n, c, h, w = x[0].shape
    b = a["blocksize"]
    return x[0].reshape(n, c, h // b, b, w // b, b).permute(0, 3, 5, 1, 2, 4).reshape(
        n, c * b * b, h // b, w // b)


@operator("Resize")
def resize(x, a):
    mode = {b"nearest": "nearest", b"linear": "bilinear"}[a["mode"]]
    more = {} if mode == "nearest" else {"align_corners": False}
    return F.interpolate(x[0], scale_factor=[float(s) for s in x[2].flatten()[2:]], mode=mode,
                         **more)


@operator("SoftmaxCrossEntropyLoss")
def cross_entropy(x, a):
    return F.cross_entropy(x[0], x[1], reduction=a.get("reduction", b"mean").decode())


@operator("NegativeLogLikelihoodLoss")
def nll(x, a):
    return F.nll_loss(x[0], x[1], reduction=a.get("reduction", b"mean").decode())


def one_direction(x, w, r, b, kind, a):
    """All states, [steps, batch, units], and the last."""
    units = r.shape[-1]
    wb, rb = b.split(b.shape[0] // 2)
    h = torch.zeros(x.shape[1], units)
    c = torch.zeros_like(h)
    states = []
    for step in x:
        if kind == "LSTM":
            i, o, f, g = (step @ w.t() + h @ r.t() + wb + rb).split(units, -1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        elif kind == "GRU":
            (wz, wr, wh), (rz, rr, rh) = w.split(units), r.split(units)
            (bz, br, bh), (cz, cr, ch) = wb.split(units), rb.split(units)
            z = torch.sigmoid(step @ wz.t() + h @ rz.t() + bz + cz)
            reset = torch.sigmoid(step @ wr.t() + h @ rr.t() + br + cr)
            if a.get("linear_before_reset"):
                new = torch.tanh(step @ wh.t() + reset * (h @ rh.t() + ch) + bh)
            else:
                new = torch.tanh(step @ wh.t() + (reset * h) @ rh.t() + ch + bh)
            h = (1 - z) * new + z * h
        else:
            h = torch.tanh(step @ w.t() + h @ r.t() + wb + rb)
        states.append(h)
    return torch.stack(states), h, c


@operator("LSTM", "GRU", "RNN")
def recurrent(x, a):
    results = []
    for d in range(x[1].shape[0]):
        backwards = d == 1 or a.get("direction") == b"reverse"
        steps = x[0].flip(0) if backwards else x[0]
        all_states, h, c = one_direction(steps, x[1][d], x[2][d], x[3][d], a["type"], a)
        results.append((all_states.flip(0) if backwards else all_states, h, c))
    return torch.stack([r[0] for r in results], 1), *(
        torch.stack([r[i] for r in results]) for i in (1, 2))


def run(model, values):
    """Values of all tensors of a model, given those of its inputs."""
    opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    values = dict(values)
    for tensor in model.graph.initializer:
        array = torch.from_numpy(numpy_helper.to_array(tensor).copy())
        values.setdefault(tensor.name, array.double() if array.is_floating_point() else array)
    for node in model.graph.node:
        if node.output[0] in values:
            continue
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        attributes.update(opset=opset, type=node.op_type)
        operands = [values.get(name) for name in node.input]
        results = OPERATORS[node.op_type](operands, attributes)
        results = results if isinstance(results, tuple) else (results,)
        values.update(zip(node.output, results))
    return values


torch.set_default_dtype(torch.float64)
