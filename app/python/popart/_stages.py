"""Stages of a model whose parts return to an IPU."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

from onnx import helper

_IPU, _STAGE = "__ipu_number", "__pipeline_stage"


def _number(node: Any, name: str) -> Optional[int]:
    return next((attribute.i for attribute in node.attribute if attribute.name == name), None)


def _returns(nodes: List[Any]) -> bool:
    """Whether an operation reads from an IPU of a higher number."""
    ipus: Dict[str, int] = {}
    for node in nodes:
        ipu = _number(node, _IPU)
        if ipu is None:
            continue
        if any(ipus.get(name, ipu) > ipu for name in node.input):
            return True
        ipus.update(dict.fromkeys(node.output, ipu))
    return False


def add_stages(nodes: List[Any]) -> None:
    """Gives operations that are only placed on IPUs stages as well, if the model returns to an IPU: the
    first stage on the operation's IPU that is not before those of its operands."""
    if not _returns(nodes) or any(_number(node, _STAGE) is not None for node in nodes):
        return
    ipus: List[int] = []  # of stages
    stages: Dict[str, int] = {}  # of results
    for node in nodes:
        ipu = _number(node, _IPU)
        if ipu is None:
            continue
        first = max((stages.get(name, 0) for name in node.input), default=0)
        stage = next((s for s in range(first, len(ipus)) if ipus[s] == ipu), len(ipus))
        if stage == len(ipus):
            ipus.append(ipu)
        stages.update(dict.fromkeys(node.output, stage))
        node.attribute.append(helper.make_attribute(_STAGE, stage))
