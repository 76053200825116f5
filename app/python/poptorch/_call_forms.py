"""Calls in a form that the decompositions and torch.onnx expect: the first operand by position, real operands of
real functions, masks of truth values, and at least one dimension where a function runs along one."""
from __future__ import annotations

from typing import Any, Dict, Tuple

import torch

Tensor = torch.Tensor
Call = Tuple[Any, Dict[str, Any]]

#: What PyTorch calls the first operand, of a function that names it.
_FIRST = ("input", "self", "tensor")

#: Functions with an operand of such a name in another place.
_NAMED_LATER = ("where", "searchsorted")

#: Functions whose operands after the first are masks, not numbers, if they are bytes; and their names.
_MASKED = ("__getitem__", "__setitem__", "index_put", "index_put_", "masked_fill", "masked_fill_",
           "masked_select", "masked_scatter", "masked_scatter_")
_MASKS = ("mask", "indices")

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

#: Those of them that exporters do not expect of a number even if no dimension is given.
_OF_ALL = frozenset("amax amin nanmean nansum std std_mean var var_mean".split())

#: Functions that run along all dimensions if those given are none, which exporters do not expect.
_OF_EMPTY = frozenset("mean nanmean nansum std std_mean sum var var_mean".split())

#: NumPy's names, which PyTorch takes, too, and PyTorch's own.
_NUMPYS = {"axis": "dim", "keepdims": "keepdim"}

#: Operators with forms that change their first operand.
_OPERATORS = ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
              "lshift", "rshift", "matmul")


def with_first(name: str, args: Any, kwargs: Dict[str, Any]) -> Call:
    """The call with the first operand by position, and PyTorch's names of dimensions."""
    kwargs = {_NUMPYS.get(key, key): value for key, value in kwargs.items()} if name in _ALONG else kwargs
    first = next((word for word in _FIRST if word in kwargs), None) if not args else None
    if first is None or name in _NAMED_LATER:
        return args, kwargs
    return (kwargs[first], ), {key: value for key, value in kwargs.items() if key != first}


def _as_masks(value: Any) -> Any:
    """Nested indices, with byte masks converted to bool."""
    if isinstance(value, Tensor):
        return value.bool() if value.dtype == torch.uint8 else value
    if isinstance(value, (list, tuple)):
        return type(value)(_as_masks(part) for part in value)
    return value


def with_truths_as_masks(name: str, args: Any, kwargs: Dict[str, Any]) -> Call:
    """The call with truth values for bytes that choose elements."""
    if name not in _MASKED:
        return args, kwargs
    named = {key: _as_masks(value) if key in _MASKS else value for key, value in kwargs.items()}
    return (*args[:1], *_as_masks(args[1:2]), *args[2:]), named


def _is_whole(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.dtype in (torch.int32, torch.int64)
    return isinstance(value, int)


def as_filled(name: str, args: Any, kwargs: Dict[str, Any]) -> Call:
    """The call with numbers for True and False as what tensors are filled with; exporters end at these. What a value
    tells of the result's type is said, as exporters take any to be real."""
    places = _FILLED.get(name)
    if places is None:
        return args, kwargs
    filled = (*args[places[0]:places[0] + 1], kwargs.get(places[1]))
    is_truth = any(isinstance(value, bool) for value in filled)
    tells = places[2] and kwargs.get("dtype") is None and kwargs.get("out") is None
    if not is_truth and not (tells and any(_is_whole(value) for value in filled)):
        return args, kwargs
    if is_truth:
        args = tuple(int(value) if i == places[0] else value for i, value in enumerate(args))
        kwargs = {key: int(value) if key == places[1] else value for key, value in kwargs.items()}
    return args, {**kwargs, "dtype": torch.bool if is_truth else torch.int64} if tells else kwargs


def along_all(name: str, args: Any, kwargs: Dict[str, Any]) -> Call:
    """The call with all dimensions instead of none."""
    if name not in _OF_EMPTY or not args or not isinstance(args[0], Tensor):
        return args, kwargs
    every = list(range(args[0].dim()))
    if len(args) > 1 and isinstance(args[1], (tuple, list)) and not args[1]:
        return (args[0], every, *args[2:]), kwargs
    if isinstance(kwargs.get("dim"), (tuple, list)) and not kwargs["dim"]:
        return args, {**kwargs, "dim": every}
    return args, kwargs


def promoted(name: str, args: Any) -> Any:
    """The operands with a real first one, if the function's results are real."""
    x = args[0] if args else None
    if name not in _OF_REALS or not isinstance(x, Tensor) or x.is_floating_point():
        return args
    return (x.to(torch.get_default_dtype()), *args[1:])


def runs_along_nothing(name: str, args: Any, kwargs: Dict[str, Any]) -> bool:
    """Whether a function runs along the dimension of a number; of two operands it takes each element's."""
    if name not in _ALONG or not args or not isinstance(args[0], Tensor) or args[0].dim() != 0:
        return False
    others = [*args[1:], *kwargs.values()]
    return not any(isinstance(value, Tensor) for value in others) and (len(others) > 0 or name in _OF_ALL)


def as_numbers(made: Any) -> Any:
    """The results of one element without their dimension."""
    if isinstance(made, Tensor):
        return made.reshape(())
    parts = [part.reshape(()) for part in made]
    return tuple(parts) if type(made) is tuple else type(made)(parts)


def changes_first(name: str) -> bool:
    """Whether a function of that name, such as add_ or __iadd__, changes its first operand."""
    if name.startswith("__"):
        return name.startswith("__i") and name[3:-2] in _OPERATORS
    return name.endswith("_")


def is_basic(index: Any) -> bool:
    """Whether a subscript makes a view: of numbers, slices and None."""
    parts = index if isinstance(index, tuple) else (index, )
    return all(part is None or part is Ellipsis or isinstance(part, (int, slice)) or
               (isinstance(part, Tensor) and part.dim() == 0 and
                part.dtype not in (torch.bool, torch.uint8)) for part in parts) and not any(
                    isinstance(part, bool) for part in parts)
