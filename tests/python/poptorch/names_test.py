"""Every public name of PopTorch 3.3 is in names_poptorch.txt, and behaves as in the table."""
import inspect
from pathlib import Path

import poptorch
import pytest
import torch

TABLE = Path(__file__).parent.parent / "names_poptorch.txt"
KINDS = ("in", "without effect", "refused")
GROUPS = ("Training", "Precision", "TensorLocations", "Distributed", "Jit")


def rows():
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, kind, *expression = [part.strip() for part in line.split("|")]
            yield name, kind, expression[0] if expression else ""


def owner_of(name):
    """The object with the name."""
    if name.startswith("Parameter."):
        linear = torch.nn.Linear(2, 2)
        poptorch.inferenceModel(linear)
        return getattr(linear.weight, name.split(".")[1])
    value = poptorch
    for part in name.split("."):
        value = poptorch.Options() if value is poptorch.Options and part in (*GROUPS,
                                                                             "_Popart") else value
        value = getattr(value, part)
    return value


def public_names():
    """All names that a program can reach in the modules and classes of poptorch."""

    def members(prefix, kind):
        for name in dir(kind):
            owner = next((c for c in kind.__mro__ if name in vars(c)), None)
            if name.startswith("_") or not owner.__module__.startswith("poptorch"):
                continue
            # torch wraps step() of optimizer classes
            made = getattr(vars(owner)[name], "__module__", None) or owner.__module__
            if made.startswith("poptorch"):
                yield f"{prefix}.{name}"

    def of(prefix, module, names):
        for name in names:
            value = getattr(module, name)
            if inspect.ismodule(value) or name.startswith("_"):
                continue
            yield prefix + name
            if inspect.isclass(value) and not issubclass(value, BaseException):
                yield from members(prefix + name, value)

    yield from of("", poptorch, poptorch.__all__)
    for module in (poptorch.optim, poptorch.autocasting):
        own = [name for name, value in vars(module).items()
               if inspect.isclass(value) and value.__module__ == module.__name__]
        yield from of(module.__name__.split(".")[1] + ".", module, own)
    for group in GROUPS:
        yield from members(f"Options.{group}", type(getattr(poptorch.Options(), group)))


def test_the_table_is_well_formed():
    names = [name for name, _, _ in rows()]
    assert len(names) == len(set(names))
    assert all(kind in KINDS for _, kind, _ in rows())
    assert all(bool(expression) == (kind != "in") for _, kind, expression in rows())


def test_no_name_is_in_none():
    missing = set(public_names()) - {name for name, _, _ in rows()}
    assert not missing, f"add to names_poptorch.txt: {sorted(missing)}"


@pytest.mark.parametrize("name", [name for name, kind, _ in rows() if kind == "in"])
def test_in(name):
    owner_of(name)


def run(expression):
    linear = torch.nn.Linear(2, 2)
    exec(expression, {  # pylint: disable=exec-used
        "poptorch": poptorch,
        "options": poptorch.Options(),
        "settings": poptorch.TensorLocationSettings(),
        "tensor": torch.ones(2, 2),
        "linear": linear,
        "executor": poptorch.inferenceModel(linear),
    })


@pytest.mark.parametrize("name, expression",
                         [(name, text) for name, kind, text in rows() if kind == "without effect"])
def test_without_effect(name, expression):
    assert name.split(".")[-1] in expression
    run(expression)


@pytest.mark.parametrize("name, expression",
                         [(name, text) for name, kind, text in rows() if kind == "refused"])
def test_refused(name, expression):
    with pytest.raises((poptorch.Error, ValueError, AttributeError, NotImplementedError)) as error:
        run(expression)
    said = str(error.value).lower()
    word = name.split(".")[-1].lower()
    assert word in said and len(said) > len(word) + 20


def test_numpys_old_names_are_there():
    import numpy
    assert numpy.float is float and numpy.bool is bool  # of scripts from the time of the SDK
