"""Large matrix products while a module is traced and compared, by oneDNN.

Both run the module once. Where PyTorch has the reference BLAS, as Debian's may have, its products take
ten times longer than oneDNN's, and most of the time of a compilation.
"""
import contextlib
import threading
import warnings
from typing import Any, Callable, Dict, Iterator, Optional

import torch

#: Multiplications below which the detour costs more than it gains.
_LARGE = 1 << 22


def _fits(one: torch.Tensor, two: torch.Tensor) -> bool:
    """Whether oneDNN computes the product, which has more than a few elements."""
    return (one.dim() == two.dim() >= 2 and one.dtype == two.dtype == torch.float32 and one.layout == two.layout == torch.strided
            and one.shape[:-2] == two.shape[:-2] and one.shape[-1] == two.shape[-2]
            and one.numel() * two.shape[-1] >= _LARGE)


def _product(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
    """Of matrices: a convolution of one row of pixels, whose channels are the columns, by one tap."""
    rows, common, columns = *one.shape, two.shape[1]
    pixels = one.contiguous().view(1, rows, 1, common).permute(0, 3, 1, 2)
    taps = two.t().reshape(columns, common, 1, 1)
    found = torch.mkldnn_convolution(pixels, taps, None, (0, 0), (1, 1), (1, 1), 1)
    return found.permute(0, 2, 3, 1).reshape(rows, columns)


def _products(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
    """Of a batch of matrices: a group of channels for each."""
    batch, rows, common = one.shape
    columns = two.shape[2]
    pixels = one.transpose(1, 2).reshape(1, batch * common, rows, 1)
    taps = two.transpose(1, 2).reshape(batch * columns, common, 1, 1)
    found = torch.mkldnn_convolution(pixels, taps, None, (0, 0), (1, 1), (1, 1), batch)
    return found.view(batch, columns, rows).transpose(1, 2).contiguous()


def _with(multiply: Callable[..., torch.Tensor], own: Any) -> Callable[..., torch.Tensor]:
    """A product by ``multiply`` if it is large, else by PyTorch's ``own``."""

    def compute(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
        with torch._C.DisableTorchFunction():
            return multiply(one, two) if _fits(one, two) else own(one, two, out=one.new_empty(0))

    return compute


def _with_sum(multiply: Callable[..., torch.Tensor], own: Any) -> Callable[..., torch.Tensor]:
    """The same, of a product that is added to a tensor."""

    def compute(to: torch.Tensor, one: torch.Tensor, two: torch.Tensor, *, beta: float = 1,
                alpha: float = 1) -> torch.Tensor:
        with torch._C.DisableTorchFunction():
            if to.dtype != one.dtype or not _fits(one, two):
                return own(to, one, two, beta=beta, alpha=alpha, out=one.new_empty(0))
            product = multiply(one, two)
            if alpha != 1:
                product *= alpha
            return product if beta == 0 else product.add_(to, alpha=beta)

    return compute


_KERNELS: Dict[str, Callable[..., torch.Tensor]] = {
    "mm": _with(_product, torch.mm),
    "bmm": _with(_products, torch.bmm),
    "addmm": _with_sum(_product, torch.addmm),
    "baddbmm": _with_sum(_products, torch.baddbmm),
}


class _Installed:
    """The kernels above in PyTorch, which has one for all threads, as long as any of them needs them."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0
        self._library: Optional[torch.library.Library] = None

    def enter(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1 and torch.backends.mkldnn.is_available():
                self._library = torch.library.Library("aten", "IMPL")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that there is a kernel already
                    for name, kernel in _KERNELS.items():
                        with contextlib.suppress(RuntimeError):  # the program has a kernel of its own
                            self._library.impl(name, kernel, "CPU")

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._library = None  # gives PyTorch's own back


_INSTALLED = _Installed()


@contextlib.contextmanager
def fast_products() -> Iterator[None]:
    """A context in which PyTorch computes large products by oneDNN, if it has it; in all threads."""
    _INSTALLED.enter()
    try:
        yield
    finally:
        _INSTALLED.leave()
