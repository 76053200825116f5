"""Learning rates among the keys of a job."""
from __future__ import annotations

import json
from typing import Dict, List, Mapping, Tuple


def split_learning_rates(keys: Mapping[str, str]) -> Tuple[List[float], Dict[str, str]]:
    """The learning rates of all groups, which may change between calls, and everything else, which
    is compiled into the program."""
    rest = {key: value for key, value in keys.items() if key != "learningRate"}
    groups = json.loads(rest.pop("parameterGroups", "{}"))
    rates = [float(keys["learningRate"])]
    rates += [numbers.pop("learningRate") for numbers in groups.values()]
    rest["parameterGroups"] = json.dumps(groups)
    return rates, rest
