"""Rows of functions that PyTorch composes of others, and less frequent ones."""
import torch
from rows import F, _untied, dims, inner_axis, row, unary

_ROWS = lambda x, *more: x.dim() >= 2 and x.shape[0] > 1  # noqa: E731


def along(name, function, **named):
    """A function along a dimension that is not the batch's."""
    named.setdefault("fits", dims(2))
    row(name, lambda m, p, x: function(x, p["dim"]), params=inner_axis, **named)


along("diff", lambda x, d: torch.diff(x, dim=d, prepend=x.narrow(d, 0, 1)))
along("trapezoid", lambda x, d: torch.trapezoid(x, dim=d).unsqueeze(d) + x)
along("cumulative_trapezoid", lambda x, d: torch.cumulative_trapezoid(torch.cat([x, x], d), dim=d))
along("logcumsumexp", lambda x, d: torch.logcumsumexp(x, d))
along("cummax", lambda x, d: torch.cummax(x + torch.arange(x.shape[-1]) * 0.01, d)[0])
along("cummin_places", lambda x, d: torch.cummin(x, d)[1] + 0 * x, smooth=False)
along("nanmean", lambda x, d: torch.nanmean(x, d, keepdim=True) + x)
along("quantile", lambda x, d: torch.quantile(x, 0.3, d, keepdim=True) + x)
along("renorm", lambda x, d: torch.renorm(x, 2, d, 0.7))
along("vector_norm_3", lambda x, d: torch.linalg.vector_norm(x, 3, d, keepdim=True) + x)
along("vecdot", lambda x, d: torch.linalg.vecdot(x, x + 1, dim=d).unsqueeze(d) + x)
unary("gradient", lambda x: torch.gradient(torch.cat([x, x], -1), dim=-1)[0], fits=dims(1))
unary("cov", lambda x: torch.cov(x.flatten(1)), fits=_ROWS)
unary("corrcoef", lambda x: torch.corrcoef(torch.cat([x.flatten(1), x.flatten(1)**2 + 1], 1)), fits=_ROWS)
unary("block_diag", lambda x: torch.block_diag(x.flatten(1), x.flatten(1) * 2), fits=dims(2))
unary("dist", lambda x: x + torch.dist(x, x * 0.5 + 0.1, 3))
unary("signbit", lambda x: torch.signbit(x) + x, smooth=False)
unary("isin", lambda x: torch.isin((x * 2).int(), torch.tensor([0, 1])) + x, smooth=False)
unary("ndtr", torch.special.ndtr)
unary("mT", lambda x: x.mT + 0, fits=dims(2))
unary("ravel", lambda x: x.ravel()[:4] + 1)
unary("vsplit", lambda x: torch.vsplit(torch.cat([x, x + 1]), 2)[1], fits=dims(2))
unary("row_stack", lambda x: torch.row_stack([x, x * 2]), fits=dims(2))
unary("select_scatter", lambda x: torch.select_scatter(x, x.select(-1, 0) * 2 + 1, x.dim() - 1, x.shape[-1] - 1),
      fits=dims(2))
unary("diagonal_scatter", lambda x: torch.diagonal_scatter(x.flatten(1), x.flatten(1).diagonal() * 3), fits=dims(2))
unary("vander", lambda x: torch.linalg.vander(x.sigmoid(), N=3).sum(-1))
unary("permute_from_end", lambda x: x.permute(0, *range(-1, -x.dim(), -1)), fits=dims(2))
unary("movedim_from_end", lambda x: x.movedim((1, -1), (-1, 1)), fits=dims(3))
unary("meshgrid_columns", lambda x: torch.meshgrid(x.flatten()[:3], x.flatten()[:2], indexing="xy")[0] + 1)
unary("similarity_broadcast", lambda x: F.cosine_similarity(x.unsqueeze(1) + 0.1, x.unsqueeze(2) - 0.2, dim=-1),
      fits=dims(3, 3))
unary("inner_of_rows", lambda x: x + torch.inner(x.flatten(), x.flatten()))
unary("along_a_number", lambda x: x + x.mean().softmax(0) + x.sum().cumsum(0))
unary("loss_of_one", lambda x: x + F.cross_entropy(x.flatten(), torch.tensor(0)))
unary("by_name", lambda x: torch.roll(input=torch.cumsum(input=x, dim=-1), shifts=1, dims=0) + torch.pow(input=x, exponent=2))
unary("pool_of_one", lambda x: F.avg_pool2d(x[0], 2, 1) + F.max_pool2d(x[0], 2, 1),
      fits=lambda x: x.dim() == 4 and min(x.shape[2:]) > 1)
unary("padded_around_a_part", lambda x: F.pad(x, (-1, 2), mode="circular"),
      fits=lambda x: x.dim() == 3 and x.shape[-1] > 2)


def _into_another(x):
    with torch.no_grad():
        out, largest = torch.zeros(x.shape), torch.zeros(x.shape[:-1])
        torch.cumprod(x.clamp(-1, 1), -1, out=out)
        torch.norm(x, 3, -1, out=largest)
    return x + out * largest.unsqueeze(-1)


unary("into_another", _into_another, fits=dims(2))


def _index_reduced(x, how, own):
    return x.index_reduce(0, torch.tensor([0, x.shape[0] - 1]), torch.cat([x[:1] * 2, x[:1] - 1]), how, include_self=own)


# PyTorch's slope counts an element of the first operand that equals the extreme also where it is left out.
for _reduce in ("prod", "mean", "amax", "amin"):
    row(f"index_reduce_{_reduce}", lambda m, p, x, r=_reduce: _index_reduced(_untied(x), r, p["own"]),
        fits=dims(2), params=lambda rng, *x: {"own": rng.random() < 0.5}, smooth=False)
