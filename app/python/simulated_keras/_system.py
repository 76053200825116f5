"""The IPUs of this process, as the script has configured them."""
from __future__ import annotations

import logging
import sys
from typing import Any, List, Optional

#: TensorFlow's log, on standard error: "INFO:tensorflow:text".
logger = logging.getLogger("tensorflow")
if not logger.handlers:
    _handler = logging.StreamHandler(sys.stderr)
    _handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
    logger.addHandler(_handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False

_configured: List[Any] = []  #: the IPUConfig, once it is configured


def configure(config: Any) -> None:
    """Takes a configuration; see IPUConfig.configure_ipu_system()."""
    if _configured and _configured[0] != config:
        logger.warning("Resetting existing IPU configuration before applying new configuration")
    _configured[:] = [config]


def configuration() -> Optional[Any]:
    """The configuration, if there is one."""
    return _configured[0] if _configured else None


def reset() -> None:
    """Forgets the configuration."""
    _configured.clear()


def attached_ipus() -> int:
    """The number of IPUs that programs may use; one without a configuration."""
    if not _configured:
        return 1
    chosen = _configured[0].auto_select_ipus or _configured[0].select_ipus
    if isinstance(chosen, (list, tuple)):
        return int(chosen[0]) if chosen else 1
    return int(chosen)


def check_configured() -> None:
    """Raises RuntimeError if a strategy uses IPUs that were not configured."""
    from ._strategy import current_strategy
    if current_strategy() is not None and not _configured:
        raise RuntimeError("No IPU devices configured.")
