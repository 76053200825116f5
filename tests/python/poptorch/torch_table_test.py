"""Samples of PyTorch's own table of operations compute and train as there; names of arguments are PyTorch's."""
import inspect
import os

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")

from poptorch._decompositions import TABLE  # noqa: E402

#: Samples of a run in the gate; TILESCOPE_ORACLE_SEED and TILESCOPE_ORACLE_COUNT choose others.
COUNT, FIRST_SEED = 60, 1

#: Of the samples that PyTorch computes; the others are refused.
LEAST_SHARE = 0.4


def test_samples_of_the_table():
    table = pytest.importorskip("torch_table", reason="this PyTorch has no table of operations for tests")
    seed = int(os.environ.get("TILESCOPE_ORACLE_SEED") or FIRST_SEED)
    count = int(os.environ.get("TILESCOPE_ORACLE_COUNT") or COUNT)
    done, tried, failures = table.failures(seed, count)
    assert not failures, f"seed {seed}: " + "\n".join(failures)
    assert done >= count and done >= LEAST_SHARE * tried, f"seed {seed}: of {tried} samples {done} were compared"


#: Names that torch's list of functions has wrongly, has for a function in C++ only, or that no program gives.
UNUSED = {"out", "train", "cudnn_enabled", "weight", "bias", "running_mean", "running_var", "te", "include_input",
          "descending", "names", "axis0", "axis1"}
OTHERS = {("diag_embed", "diagonal"), ("split", "split_size_or_sections"), ("xlogy", "y")}


def test_arguments_have_the_names_of_pytorch():
    """A call that names its arguments is not a call of another function."""
    wrong = []
    for function, form in torch.overrides.get_testing_overrides().items():
        name = getattr(function, "__name__", "")
        if not inspect.isfunction(TABLE.get(name)):
            continue
        own = inspect.signature(TABLE[name]).parameters
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in own.values()):
            continue
        given = [parameter.name for parameter in inspect.signature(form).parameters.values()
                 if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)][1:]
        wrong += [f"{name}({one}=)" for one in given
                  if one not in own and one not in UNUSED and (name, one) not in OTHERS]
    assert not wrong
