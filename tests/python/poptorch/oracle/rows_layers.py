"""Rows of layers, products, and of parameters and buffers of a module's own."""
import poptorch
import torch
from rows import F, axis, dims, inner_axis, row, unary
from torch import nn


def _last(rng, x, *more):
    return {"n": x.shape[-1], "to": rng.choice([1, 2, 4])}


def layer(name, part, params, **named):
    row(name, lambda m, p, x: m(x), part=part, params=params, **named)


layer("Linear", lambda p: nn.Linear(p["n"], p["to"], bias=p["bias"]),
      lambda rng, x: {**_last(rng, x), "bias": rng.random() < 0.8}, fits=dims(2), half=True,
      weight=4)
row("linear_tied", lambda m, p, x: m(torch.tanh(m(x))), part=lambda p: nn.Linear(p["n"], p["n"]),
    params=_last, fits=dims(2))
row("linear_and_transposed", lambda m, p, x: F.linear(m(x), m.weight.t()), fits=dims(2),
    part=lambda p: nn.Linear(p["n"], p["to"]), params=_last)
row("Bilinear", lambda m, p, x, y: m(x, y), "ff", part=lambda p: nn.Bilinear(p["n"], p["n"], 2),
    params=_last, fits=lambda x, y: x.dim() == 2 and x.shape == y.shape)


def _conv(dims_of):
    def params(rng, x):
        groups = 2 if x.shape[1] % 2 == 0 and rng.random() < 0.3 else 1
        return {"n": x.shape[1], "to": rng.choice([1, 2, 4]) * groups, "k": rng.choice([1, 2, 3]),
                "stride": rng.choice([1, 1, 2]), "padding": rng.choice([0, 1]), "groups": groups,
                "bias": rng.random() < 0.7, "dilation": rng.choice([1, 1, 2])}

    return params


def _make_conv(kind):
    return lambda p: kind(p["n"], p["to"], p["k"], p["stride"], p["padding"], groups=p["groups"],
                          bias=p["bias"], dilation=p["dilation"])


layer("Conv1d", _make_conv(nn.Conv1d), _conv(1), fits=dims(3, 3), weight=2)
layer("Conv2d", _make_conv(nn.Conv2d), _conv(2), fits=dims(4, 4), weight=3)
for _rank, _kind in ((3, nn.ConvTranspose1d), (4, nn.ConvTranspose2d)):
    layer(_kind.__name__, lambda p, kind=_kind: kind(p["n"], p["to"], p["k"], p["stride"],
                                                      bias=p["bias"]),
          _conv(_rank - 2), fits=dims(_rank, _rank))
layer("Conv2d_circular", lambda p: nn.Conv2d(p["n"], 2, 3, padding=1, padding_mode=p["mode"]),
      lambda rng, x: {"n": x.shape[1], "mode": rng.choice(["reflect", "circular", "replicate"])},
      fits=lambda x: x.dim() == 4 and min(x.shape[2:]) > 1)


def _channels(rng, x):
    return {"n": x.shape[1], "affine": rng.random() < 0.7, "momentum": rng.choice([0.1, 0.5]),
            "frozen": rng.random() < 0.3, "stats": rng.random() < 0.85}


def _batch_norm(kind):
    def make(p):
        norm = kind(p["n"], affine=p["affine"], momentum=p["momentum"],
                    track_running_stats=p["stats"] or p["frozen"])
        if p["frozen"]:
            norm.running_mean.uniform_(-0.5, 0.5)
            norm.running_var.uniform_(0.5, 1.5)
            norm.eval()
        return norm

    return make


layer("BatchNorm1d", _batch_norm(nn.BatchNorm1d), _channels, fits=dims(2, 3), state=True)
layer("BatchNorm2d", _batch_norm(nn.BatchNorm2d), _channels, fits=dims(4, 4), state=True, weight=2)
layer("LayerNorm", lambda p: nn.LayerNorm(p["n"], elementwise_affine=p["affine"]),
      lambda rng, x: {"n": x.shape[-1], "affine": rng.random() < 0.7},
      fits=lambda x: x.dim() > 1 and x.shape[-1] > 2)
layer("LayerNorm_shape", lambda p: nn.LayerNorm(p["n"]),
      lambda rng, x: {"n": list(x.shape[1:])}, fits=lambda x: x.dim() > 2 and x[0].numel() > 2)
layer("GroupNorm", lambda p: nn.GroupNorm(p["g"], p["n"], affine=p["affine"]),
      lambda rng, x: {"n": x.shape[1], "g": rng.choice([1, 2]), "affine": rng.random() < 0.7},
      fits=lambda x: x.dim() > 2 and x.shape[1] % 2 == 0 and x[0].numel() // 2 > 2)
layer("InstanceNorm2d", lambda p: nn.InstanceNorm2d(p["n"], affine=p["affine"]),
      lambda rng, x: {"n": x.shape[1], "affine": rng.random() < 0.7},
      fits=lambda x: x.dim() == 4 and x[0, 0].numel() > 2)
layer("InstanceNorm2d_statistics",
      lambda p: nn.InstanceNorm2d(p["n"], affine=p["affine"], track_running_stats=True),
      lambda rng, x: {"n": x.shape[1], "affine": rng.random() < 0.5}, state=True,
      fits=lambda x: x.dim() == 4 and x[0, 0].numel() > 2)
row("BatchNorm_unused", lambda m, p, x: (m(x), x * 2)[1], part=_batch_norm(nn.BatchNorm1d),
    params=_channels, fits=dims(2, 3), state=True)
row("BatchNorm_of_shape", lambda m, p, x: torch.zeros_like(m(x)) + x, state=True,
    part=_batch_norm(nn.BatchNorm1d), params=_channels, fits=dims(2, 3))
row("BatchNorm_twice", lambda m, p, x: m(m(x) + 1), part=_batch_norm(nn.BatchNorm1d),
    params=_channels, fits=dims(2, 3), state=True)
layer("PReLU", lambda p: nn.PReLU(p["n"]),
      lambda rng, x: {"n": rng.choice([1, x.shape[1]])}, fits=dims(2), weight=2)
layer("Dropout_0", lambda p: nn.Dropout(0.0), lambda rng, x: {})
layer("Dropout_eval", lambda p: nn.Dropout(0.5).eval(), lambda rng, x: {})
layer("Identity", lambda p: nn.Identity(), lambda rng, x: {})
layer("Flatten", lambda p: nn.Flatten(), lambda rng, x: {}, fits=dims(2))
for _name, _function in (("max_pool2d", F.max_pool2d), ("avg_pool2d", F.avg_pool2d)):
    row(_name, lambda m, p, x, f=_function: f(x, p["k"], p["stride"]), fits=lambda x: x.dim() == 4
        and min(x.shape[2:]) > 1,
        params=lambda rng, x: {"k": 2, "stride": rng.choice([1, 2])})
row("max_pool1d", lambda m, p, x: F.max_pool1d(x, 2, 1),
    fits=lambda x: x.dim() == 3 and x.shape[-1] > 1)
row("avg_pool_padded", lambda m, p, x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=p["c"]),
    params=lambda rng, x: {"c": rng.random() < 0.5}, fits=lambda x: x.dim() == 4)
row("adaptive_avg_pool", lambda m, p, x: F.adaptive_avg_pool2d(x, 1), fits=dims(4, 4))
row("adaptive_max_pool", lambda m, p, x: F.adaptive_max_pool2d(x, 1), fits=dims(4, 4))
row("interpolate", lambda m, p, x: F.interpolate(x, scale_factor=2.0, mode=p["mode"]),
    params=lambda rng, x: {"mode": rng.choice(["nearest", "bilinear"])}, fits=dims(4, 4))


class _Recurrent(nn.Module):
    def __init__(self, kind, n, bidirectional):
        super().__init__()
        self.cell = kind(n, 2, batch_first=True, bidirectional=bidirectional)

    def forward(self, x):
        return self.cell(x)[0]


for _kind in (nn.LSTM, nn.GRU, nn.RNN):
    layer(_kind.__name__, lambda p, kind=_kind: _Recurrent(kind, p["n"], p["both"]),
          lambda rng, x: {"n": x.shape[-1], "both": rng.random() < 0.3}, fits=dims(3, 3))


class _Attention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.part = nn.MultiheadAttention(n, 2, batch_first=True)

    def forward(self, x):
        return self.part(x, x, x, need_weights=False)[0]


layer("MultiheadAttention", lambda p: _Attention(p["n"]), _last,
      fits=lambda x: x.dim() == 3 and x.shape[-1] % 2 == 0)
layer("TransformerEncoderLayer",
      lambda p: nn.TransformerEncoderLayer(p["n"], 2, 4, 0.0, batch_first=True), _last,
      fits=lambda x: x.dim() == 3 and x.shape[-1] % 2 == 0 and x.shape[-1] > 2)

# Products.
row("matmul", lambda m, p, x, y: torch.matmul(x, y.transpose(-1, -2)), "ff",
    fits=lambda x, y: x.dim() > 1 and x.shape == y.shape)
row("bmm", lambda m, p, x, y: torch.bmm(x, y.transpose(1, 2)), "ff",
    fits=lambda x, y: x.dim() == 3 and x.shape == y.shape)
row("einsum", lambda m, p, x, y: torch.einsum("bi,bj->bij", x, y), "ff",
    fits=lambda x, y: x.dim() == 2 and y.dim() == 2 and x.shape[0] == y.shape[0])
row("einsum_sum", lambda m, p, x, y: torch.einsum("bij,bij->bi", x, y), "ff",
    fits=lambda x, y: x.dim() == 3 and x.shape == y.shape)
row("baddbmm", lambda m, p, x: torch.baddbmm(x @ x.transpose(1, 2), x, x.transpose(1, 2),
                                             beta=0.5, alpha=2), fits=dims(3, 3))
row("addmm", lambda m, p, x: torch.addmm(x @ x.t(), x, x.t(), beta=0.5), fits=dims(2, 2))
row("outer", lambda m, p, x: torch.outer(x[0], x[-1]), fits=dims(2, 2))
row("mv", lambda m, p, x: torch.mv(x, x[0]).unsqueeze(1), fits=dims(2, 2))
row("dot", lambda m, p, x: torch.dot(x[0], x[-1]) + x, fits=dims(2, 2))
row("cosine_similarity", lambda m, p, x, y: F.cosine_similarity(x + 0.1, y, dim=1), "ff",
    fits=lambda x, y: x.dim() > 1 and x.shape == y.shape)
row("pairwise_distance", lambda m, p, x, y: F.pairwise_distance(x, y + 0.3, p=p["p"], keepdim=True),
    "ff", params=lambda rng, *x: {"p": rng.choice([1.0, 2.0, 3.0])},
    fits=lambda x, y: x.dim() == 2 and x.shape == y.shape)
row("cdist", lambda m, p, x, y: torch.cdist(x, y + 0.3, p=p["p"]), "ff",
    params=lambda rng, *x: {"p": rng.choice([1.0, 2.0, 3.0])},
    fits=lambda x, y: x.dim() in (2, 3) and x.shape == y.shape)


# Parameters and buffers of the module's own.
class Own(nn.Module):
    """A parameter or buffer called "it"."""

    def __init__(self, it, buffer=False, frozen=False, persistent=True):
        super().__init__()
        if buffer:
            self.register_buffer("it", it, persistent=persistent)
        else:
            self.it = nn.Parameter(it, requires_grad=not frozen)


def _sized(rng, x, *more):
    return {"shape": rng.choice([[1], [], [x.shape[-1]], [1] * x.dim()]),
            "frozen": rng.random() < 0.2}


def _parameter(p):
    return Own(torch.rand(p["shape"]) + 0.5, frozen=p["frozen"])


def own(name, compute, **named):
    named.setdefault("params", _sized)
    row(name, compute, part=_parameter, **named)


own("parameter_add", lambda m, p, x: x + m.it, weight=2)
own("parameter_mul", lambda m, p, x: x * m.it, weight=2)
own("parameter_exp", lambda m, p, x: x * m.it.mul(0.3).exp())
own("parameter_clamped", lambda m, p, x: x + m.it.clamp(max=0.8))
own("parameter_min", lambda m, p, x: torch.minimum(x, m.it))
own("parameter_penalty", lambda m, p, x: x + (m.it**2).sum() * 0.1)
own("parameter_softmax", lambda m, p, x: x * torch.softmax(m.it.flatten(), 0).sum())
own("parameter_expanded", lambda m, p, x: x + m.it.reshape(-1)[0].expand(x.shape))
own("parameter_twice", lambda m, p, x: (x + m.it) * m.it)
own("parameter_stacked", lambda m, p, x: x + torch.stack([m.it, m.it * 2]).mean())
own("parameter_unused", lambda m, p, x: x)


def _clipped(m, p, x):
    with torch.no_grad():
        m.it.clamp_(0.6, 1.2)
    return x * m.it


def _decayed(m, p, x):
    m.it.data.mul_(0.9)
    return x + m.it


own("parameter_clipped", _clipped, state=True)
own("parameter_decayed", _decayed, state=True)
own("weight_norm", lambda m, p, x: x * (m.it / m.it.norm()))


def _buffer(p):
    return Own(torch.full(p["shape"], 0.5), buffer=True, persistent=p["persistent"])


def _kept(name, compute, **named):
    row(name, compute, part=_buffer,
        params=lambda rng, x: {"shape": rng.choice([[1], [], [x.shape[-1]]]),
                               "persistent": rng.random() < 0.7}, **named)


def _count(m, p, x):
    m.it.add_(1)
    return x + m.it * 0.1


def _average(m, p, x):
    m.it.mul_(0.9).add_(x.detach().mean() * 0.1)
    return x - m.it


def _read_first(m, p, x):
    y = x * m.it.clone()
    m.it += 0.25
    return y


def _replace(m, p, x):
    y = x + m.it
    m.it.copy_((x.detach() * 0.1).mean().expand(m.it.shape))
    return y


_kept("buffer_add", lambda m, p, x: x + m.it)
_kept("buffer_counter", _count, state=True, weight=2)
_kept("buffer_average", _average, state=True, weight=2)
_kept("buffer_read_first", _read_first, state=True)
_kept("buffer_replaced", _replace, state=True)


def _history(m, p, x):
    y = x + m.it[0]
    m.it[1:] = m.it[:-1].clone()
    m.it[0] = x.detach().mean()
    return y


def _steps(m, p, x):
    m.it += 1
    return x * (m.it % 2).float() + m.it


row("buffer_history", _history, part=lambda p: Own(torch.zeros(3), buffer=True), state=True)
row("buffer_of_integers", _steps, state=True,
    part=lambda p: Own(torch.zeros((), dtype=torch.int64), buffer=True))

# Additions of poptorch.
unary("nop", poptorch.nop)
unary("checkpoint", poptorch.recomputationCheckpoint)
row("for_loop", lambda m, p, x: _looped(m, 3, lambda y: y * 0.5 + 1, x), part=lambda p: nn.Identity())
row("for_loop_in_place", lambda m, p, x: _looped(m, 2, lambda y: y.add_(1), x), in_place=True,
    part=lambda p: nn.Identity())
row("set_available_memory", lambda m, p, x: poptorch.set_available_memory(m(x), 0.3),
    part=lambda p: nn.Linear(p["n"], 2), params=_last, fits=dims(2))
row("name_scope", lambda m, p, x: _scoped(x))


def _looped(module, count, body, x):
    """A loop of poptorch, which it refuses in training."""
    if not module.training:
        return poptorch.for_loop(count, body, [x])[0]
    x = x.clone()
    for _ in range(count):
        x = body(x)
    return x


def _scoped(x):
    with poptorch.NameScope("scope"):
        return x * 2


class _Swish(torch.autograd.Function):
    """With an explicit gradient."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(context, gradient):
        (x, ) = context.saved_tensors
        s = torch.sigmoid(x)
        return gradient * s * (1 + x * (1 - s))


def _function_of_changed(m, p, x):
    v = x[:, :1]
    v.mul_(0.5)
    return _Swish.apply(x)


def _function_without_gradient(m, p, x):
    with torch.no_grad():
        y = _Swish.apply(x)
    return x + y


unary("function", _Swish.apply)  # taken from its class before it is called
unary("function_called", lambda x: _Swish.apply(x))
row("function_without_gradient", _function_without_gradient)
row("function_of_changed", _function_of_changed, fits=dims(2), in_place=True)
