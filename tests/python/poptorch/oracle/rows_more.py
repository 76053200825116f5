"""Rows of less frequent operations: integers and mixed types, orders, paddings, shapes, special functions."""
import torch
from rows import F, _untied, dims, inner_axis, row, unary
from rows_layers import layer
from torch import nn

_SAME = lambda x, y: x.shape == y.shape  # noqa: E731
_SQUARE = lambda x: x.dim() > 2 and x.shape[-1] == x.shape[-2]  # noqa: E731


def _chosen(name, *values, **others):
    """Draws a number by name, and a dimension if asked for."""
    def params(rng, x, *more):
        drawn = {name: rng.choice(values)}
        return {**drawn, **inner_axis(rng, x)} if others.get("dim") else drawn

    return params


# Integers and mixed types.
for _name in ("add", "sub", "mul", "floor_divide", "remainder", "fmod", "bitwise_and", "bitwise_or",
              "bitwise_xor", "maximum", "minimum"):
    row(f"int_{_name}", lambda m, p, i, f=getattr(torch, _name): f(i * 3 - 4, p["c"] + 0 * i), "i",
        params=_chosen("c", 2, 3, -2))
row("int_div", lambda m, p, i: i / p["c"], "i", params=_chosen("c", 2, 3, -2))
row("int_div_mode", lambda m, p, i: torch.div(i * 3 - 5, p["c"], rounding_mode=p["mode"]), "i",
    params=lambda rng, i: {"c": rng.choice([2, 4, -3]), "mode": rng.choice(["floor", "trunc"])})
row("int_floordiv_operator", lambda m, p, i: (i * 3 - 5) // p["c"] + (i - 3) % p["c"], "i",
    params=_chosen("c", 2, 4, -3))
row("int_pow", lambda m, p, i: (i - 2)**p["c"], "i", params=_chosen("c", 2, 3))
row("int_sum", lambda m, p, i: i.sum(-1, keepdim=True) + i, "i")
row("int_mean", lambda m, p, i: i.float().mean(-1, keepdim=True) + i, "i")
row("int_prod", lambda m, p, i: i.prod(-1, keepdim=True) + i, "i")
row("int_cumsum", lambda m, p, i: i.cumsum(-1), "i")
row("int_clamp", lambda m, p, i: i.clamp(1, 2), "i")
row("int_shift", lambda m, p, i: (i << 2) + (i >> 1), "i")
row("int_abs_sign", lambda m, p, i: (i - 2).abs() + (i - 1).sign() - (-i), "i")
row("int_where", lambda m, p, i: torch.where(i > 1, i, -i), "i")
row("int_max", lambda m, p, i: i.max(-1, keepdim=True)[0] - i.amin(-1, keepdim=True), "i")
row("int_argmax", lambda m, p, i: (i + torch.arange(i.shape[-1]) * 9).argmax(-1, keepdim=True) + i, "i")
row("int_times_float", lambda m, p, i: i * 0.5 + 1, "i")
row("int_small", lambda m, p, i: (i.to(getattr(torch, p["t"])) + 1).float(), "i",
    params=_chosen("t", "int8", "int16", "int32", "uint8"))
row("int_pair", lambda m, p, x, i: x.reshape(x.shape[0], -1)[:, :1] * i + i, "fi")
row("bool_sum", lambda m, p, b: b.sum(-1, keepdim=True) + b, "b")
row("bool_cumsum", lambda m, p, b: b.cumsum(-1), "b")
row("bool_mean", lambda m, p, b: b.float().mean(-1, keepdim=True), "b")
row("bool_times", lambda m, p, x, b: x * b + b, "fb", fits=_SAME)
row("bool_minus", lambda m, p, b: 1 - b.int(), "b")
row("bool_operators", lambda m, p, b: (b & ~b) | (b ^ True), "b")
row("bool_max", lambda m, p, b: b.float().argmax(-1, keepdim=True) + b.int(), "b")
unary("truncated_to_int", lambda x: (x * 3).int() // 2 + (x * 3).long() % 3, smooth=False)
unary("isfinite", lambda x: torch.isfinite(x / (x > 0).float()), smooth=False)
unary("isinf", lambda x: torch.isinf(x / (x > 0).float()), smooth=False)
unary("sgn", torch.sgn, smooth=False)
unary("count_nonzero", lambda x: torch.count_nonzero(x.relu(), -1), smooth=False)
unary("as_bool", lambda x: x.relu().bool(), smooth=False)

# Functions of each element.
for _name in ("erfc", "sinc"):
    unary(_name, lambda x, f=getattr(torch, _name): f(x.abs().clamp(max=3) + 0.3))
unary("expit_logit", lambda x: torch.special.expit(x) + torch.special.logit(x.sigmoid(), eps=0.1))
unary("entr", lambda x: torch.special.entr(x.abs() + 0.2))
unary("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"))
unary("softplus_beta", lambda x: F.softplus(x, beta=2, threshold=1.5))
unary("elu_alpha", lambda x: F.elu(x, 0.5) + F.celu(x, 0.7) + F.leaky_relu(x, 0.3))
unary("hardtanh_limits", lambda x: F.hardtanh(x, -0.4, 0.7) + F.hardshrink(x, 0.2) + F.softshrink(x, 0.3))
unary("rrelu_eval", lambda x: F.rrelu(x, 0.1, 0.3, training=False))
unary("round_decimals", lambda x: torch.round(x, decimals=1), smooth=False)
unary("float_power", lambda x: torch.float_power(x.abs() + 0.2, 1.5).float())
unary("square_root_of_square", lambda x: (x**2 + 1e-3)**0.5)
for _name, _function in (("copysign", torch.copysign), ("heaviside", torch.heaviside),
                         ("fmax", torch.fmax), ("fmin", torch.fmin),
                         ("logaddexp2", torch.logaddexp2),
                         ("xlog1py", lambda x, y: torch.special.xlog1py(x, y.abs())),
                         ("isclose", lambda x, y: torch.isclose(x, y, atol=0.3)),
                         ("lerp_tensor", lambda x, y: torch.lerp(x, y, x.sigmoid())),
                         ("clamp_both", lambda x, y: torch.clamp(x, y - 0.5, y + 0.5)),
                         ("ldexp", lambda x, y: torch.ldexp(x, y.round().clamp(-3, 3))),
                         ("kron", lambda x, y: torch.kron(x[:, :2], y[:, :1]))):
    row(_name, lambda m, p, x, y, f=_function: f(x, y), "ff", fits=_SAME,
        smooth=_name not in ("copysign", "heaviside", "isclose", "ldexp"))

# Reductions and orders.
row("topk_two", lambda m, p, x: torch.topk(x, 2, -1, largest=p["l"])[0], params=_chosen("l", True, False),
    fits=lambda x: x.dim() > 1 and x.shape[-1] > 1)
row("topk_indices", lambda m, p, x: torch.topk(_untied(x), 2, -1)[1], fits=lambda x: x.shape[-1] > 1, smooth=False)
row("argsort", lambda m, p, x: torch.argsort(_untied(x), p["dim"], descending=p["d"]), fits=dims(2), smooth=False,
    params=_chosen("d", True, False, dim=True))
row("sorted_gathered", lambda m, p, x: x.gather(-1, x.argsort(-1)), fits=dims(2))
row("kthvalue", lambda m, p, x: torch.kthvalue(x.clone(), 1, p["dim"])[0], fits=dims(2), params=inner_axis)
row("median", lambda m, p, x: torch.median(x.clone(), p["dim"])[0], fits=dims(2), params=inner_axis)
row("cumprod", lambda m, p, x: torch.cumprod(x, p["dim"]), fits=dims(2), params=inner_axis)
row("max_both", lambda m, p, x: torch.max(x, p["dim"])[0] + torch.max(x, p["dim"])[1], fits=dims(2),
    params=inner_axis)
row("max_of_all", lambda m, p, x: x - x.max() + x.min() + x.argmax())
row("sum_of_all", lambda m, p, x: x - x.sum() * 0.1 + x.norm() + x.std())
row("aminmax", lambda m, p, x: torch.aminmax(x, dim=p["dim"])[1], fits=dims(2), params=inner_axis)
row("var_mean", lambda m, p, x: sum(torch.var_mean(x, (1, -1), unbiased=False, keepdim=True)), fits=dims(3))
row("nansum", lambda m, p, x: torch.nansum(x / (x > 0).float() * 0, p["dim"]), fits=dims(2),
    params=inner_axis, smooth=False)
row("norm_inf", lambda m, p, x: torch.norm(x, p["p"], p["dim"], keepdim=True), fits=dims(2),
    params=_chosen("p", float("inf"), float("-inf"), dim=True))
row("norm_dims", lambda m, p, x: torch.linalg.norm(x + 0.1, dim=(1, 2)), fits=dims(3, 3))
row("amax_dims", lambda m, p, x: x.amax((1, -1)) - x.amin((-1, 1)), fits=dims(3))
row("logsumexp_dims", lambda m, p, x: torch.logsumexp(x, (1, -1)), fits=dims(3))
row("softmax_int", lambda m, p, i: torch.softmax(i.float(), -1), "i")
row("softmax_dtype", lambda m, p, x: F.softmax(x.half(), -1, dtype=torch.float32))

# Shapes.
row("unflatten", lambda m, p, x: x.unflatten(1, (2, -1)), fits=lambda x: x.dim() > 1 and x.shape[1] % 2 == 0)
row("rot90", lambda m, p, x: torch.rot90(x, p["k"], (1, 2)), fits=dims(3), params=_chosen("k", 1, 2, -1))
row("swapaxes", lambda m, p, x: x.swapaxes(1, -1), fits=dims(3))
row("stacks", lambda m, p, x, y: torch.hstack([x, y]) * 2, "ff", fits=lambda x, y: x.dim() > 1 and _SAME(x, y))
row("dstack", lambda m, p, x, y: torch.dstack([x, y]), "ff", fits=lambda x, y: x.dim() > 1 and _SAME(x, y))
row("diag_embed", lambda m, p, x: torch.diag_embed(x, p["k"]), fits=dims(2, 3), params=_chosen("k", 0, 1, -1))
row("diagonal_offset", lambda m, p, x: torch.diagonal(x, p["k"], 1, 2), params=_chosen("k", 0, 1, -1),
    fits=lambda x: x.dim() > 2 and min(x.shape[1:3]) > 1)
row("trace", lambda m, p, x: x + torch.trace(x), fits=lambda x: x.dim() == 2 and x.shape[0] == x.shape[1])
row("tensor_split", lambda m, p, x: torch.tensor_split(x, 3, -1)[0], fits=dims(2))
row("split_sizes", lambda m, p, x: torch.split(x, [1, x.shape[1] - 1], 1)[1] * 2,
    fits=lambda x: x.dim() > 1 and x.shape[1] > 1)
row("roll_all", lambda m, p, x: torch.roll(x, 3))
row("roll_two", lambda m, p, x: torch.roll(x, (1, -2), (1, -1)), fits=dims(3))
row("flip_two", lambda m, p, x: x.flip(1, -1), fits=dims(3))
row("as_strided", lambda m, p, x: x.contiguous().as_strided((x.shape[0], 2), (x[0].numel(), 1)),
    fits=lambda x: x[0].numel() > 1)
row("unfold_step", lambda m, p, x: x.unfold(1, 2, 2), fits=lambda x: 2 <= x.dim() <= 3 and x.shape[1] > 2)
row("broadcast_to", lambda m, p, x: x[:1].broadcast_to(x.shape) + x)
row("broadcast_tensors", lambda m, p, x: torch.broadcast_tensors(x, x[:, :1])[1] * x, fits=dims(2))
row("atleast", lambda m, p, x: torch.atleast_3d(x) * 2, fits=dims(1, 2))
row("repeat_interleave_none", lambda m, p, x: x.flatten().repeat_interleave(2).reshape(x.shape[0], -1))
row("repeat_interleave_counts", lambda m, p, x: x.repeat_interleave(torch.tensor([2, 1]), 1),
    fits=lambda x: x.dim() > 1 and x.shape[1] == 2)
row("take", lambda m, p, x: torch.take(x, torch.tensor([0, 1, 0])) + x.sum(), fits=lambda x: x.numel() > 1)
row("subscript_mixed", lambda m, p, x: x[:, [0, -1], ..., None, -1], fits=dims(3))
row("subscript_two_lists", lambda m, p, x: x[:, [0, -1], [0, 0]], fits=dims(3))
row("subscript_lists_apart", lambda m, p, x: x.transpose(0, 1)[[0, -1], :, [0, 0]].transpose(0, 1).clone(),
    fits=dims(3), weight=2)
row("subscript_broadcast", lambda m, p, x: x[:, torch.tensor([[0], [1]]), torch.tensor([0, 1])],
    fits=lambda x: x.dim() > 2 and min(x.shape[1:3]) > 1)
row("subscript_mask_where", lambda m, p, x: torch.where((x > 0) & (x < 1), x, x.new_tensor(-1.0)))
row("put_two_lists", lambda m, p, x: x.index_put((torch.arange(x.shape[0]), torch.zeros(x.shape[0]).long()),
                                                 x[:, -1] * 2), fits=dims(2))

# Paddings and sampling.
row("pad_four", lambda m, p, x: F.pad(x, p["pads"], mode=p["mode"]), fits=lambda x: x.dim() == 4
    and min(x.shape[2:]) > 1, params=lambda rng, x: {
        "pads": [rng.choice([0, 1]) for _ in range(4)], "mode": rng.choice(["reflect", "replicate", "circular"])})
row("pad_outer", lambda m, p, x: F.pad(x, [0, 1, 1, 0, 2, 1][:2 * (x.dim() - 1)], value=0.5), fits=dims(2, 4))
row("pad_crop", lambda m, p, x: F.pad(x, [1, -1, -1, 2]), fits=lambda x: x.dim() > 2 and min(x.shape[-2:]) > 1)
row("pad_circular", lambda m, p, x: F.pad(x, [1, 1], mode="circular"),
    fits=lambda x: x.dim() == 3 and x.shape[-1] > 1)
row("interpolate_size", lambda m, p, x: F.interpolate(
    x, size=p["size"], mode=p["mode"], align_corners=p["align"] if p["mode"] in ("bilinear", "bicubic") else None),
    fits=dims(4, 4), weight=4, params=lambda rng, x: {
        "size": [rng.choice([2, 3, 5, 7]) for _ in range(2)], "align": rng.random() < 0.5,
        "mode": rng.choice(["nearest", "bilinear", "bicubic"])})
# No scale here gives twice the size without being 2: for that size PyTorch counts in halves where the channels come
# last in memory, and by the scale elsewhere. None gives a whole size where single precision may round it down, which is
# refused by name.
row("interpolate_scale", lambda m, p, x: F.interpolate(x, scale_factor=p["s"], mode=p["mode"],
                                                       recompute_scale_factor=p["r"]),
    fits=dims(4, 4), weight=3, params=lambda rng, x: {"s": rng.choice([0.5, 1.5, 2.0, 2.61]), "r": rng.random() < 0.3,
                                                      "mode": rng.choice(["nearest", "bilinear", "bicubic"])})
row("interpolate_aligned", lambda m, p, x: F.interpolate(x, scale_factor=p["s"], mode=p["mode"], align_corners=True,
                                                         recompute_scale_factor=p["r"]), fits=dims(4, 4), weight=2,
    params=lambda rng, x: {"s": rng.choice([0.71, 1.5, 1.71, (2.61, 1.31)]), "r": rng.random() < 0.3,
                           "mode": rng.choice(["bilinear", "bicubic"])})
row("interpolate_exact", lambda m, p, x: F.interpolate(x, size=p["n"], mode="nearest-exact"), fits=dims(4, 4),
    params=_chosen("n", 1, 3, 5))
row("interpolate_line", lambda m, p, x: F.interpolate(x, size=p["n"], mode=p["mode"]), fits=dims(3, 3),
    params=lambda rng, x: {"n": rng.choice([2, 3, 7]), "mode": rng.choice(["nearest", "linear" "X"])})
row("max_pool_options", lambda m, p, x: F.max_pool2d(x, p["k"], p["s"], p["k"] // 2, p["d"], p["c"]), fits=dims(4, 4),
    weight=3, params=lambda rng, x: {"k": rng.choice([2, 3]), "s": rng.choice([1, 2, 3]), "d": rng.choice([1, 1, 2]),
                                     "c": rng.random() < 0.5})
row("avg_pool_options", lambda m, p, x: F.avg_pool2d(x, p["k"], p["s"], p["k"] // 2, p["c"], p["i"], p["o"]),
    fits=dims(4, 4), weight=3, params=lambda rng, x: {
        "k": rng.choice([2, 3]), "s": rng.choice([1, 2, 3]), "c": rng.random() < 0.5, "i": rng.random() < 0.5,
        "o": rng.choice([None, None, 3])})
row("adaptive_sizes", lambda m, p, x: getattr(F, p["f"])(x, p["size"]), weight=2, fits=dims(4, 4),
    params=lambda rng, x: {"f": rng.choice(["adaptive_avg_pool2d", "adaptive_max_pool2d"]),
                           "size": [rng.choice([1, 2, 3, 5]), rng.choice([1, 2, 4])]})
row("adaptive_line", lambda m, p, x: F.adaptive_avg_pool1d(x, 2), fits=dims(3, 3))
row("lp_pool", lambda m, p, x: F.lp_pool2d(x.abs() + 0.1, 2, 2), fits=lambda x: x.dim() == 4 and min(x.shape[2:]) > 1)
row("unfold_image", lambda m, p, x: F.unfold(x, 2, 1, 1, p["s"]), fits=dims(4, 4), params=_chosen("s", 1, 2))
row("fold_image", lambda m, p, x: F.fold(F.unfold(x, 2), x.shape[2:], 2),
    fits=lambda x: x.dim() == 4 and min(x.shape[2:]) > 1)
row("pixel_unshuffle", lambda m, p, x: F.pixel_unshuffle(x, 2),
    fits=lambda x: x.dim() == 4 and x.shape[2] % 2 == 0 and x.shape[3] % 2 == 0)
row("local_response_norm", lambda m, p, x: F.local_response_norm(x, 2), fits=dims(3, 4))
row("grid_sample", lambda m, p, x: F.grid_sample(x, torch.linspace(-1.2, 1.1, 8).reshape(1, 2, 2, 2).expand(
    x.shape[0], -1, -1, -1), align_corners=p["a"]), fits=dims(4, 4), params=_chosen("a", True, False))

# Products.
row("tensordot", lambda m, p, x, y: torch.tensordot(x, y, dims=([1], [1])).sum(-1), "ff",
    fits=lambda x, y: x.dim() == 2 and _SAME(x, y))
row("einsum_many", lambda m, p, x, y: torch.einsum(p["e"], x, y), "ff", fits=lambda x, y: x.dim() == 3 and _SAME(x, y),
    params=_chosen("e", "bij,bkj->bik", "bij,bik->bjk", "bij,bij->b", "bij,ckj->bik", "abc,abc->bac"))
row("einsum_one", lambda m, p, x: torch.einsum(p["e"], x), fits=_SQUARE,
    params=_chosen("e", "...ii->...i", "...ij->...ji", "...ii->..."))
row("matmul_vector", lambda m, p, x: x @ x.flatten()[:x.shape[-1]], fits=dims(2))
row("matmul_broadcast", lambda m, p, x: x @ x[:1].transpose(-1, -2), fits=dims(3))
row("addmv", lambda m, p, x: torch.addmv(x[:, 0], x, x[0], beta=0.5, alpha=2).unsqueeze(1), fits=dims(2, 2))
row("addr", lambda m, p, x: torch.addr(x, x[:, 0], x[0], beta=0.5), fits=dims(2, 2))
row("addbmm", lambda m, p, x: x + torch.addbmm(x[0] @ x[0].t(), x, x.transpose(1, 2)).sum(), fits=dims(3, 3))
row("inner", lambda m, p, x, y: torch.inner(x, y), "ff", fits=lambda x, y: x.dim() == 2 and _SAME(x, y))
row("cross", lambda m, p, x, y: torch.cross(x, y, -1), "ff", fits=lambda x, y: x.shape[-1] == 3 and _SAME(x, y))
row("multi_dot", lambda m, p, x: torch.linalg.multi_dot([x, x.t(), x]), fits=dims(2, 2))
row("matrix_power", lambda m, p, x: torch.matrix_power(x * 0.3, 3), fits=_SQUARE)

# Layers.
layer("PReLU_3d", lambda p: nn.Sequential(nn.ZeroPad2d((1, 0, 0, 1)), nn.Softmax2d()), lambda rng, x: {}, fits=dims(4, 4))
layer("Conv_same", lambda p: nn.Conv2d(p["n"], 2, p["k"], padding="same"),
      lambda rng, x: {"n": x.shape[1], "k": rng.choice([1, 2, 3, (3, 2)])}, fits=dims(4, 4))
layer("Conv_uneven", lambda p: nn.Conv2d(p["n"], 2, (2, 1), (1, 2), (1, 0), padding_mode=p["mode"]),
      lambda rng, x: {"n": x.shape[1], "mode": rng.choice(["zeros", "circular", "replicate"])}, fits=dims(4, 4))
layer("ConvTranspose_options", lambda p: nn.ConvTranspose2d(
    p["n"], 2 * p["g"], p["k"], 2, p["pad"], p["out"], p["g"], True, p["d"]),
    lambda rng, x: {"n": x.shape[1], "k": rng.choice([2, 3]), "pad": rng.choice([0, 1]), "out": rng.choice([0, 1]),
                    "g": 2 if x.shape[1] % 2 == 0 and rng.random() < 0.5 else 1, "d": rng.choice([1, 2])},
    fits=dims(4, 4), weight=2)
layer("Depthwise", lambda p: nn.Conv2d(p["n"], p["n"] * 2, 2, groups=p["n"], padding=1),
      lambda rng, x: {"n": x.shape[1]}, fits=dims(4, 4))
layer("weight_norm_conv", lambda p: nn.utils.weight_norm(nn.Conv2d(p["n"], 2, 2, padding=1), dim=p["dim"]),
      lambda rng, x: {"n": x.shape[1], "dim": rng.choice([0, 1])}, fits=dims(4, 4))
layer("weight_norm_linear", lambda p: nn.utils.weight_norm(nn.Linear(p["n"], 3)),
      lambda rng, x: {"n": x.shape[-1]}, fits=dims(2))
layer("BatchNorm_eps", lambda p: nn.BatchNorm1d(p["n"], eps=0.1), lambda rng, x: {"n": x.shape[1]}, fits=dims(2, 3),
      state=True)
layer("InstanceNorm1d", lambda p: nn.InstanceNorm1d(p["n"], affine=True), lambda rng, x: {"n": x.shape[1]},
      fits=lambda x: x.dim() == 3 and x.shape[-1] > 2)
layer("AlphaDropout_eval", lambda p: nn.Sequential(nn.AlphaDropout(0.5), nn.Dropout2d(0.5)).eval(), lambda rng, x: {})


class _Stack(nn.Module):
    """A recurrent network whose last state is used, too."""

    def __init__(self, p):
        super().__init__()
        options = {"nonlinearity": "relu"} if p["kind"] == "RNN" and p["relu"] else {}
        self.cell = getattr(nn, p["kind"])(p["n"], 3, p["layers"], bias=p["bias"], batch_first=p["first"],
                                           bidirectional=p["both"], **options)
        self.first, self.start = p["first"], p["start"]

    def forward(self, x):
        x = x if self.first else x.transpose(0, 1)
        ways = self.cell.num_layers * (2 if self.cell.bidirectional else 1)
        batch = x.shape[0 if self.first else 1]
        h = torch.full((ways, batch, 3), 0.1)
        state = (h, torch.full((ways, batch, 3), 0.2)) if isinstance(self.cell, nn.LSTM) else h
        y, last = self.cell(x, state) if self.start else self.cell(x)
        last = last[0].sum(0) + last[1].sum(-1).sum(0).unsqueeze(-1) if isinstance(last, tuple) else last.sum(0)
        return (y if self.first else y.transpose(0, 1)).flatten(1).mean(1, keepdim=True) + last


layer("recurrent", _Stack, lambda rng, x: {
    "n": x.shape[-1], "kind": rng.choice(["LSTM", "GRU", "RNN"]), "layers": rng.choice([1, 2]),
    **{name: rng.random() < 0.5 for name in ("relu", "bias", "first", "both", "start")}}, fits=dims(3, 3),
      weight=3)


class _Cells(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.cell = getattr(nn, p["kind"])(p["n"], 3)

    def forward(self, x):
        state = None
        for t in range(x.shape[1]):
            state = self.cell(x[:, t], state)
        return state[0] + state[1] if isinstance(state, tuple) else state


layer("cells", _Cells, lambda rng, x: {"n": x.shape[-1], "kind": rng.choice(["LSTMCell", "GRUCell", "RNNCell"])},
      fits=dims(3, 3), weight=2)


class _Masked(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.part = nn.MultiheadAttention(p["n"], 2, bias=p["bias"], add_bias_kv=p["kv"], batch_first=True)
        self.kind = p["mask"]

    def forward(self, x):
        n = x.shape[1]
        mask = torch.triu(torch.ones(n, n), 1).bool() if self.kind in ("bool", "both") else None
        if self.kind == "float":
            mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        padding = torch.arange(n).expand(x.shape[0], n) >= n - 1 if self.kind in ("padding", "both") and n > 1 else None
        y, weights = self.part(x, x * 0.5, x, attn_mask=mask, key_padding_mask=padding)
        return y + weights.sum(1)[:, :1, None]


layer("attention_masked", _Masked, lambda rng, x: {
    "n": x.shape[-1], "bias": rng.random() < 0.5, "kv": rng.random() < 0.3,
    "mask": rng.choice(["none", "bool", "float", "padding", "both"])},
      fits=lambda x: x.dim() == 3 and x.shape[-1] % 2 == 0, weight=2)


class _Decoder(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.part = nn.TransformerDecoderLayer(p["n"], 2, 4, 0.0, p["f"], batch_first=True, norm_first=p["first"])

    def forward(self, x):
        return self.part(x, x.flip(1))


layer("TransformerDecoderLayer", _Decoder, lambda rng, x: {
    "n": x.shape[-1], "f": rng.choice(["relu", "gelu"]), "first": rng.random() < 0.5},
      fits=lambda x: x.dim() == 3 and x.shape[-1] % 2 == 0 and x.shape[-1] > 2)
row("embedding_bag", lambda m, p, i: m(i), "i", part=lambda p: nn.EmbeddingBag(4, 3, mode=p["mode"]),
    params=_chosen("mode", "sum", "mean", "max"))
row("embedding_functional", lambda m, p, i: F.embedding(i, m.weight * 2), "i", part=lambda p: nn.Embedding(4, 3),
    fits=lambda i: i.shape[-1] == 2)
row("scatter_reduce", lambda m, p, x, i: x.scatter_reduce(1, i, x[:, :2], p["r"], include_self=p["s"]), "fi",
    fits=lambda x, i: x.dim() == 2 and x.shape[1] >= 4 and i.shape[0] == x.shape[0] and i.max() < 4, smooth=False, weight=2,
    params=lambda rng, *x: {"r": rng.choice(["sum", "prod", "amax", "amin", "mean"]), "s": rng.random() < 0.5})


# Losses within a model.
def _classes(x):
    return torch.stack([x.flatten(1).mean(1), x.flatten(1).logsumexp(1), x.flatten(1)[:, 0], -x.flatten(1)[:, -1]], 1)


def _weighed(kind):
    def compute(m, p, x, i):
        weight = torch.tensor([0.5, 1.0, 2.0, 0.7]) if p["weighted"] else None
        x, target = _classes(x), i[:, 0]
        if p["planes"]:
            x, target = torch.stack([x, x * 2 - 1], 2), i
        if p["reduction"] == "mean":  # over no label it is 0 / 0, in PopART's gradient, too
            target = torch.cat([torch.ones_like(target[:1]), target[1:]])
        x = F.log_softmax(x, 1) if kind is F.nll_loss else x
        named = {"label_smoothing": 0.1} if p["smoothed"] and kind is F.cross_entropy else {}
        y = kind(x, target, weight, ignore_index=p["ignored"], reduction=p["reduction"], **named)
        return y if y.dim() else x.flatten(1) + torch.nan_to_num(y)

    return compute


for _name, _function in (("cross_entropy", F.cross_entropy), ("nll_loss", F.nll_loss)):
    row(f"{_name}_options", _weighed(_function), "fi", weight=3, fits=lambda x, i: x.dim() > 1,
        params=lambda rng, *x: {"weighted": rng.random() < 0.5, "planes": rng.random() < 0.4,
                                "ignored": rng.choice([-100, 0, 2]), "smoothed": rng.random() < 0.3,
                                "reduction": rng.choice(["mean", "sum", "none"])})


def _loss(name, function):
    row(f"loss_{name}", lambda m, p, x, y: x.flatten(1) + function(x, y, p["reduction"]).sum(), "ff",
        fits=lambda x, y: x.dim() > 1 and _SAME(x, y), params=_chosen("reduction", "mean", "sum", "none"))


_signs = lambda x: torch.arange(x.shape[0]) % 2 * 2 - 1.0  # noqa: E731
_loss("mse", lambda x, y, r: F.mse_loss(x, y, reduction=r))
_loss("huber", lambda x, y, r: F.huber_loss(x, y, reduction=r, delta=0.5))
_loss("smooth_l1", lambda x, y, r: F.smooth_l1_loss(x, y, reduction=r, beta=0.3))
_loss("kl", lambda x, y, r: F.kl_div(F.log_softmax(x, 1), F.log_softmax(y, 1), reduction=r, log_target=True))
_loss("bce", lambda x, y, r: F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=y.abs(), reduction=r))
_loss("bce_logits", lambda x, y, r: F.binary_cross_entropy_with_logits(
    x, y.sigmoid(), pos_weight=torch.tensor(2.0), reduction=r))
_loss("poisson", lambda x, y, r: F.poisson_nll_loss(x.clamp(-2, 2), y.abs(), full=False, reduction=r))
_loss("gaussian", lambda x, y, r: F.gaussian_nll_loss(x, y, y.abs() + 0.2, reduction=r))
_loss("soft_margin", lambda x, y, r: F.soft_margin_loss(x, y.sign(), reduction=r))
_loss("hinge", lambda x, y, r: F.hinge_embedding_loss(x, y.sign() + (y == 0), reduction=r))
_loss("margin_ranking", lambda x, y, r: F.margin_ranking_loss(x, y, torch.ones_like(x), 0.1, reduction=r))
_loss("cosine", lambda x, y, r: F.cosine_embedding_loss(x.flatten(1), y.flatten(1), _signs(x), 0.1, reduction=r))
_loss("triplet", lambda x, y, r: F.triplet_margin_loss(x.flatten(1), y.flatten(1), x.flatten(1).flip(0) + 0.3,
                                                       reduction=r))
_loss("multi_label", lambda x, y, r: F.multilabel_soft_margin_loss(x.flatten(1), (y > 0).float().flatten(1),
                                                                   reduction=r))
_loss("soft_classes", lambda x, y, r: F.cross_entropy(x.flatten(1), y.flatten(1).softmax(1), reduction=r))
