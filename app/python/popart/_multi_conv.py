"""Convolutions that are planned and run together."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from ._errors import popart_exception, refused
from ._opsets import Opset

#: Numbers of the ways to plan them, as in the simulator's attribute.
_PLANS = {"parallel": 0, "serial": 1}

Lists = Sequence[Sequence[int]]


class GraphcoreOpset(Opset):
    """Graphcore's operators, with the one that is several nodes of ONNX."""

    def multiconv(self, args: Sequence[Sequence[str]], dilations: Lists = (),
                  inDilations: Lists = (), pads: Lists = (), outPads: Lists = (),
                  strides: Lists = (), availableMemoryProportions: Sequence[float] = (),
                  partialsTypes: Sequence[str] = (), planType: Optional[str] = None,
                  perConvReservedTiles: Optional[int] = None,
                  cycleBackOff: Optional[float] = None, debugContext: Any = "") -> List[str]:
        """Adds a convolution for each list of operands; those of a call run side by side where that
        is faster. Returns the ids of their results.

        Raises:
            popart_exception: for lists of different lengths, and dilated inputs or padded results.
        """
        if any(size != 1 for sizes in inDilations for size in sizes):
            raise refused("multiconv's inDilations", "leave it out")
        if any(size for sizes in outPads for size in sizes):
            raise refused("multiconv's outPads", "leave it out")
        windows = {"dilations": dilations, "pads": pads, "strides": strides}
        for name, lists in windows.items():
            if lists and len(lists) != len(args):
                raise popart_exception(f"multiconv has {len(args)} convolutions, but {len(lists)} "
                                       f"{name}")
        made = []
        for number, operands in enumerate(args):
            own = {name: list(lists[number]) for name, lists in windows.items() if lists}
            made.append(self._builder.aiOnnx.conv(list(operands), debugContext=debugContext, **own))
        self._together(made, planType, perConvReservedTiles, cycleBackOff)
        for name, share in zip(made, availableMemoryProportions):
            self._builder.setAvailableMemoryProportion(name, share)
        for name, kind in zip(made, partialsTypes):
            self._builder.setPartialsType(name, kind)
        return made

    def _together(self, convolutions: List[str], plan: Optional[str], tiles: Optional[int],
                  back_off: Optional[float]) -> None:
        """Marks convolutions as those of one call."""
        if plan is not None and plan not in _PLANS:
            raise popart_exception(f"multiconv's planType '{plan}' is neither 'parallel' nor "
                                   "'serial'")
        number = len({attribute.i for node in self._builder._graph_proto().node
                      for attribute in node.attribute if attribute.name == "__multi_conv"})
        for name in convolutions:
            self._builder.addNodeAttribute("__multi_conv", number, {name})
        options: Dict[str, Any] = {
            "__multi_conv_plan_type": None if plan is None else _PLANS[plan],
            "__multi_conv_reserved_tiles": tiles,
            "__multi_conv_cycle_back_off": None if back_off is None else float(back_off),
        }
        for key, value in options.items():
            if value is not None:
                self._builder.addNodeAttribute(key, value, {convolutions[0]})
