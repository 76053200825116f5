"""Calls in a form that the decompositions and torch.onnx expect: the first operand by position, real operands of
real functions, and at least one dimension where a function runs along one."""
from __future__ import annotations

from typing import Any, Dict, Tuple

import torch

Tensor = torch.Tensor
Call = Tuple[Any, Dict[str, Any]]

#: What PyTorch calls the first operand, of a function that names it.
_FIRST = ("input", "self", "tensor")

#: Functions of each element whose results are real for whole operands, too.
_OF_REALS = frozenset("""
    acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad erf erfc exp exp2
    expm1 log log10 log1p log2 logit logsumexp rad2deg reciprocal rsqrt sigmoid sin sinc sinh special_entr special_erf
    special_erfc special_exp2 special_expit special_expm1 special_log1p special_log_ndtr special_logit special_ndtr
    special_sinc sqrt tan tanh""".split())

#: Functions that fill tensors with a value: its place and name, and whether it alone tells the type of the result.
_FILLED = {"full": (1, "fill_value", True), "full_like": (1, "fill_value", False), "new_full": (2, "fill_value", False),
           "pad": (3, "value", False)}

#: Functions along a dimension, by name; a number has none in ONNX, and one of one element in PyTorch.
_ALONG = frozenset("""
    all amax amin any argmax argmin argsort cummax cummin cumprod cumsum flip kthvalue log_softmax logcumsumexp
    logsumexp max mean median min msort nanmean nansum prod softmax softmin sort std std_mean sum topk var
    var_mean""".split())


def with_first(args: Any, kwargs: Dict[str, Any]) -> Call:
    """The call with the first operand by position."""
    name = next((word for word in _FIRST if word in kwargs), None) if not args else None
    if name is None:
        return args, kwargs
    return (kwargs[name], ), {key: value for key, value in kwargs.items() if key != name}


def without_truths(name: str, args: Any, kwargs: Dict[str, Any]) -> Call:
    """The call with numbers for True and False as what tensors are filled with; exporters end at these."""
    places = _FILLED.get(name)
    if places is None:
        return args, kwargs
    filled = (*args[places[0]:places[0] + 1], kwargs.get(places[1]))
    if not any(isinstance(value, bool) for value in filled):
        return args, kwargs
    args = tuple(int(value) if i == places[0] else value for i, value in enumerate(args))
    kwargs = {key: int(value) if key == places[1] else value for key, value in kwargs.items()}
    if places[2] and kwargs.get("dtype") is None:
        kwargs["dtype"] = torch.bool
    return args, kwargs


def promoted(name: str, args: Any) -> Any:
    """The operands with a real first one, if the function's results are real."""
    x = args[0] if args else None
    if name not in _OF_REALS or not isinstance(x, Tensor) or x.is_floating_point():
        return args
    return (x.to(torch.get_default_dtype()), *args[1:])


def runs_along_nothing(name: str, args: Any, kwargs: Dict[str, Any]) -> bool:
    """Whether a function runs along the dimension of a number."""
    return name in _ALONG and len(args) + len(kwargs) > 1 and isinstance(args[0], Tensor) and args[0].dim() == 0


def as_numbers(made: Any) -> Any:
    """The results of one element without their dimension."""
    if isinstance(made, Tensor):
        return made.reshape(())
    parts = [part.reshape(()) for part in made]
    return tuple(parts) if type(made) is tuple else type(made)(parts)
