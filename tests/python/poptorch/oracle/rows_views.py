"""Rows of views, of changes in place, and of look-ups and scattering."""
import torch
from rows import F, ROWS, axis, dims, inner_axis, row, unary
from torch import nn  # noqa: F401


def _part(rng, x):
    """A slice of a dimension other than the batch."""
    dim = rng.randrange(1, x.dim())
    size = x.shape[dim]
    first = rng.randrange(size)
    return {"dim": dim, "first": first, "count": rng.randrange(1, size - first + 1)}


def _slices(p, x):
    return tuple(slice(None) for _ in range(p["dim"])) + (
        slice(p["first"], p["first"] + p["count"]), )


# Views.
row("flatten", lambda m, p, x: x.flatten(1), fits=dims(2), half=True)
row("reshape", lambda m, p, x: x.reshape(x.shape[0], -1, 1), fits=dims(2))
row("view", lambda m, p, x: x.contiguous().view(x.size(0), -1), fits=dims(2))
row("transpose", lambda m, p, x: x.transpose(p["a"], -1), fits=dims(3),
    params=lambda rng, x: {"a": rng.randrange(1, x.dim())}, half=True)
row("permute", lambda m, p, x: x.permute(p["order"]), fits=dims(3),
    params=lambda rng, x: {"order": [0] + rng.sample(range(1, x.dim()), x.dim() - 1)})
row("movedim", lambda m, p, x: torch.movedim(x, 1, -1), fits=dims(3))
row("unsqueeze", lambda m, p, x: x.unsqueeze(p["dim"]), fits=dims(1, 3),
    params=lambda rng, x: {"dim": rng.randrange(1, x.dim() + 1)})
row("squeeze", lambda m, p, x: x.squeeze(p["dim"]), params=inner_axis, fits=dims(3))
row("narrow", lambda m, p, x: x.narrow(p["dim"], p["first"], p["count"]), params=_part,
    fits=dims(2), half=True)
row("slice", lambda m, p, x: x[_slices(p, x)], params=_part, fits=dims(2), weight=2)
row("slice_step", lambda m, p, x: x[..., p["first"]::2],
    params=lambda rng, x: {"first": rng.randrange(x.shape[-1])}, fits=dims(2))
row("slice_negative", lambda m, p, x: x[:, -1:], fits=dims(2))
row("select", lambda m, p, x: x.select(p["dim"], p["first"]), params=_part, fits=dims(3))
row("subscript", lambda m, p, x: x[:, p["i"]],
    params=lambda rng, x: {"i": rng.randrange(-x.shape[1], x.shape[1])}, fits=dims(3))
row("ellipsis", lambda m, p, x: x[..., None, 0], fits=dims(3))
row("chunk", lambda m, p, x: torch.chunk(x, 2, p["dim"])[0], params=inner_axis, fits=dims(2))
row("split", lambda m, p, x: torch.split(x, p["count"], p["dim"])[-1], params=_part, fits=dims(2))
row("unbind", lambda m, p, x: x.unbind(1)[-1], fits=dims(3))
row("expand", lambda m, p, x: x.unsqueeze(1).expand(-1, 2, *x.shape[1:]), fits=dims(1, 3))
row("expand_as", lambda m, p, x: x[:, :1].expand_as(x), fits=dims(2))
row("diagonal", lambda m, p, x: torch.diagonal(x, 0, 1, 2), fits=dims(3))
row("unfold", lambda m, p, x: x.unfold(-1, 2, 1), fits=lambda x: 2 <= x.dim() <= 3 and x.shape[-1] > 2)
row("flip", lambda m, p, x: x.flip(p["dim"]), params=inner_axis, fits=dims(2))
row("roll", lambda m, p, x: torch.roll(x, p["s"], p["dim"]), fits=dims(2),
    params=lambda rng, x: {**inner_axis(rng, x), "s": rng.choice([1, -1, 2])})
row("repeat", lambda m, p, x: x.repeat(1, *([2] + [1] * (x.dim() - 2))), fits=dims(2, 3))
row("repeat_interleave", lambda m, p, x: x.repeat_interleave(2, 1), fits=dims(2, 3))
row("tile", lambda m, p, x: x.tile(2), fits=dims(2, 3))
row("cat", lambda m, p, x, y: torch.cat([x, y], p["dim"]), "ff", params=inner_axis,
    fits=lambda x, y: x.dim() > 1 and x.shape == y.shape, half=True)
row("cat_self", lambda m, p, x: torch.cat([x, x * 2, x], 1), fits=dims(2))
row("stack", lambda m, p, x, y: torch.stack([x, y], 1), "ff",
    fits=lambda x, y: x.dim() < 4 and x.shape == y.shape)
row("meshgrid", lambda m, p, x: torch.meshgrid(x[0].flatten(), x[0].flatten(), indexing="ij")[0]
    .unsqueeze(0).expand(x.shape[0], -1, -1), fits=lambda x: x[0].numel() < 6)
row("pad", lambda m, p, x: F.pad(x, p["pads"], value=p["v"]),
    params=lambda rng, x: {"pads": [rng.randrange(3), rng.randrange(3)], "v": rng.choice([0.0, 1.5])},
    fits=dims(2))
row("pad_negative", lambda m, p, x: F.pad(x, [-1, 1]), fits=lambda x: x.shape[-1] > 1)
row("pad_reflect", lambda m, p, x: F.pad(x, [1, 1], mode=p["mode"]),
    params=lambda rng, x: {"mode": rng.choice(["reflect", "replicate"])},
    fits=lambda x: x.dim() == 3 and x.shape[-1] > 1)
row("tril", lambda m, p, x: getattr(torch, p["f"])(x, p["k"]), fits=dims(2),
    params=lambda rng, x: {"f": rng.choice(["tril", "triu"]), "k": rng.choice([-1, 0, 1])})
row("pixel_shuffle", lambda m, p, x: F.pixel_shuffle(x, 2),
    fits=lambda x: x.dim() == 4 and x.shape[1] % 4 == 0)
row("channel_shuffle", lambda m, p, x: x.reshape(x.shape[0], 2, -1, *x.shape[2:]).transpose(
    1, 2).reshape(x.shape), fits=lambda x: x.dim() > 2 and x.shape[1] % 2 == 0)

# Changes in place: of results, of views of them, of inputs.
for _name in ("relu_", "sigmoid_", "tanh_", "neg_", "abs_", "exp_"):
    row(_name, lambda m, p, x, f=getattr(torch.Tensor, _name): f(x.mul_(0.5)), in_place=True)
row("add_", lambda m, p, x: x.add_(p["c"]), params=lambda rng, x: {"c": rng.choice([1, 0.5])},
    in_place=True, weight=2)
row("iadd", lambda m, p, x, y: x.__iadd__(y), "ff", fits=lambda x, y: x.shape == y.shape,
    in_place=True)
row("mul_", lambda m, p, x: x.mul_(p["c"]), params=lambda rng, x: {"c": rng.choice([2, 0.5])},
    in_place=True, weight=2)
row("iadd_view", lambda m, p, x: x.__iadd__(x.unsqueeze(0)[0]), in_place=True)
row("mul_part_", lambda m, p, x: (x[:, 1:].mul_(x[:, :1].clamp(-1, 1)), x)[1], fits=dims(2),
    in_place=True)
row("sub_part_", lambda m, p, x: (x[1:].sub_(x[:1]), x)[1], in_place=True)


def _without_gradient(change):
    def compute(m, p, x):
        with torch.no_grad():
            change(x)
        return x

    return compute


# Changes that autograd does not see: the gradient bypasses them.
row("mul_without_gradient_", _without_gradient(lambda x: x.mul_(0.5)), in_place=True)
row("clamp_without_gradient_", _without_gradient(lambda x: x.clamp_(-0.5, 0.5)), in_place=True)
row("part_without_gradient_", _without_gradient(lambda x: x[:, :1].add_(0.5)), fits=dims(2),
    in_place=True)
row("put_without_gradient_", _without_gradient(lambda x: x.__setitem__((slice(None), 0), 0.3)),
    fits=dims(2), in_place=True)
row("data", lambda m, p, x: x.data * 2 + x)


def _past_autograd(change):
    def compute(m, p, x):
        y = x * 1  # not kept by anything else, whose gradient PyTorch would compute from its new value
        change(y)
        return y

    return compute


row("data_mul_", _past_autograd(lambda y: y.data.mul_(0.5)))
row("data_part_", _past_autograd(lambda y: y.data[:, :1].copy_(y[:, -1:] * 0.5)), fits=dims(2))
row("detached_", _past_autograd(lambda y: y.detach().add_(0.25)))
row("relu_module", lambda m, p, x: m(x), part=lambda p: nn.ReLU(inplace=True), in_place=True)
row("clamp_", lambda m, p, x: x.clamp_(-0.5, 0.5), in_place=True)
row("zero_", lambda m, p, x: x.zero_(), in_place=True, smooth=False)
row("fill_", lambda m, p, x: x.fill_(0.7), in_place=True, smooth=False)
row("copy_", lambda m, p, x, y: x.copy_(y), "ff", fits=lambda x, y: x.shape == y.shape,
    in_place=True, smooth=False)
row("masked_fill_", lambda m, p, x, b: x.masked_fill_(b, 0.3), "fb",
    fits=lambda x, b: x.shape == b.shape, in_place=True)


def _changed_part(change):
    def compute(m, p, x):
        change(x[_slices(p, x)])
        return x

    return compute


row("slice_add_", _changed_part(lambda v: v.add_(1)), params=_part, fits=dims(2), in_place=True,
    weight=2)
row("slice_mul_", _changed_part(lambda v: v.mul_(0.5)), params=_part, fits=dims(2), in_place=True)
row("slice_of_slice_", _changed_part(lambda v: v[:1].sub_(2)), params=_part, fits=dims(2),
    in_place=True)


def _put(m, p, x):
    x[_slices(p, x)] = p["v"]
    return x


def _put_tensor(m, p, x):
    x[_slices(p, x)] = x[_slices(p, x)].detach() * 2 + 1
    return x


def _put_by(m, p, x, y):
    x[:, p["i"]] = y[:, 0]
    return x


def _put_mask(m, p, x, b):
    x[b] = 0.25
    return x


def _put_rows(m, p, x):
    x[:, torch.tensor(p["rows"])] = p["v"]
    return x


def _transposed(m, p, x):
    x.transpose(1, -1).add_(1)
    return x


def _viewed(m, p, x):
    v = x.view(-1)
    v[p["i"]] = 2.0
    return x + v.reshape(x.shape)


def _read_after(m, p, x):
    v = x[:, :1]
    x.mul_(2)
    return v + 1


def _chunks(m, p, x):
    a, b = x.chunk(2, 1)
    a.add_(1)
    b.mul_(2)
    return x


def _augmented(m, p, x):
    x[:, 0] += 1
    x[..., -1] *= 2
    return x


_FIRST = lambda rng, *x: {"i": rng.randrange(x[0].shape[1])}  # noqa: E731
row("put", _put, params=lambda rng, x: {**_part(rng, x), "v": rng.choice([0.0, 1.5])},
    fits=dims(2), in_place=True, weight=2)
row("put_tensor", _put_tensor, params=_part, fits=dims(2), in_place=True)
row("put_by", _put_by, "ff", params=_FIRST, in_place=True,
    fits=lambda x, y: x.dim() > 1 and x.shape == y.shape)
row("put_mask", _put_mask, "fb", fits=lambda x, b: x.shape == b.shape, in_place=True)
row("put_rows", _put_rows, in_place=True, fits=dims(2),
    params=lambda rng, x: {"rows": [rng.randrange(x.shape[1]) for _ in range(2)], "v": 0.5})
row("transposed_add_", _transposed, fits=dims(3), in_place=True)
row("view_put", _viewed, in_place=True, fits=lambda x: x.is_contiguous() and x.dim() > 1,
    params=lambda rng, x: {"i": rng.randrange(x.numel())})
row("read_view_after", _read_after, fits=dims(2), in_place=True)
row("chunks_", _chunks, fits=lambda x: x.dim() > 1 and x.shape[1] > 1, in_place=True)
row("augmented", _augmented, fits=dims(2), in_place=True)
row("diagonal_fill", lambda m, p, x: (torch.diagonal(x, 0, 1, 2).fill_(0.5), x)[1], fits=dims(3),
    in_place=True)

# Look-ups and scattering: indices are from 0 to 3, as many as the batch, two each.
_WIDE = lambda x, i: x.dim() == 2 and x.shape[1] >= 4  # noqa: E731
row("gather", lambda m, p, x, i: torch.gather(x, 1, i), "fi", fits=_WIDE)
row("index_select", lambda m, p, x, i: torch.index_select(x, 1, i[0]), "fi", fits=_WIDE)
row("index", lambda m, p, x, i: x[:, i[0]], "fi", fits=_WIDE)
row("index_pairs", lambda m, p, x, i: x[torch.arange(x.shape[0]), i[:, 0]].unsqueeze(1), "fi",
    fits=_WIDE)
row("take_along_dim", lambda m, p, x, i: torch.take_along_dim(x, i, 1), "fi", fits=_WIDE)
row("scatter", lambda m, p, x, i: x.scatter(1, i[:, :1], x[:, :1] * 2), "fi", fits=_WIDE)
row("scatter_value", lambda m, p, x, i: x.scatter(1, i, 0.5), "fi", fits=_WIDE)
row("scatter_add", lambda m, p, x, i: x.scatter_add(1, i, x[:, :2]), "fi", fits=_WIDE)
row("scatter_add_zeros", lambda m, p, x, i: torch.zeros(x.shape[0], 4).scatter_add_(1, i, x[:, :2]),
    "fi", fits=_WIDE)
row("index_add", lambda m, p, x, i: x.index_add(1, i[0], x[:, 1:3], alpha=p["a"]), "fi", fits=_WIDE,
    params=lambda rng, *x: {"a": rng.choice([1, 0.5])})
row("index_put_accumulate", lambda m, p, x, i: x.index_put(
    (torch.arange(x.shape[0])[:, None], i), x[:, :2], accumulate=True), "fi", fits=_WIDE)
row("index_copy", lambda m, p, x, i: x.index_copy(1, i[0, :1], x[:, :1] * 3), "fi", fits=_WIDE)
row("index_fill", lambda m, p, x, i: x.index_fill(1, i[0], 0.5), "fi", fits=_WIDE)
row("one_hot", lambda m, p, i: F.one_hot(i, 4).float(), "i")
row("embedding", lambda m, p, i: m(i), "i", part=lambda p: nn.Embedding(4, p["n"]),
    params=lambda rng, i: {"n": rng.choice([1, 3])}, weight=2)
row("embedding_padding", lambda m, p, i: m(i), "i", part=lambda p: nn.Embedding(4, 3, padding_idx=1))
row("bucketize", lambda m, p, x: torch.bucketize(x, torch.tensor([-0.5, 0.0, 0.5]),
                                                 right=p["r"]).float() * 0.1,
    params=lambda rng, x: {"r": rng.random() < 0.5}, smooth=False)
row("index_arithmetic", lambda m, p, i: (i * 3 + 1) // 2 % 4, "i")
row("index_to_float", lambda m, p, i: i.float() * 0.2 - 0.1, "i")
row("mask_of_indices", lambda m, p, i: i == 2, "i")
