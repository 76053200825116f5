"""Reduces a failing case to the smallest one that still fails."""
import copy
import re

from generator import FLOATS, INPUTS, Case
from oracle import Difference, Unfit, check


def failure_of(case):
    """The error, or nothing."""
    try:
        check(case)
    except Difference as error:
        return str(error)
    except Unfit:
        return None
    return None


def kind_of(failure):
    """Failures of one kind differ in numbers and names only."""
    if failure is None:
        return None
    first = failure.splitlines()[0]
    return "off" if "tolerances" in first else re.sub(r"[^a-zA-Z]+|node '[^']*'", " ", first)[:60]


def _without(case, number):
    """The case without a step: readers of its result read its first operand instead."""
    value = INPUTS + number
    instead = case.steps[number].operands[0]

    def moved(i):
        i = instead if i == value else i
        return i - 1 if i > value else i

    smaller = copy.deepcopy(case)
    del smaller.steps[number]
    for step in smaller.steps:
        step.operands = [moved(i) for i in step.operands]
    smaller.results = sorted({moved(i) for i in smaller.results})
    return smaller


def _simpler(case):
    for number in reversed(range(len(case.steps))):
        yield _without(case, number)
    for i in range(len(case.results)):
        if len(case.results) > 1:
            smaller = copy.deepcopy(case)
            del smaller.results[i]
            yield smaller
    for number, step in enumerate(case.steps):
        for place, operand in enumerate(step.operands):
            for other in FLOATS:
                if operand >= INPUTS:
                    smaller = copy.deepcopy(case)
                    smaller.steps[number].operands[place] = other
                    yield smaller
    plain = Case(0, [], 0)
    for name in ("training", "structure", "calls", "groups", "accumulation", "iterations",
                 "replicas", "optimizer", "loss", "loss_form", "half", "output", "reduction", "stage", "between",
                 "evaluated"):
        if getattr(case, name) != getattr(plain, name):
            smaller = copy.deepcopy(case)
            setattr(smaller, name, getattr(plain, name))
            yield smaller
    if case.calls > 1:
        smaller = copy.deepcopy(case)
        smaller.calls = 1
        yield smaller


def shrunk(case, most=150):
    """The smallest case found in ``most`` trials that fails in the same way, and its failure."""
    failure = failure_of(case)
    kind = kind_of(failure)
    went_on = True
    while went_on and most > 0:
        went_on = False
        for smaller in _simpler(case):
            most -= 1
            other = failure_of(smaller) if most > 0 else None
            if other is not None and kind_of(other) == kind:
                case, failure, went_on = smaller, other, True
                break
    return case, failure
