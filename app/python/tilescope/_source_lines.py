"""The lines of the user's program that make a model, for its profile.

Shared by the libraries whose scripts run here: each notes the stack of an operation in its node's
documentation, from which the importer reads it, and gives the texts of the user's files.
"""
from __future__ import annotations

import linecache
import os
import re
import stat
import sys
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

#: "text" keeps lines and texts of the user's files in profiles, "lines" only lines, "off" neither.
VARIABLE = "TILESCOPE_SOURCE"

#: (path, line, function) from the innermost frame out.
Stack = List[Tuple[str, int, str]]

_DEEPEST = 256  #: frames of a stack
_LARGEST_FILE = 1 << 20  #: characters; the text of a larger file is left out
_LARGEST_PROFILE = 8 << 20  #: characters of all files
_MOST_BYTES = 4  #: of a character in UTF-8

#: Folders of installed packages and of Python itself.
_INSTALLED = ("/site-packages/", "/dist-packages/", f"/lib/python{sys.version_info.major}", "<frozen ")
#: Of the packages beside this one, wherever they are installed.
_OWN = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name) + os.sep
    for name in ("tilescope", "poptorch", "popart", "simulated_keras", "libpvti", "popdist"))


class Source(NamedTuple):
    """What the simulator is given: texts by path, parts of paths of libraries, stacks by anchor."""
    texts: Dict[str, str]
    libraries: List[str]
    anchors: Dict[str, Stack]


def wanted() -> str:
    """What the environment says that profiles keep of the program.

    Raises:
        ValueError: if it says something else.
    """
    value = os.environ.get(VARIABLE) or "text"
    if value not in ("text", "lines", "off"):
        raise ValueError(f"environment variable {VARIABLE}: '{value}' is not one of text, lines, off")
    return value


def is_library(path: str, excluded: Iterable[str] = ()) -> bool:
    """Whether a file is not the user's; ``excluded``: parts of paths that the user excludes."""
    return any(part in path for part in (*_OWN, *_INSTALLED, *excluded))


def here() -> Stack:
    """The user's lines that are running, innermost first."""
    stack: Stack = []
    frame: Optional[Any] = sys._getframe(1)
    while frame is not None and len(stack) < _DEEPEST:
        code = frame.f_code
        if not is_library(code.co_filename):
            stack.append((_plain(code.co_filename), frame.f_lineno, _plain(code.co_name)))
        frame = frame.f_back
    return stack


def places() -> List[Tuple[str, int]]:
    """Files and lines of the calls that are running, innermost first, whosever they are. Reads no
    file, as traceback.extract_stack() would."""
    found: List[Tuple[str, int]] = []
    frame: Optional[Any] = sys._getframe(1)
    while frame is not None:
        found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def text_of(path: str, line: int) -> str:
    """A line of a file without the blanks around it; empty if it cannot be read."""
    return _plain(linecache.getline(path, line).strip()) if _may_be_read(path) else ""


def documentation(stack: Stack) -> str:
    """A stack as torch.onnx writes it into a node's documentation."""
    return "".join(f"{path}({line}): {function}\n" for path, line, function in stack)


_FRAME = re.compile(r"^(.+)\((\d+)\): ", re.MULTILINE)


def frames_in(document: str) -> List[Tuple[str, str]]:
    """The files and lines of a stack in documentation, innermost first."""
    return _FRAME.findall(document)


def paths_in(documents: Iterable[str]) -> Set[str]:
    """The files of stacks in documentation."""
    return {path for document in documents for path, _ in frames_in(document)}


def source(paths: Iterable[str], excluded: Iterable[str] = (),
           anchors: Optional[Dict[str, Stack]] = None) -> Source:
    """What is given to the simulator with a model whose stacks name these files."""
    choice = wanted()
    if choice == "off":
        return Source({}, [], {})
    anchors = anchors or {}
    excluded = list(excluded)
    all_paths = {*paths, *(path for stack in anchors.values() for path, _, _ in stack)}
    own = sorted(path for path in all_paths if not is_library(path, excluded))
    return Source(_texts(own) if choice == "text" else {}, [*_OWN, *excluded], anchors)


def _texts(paths: List[str]) -> Dict[str, str]:
    texts: Dict[str, str] = {}
    left = _LARGEST_PROFILE
    for path in paths:
        text = _plain("".join(linecache.getlines(path))) if _may_be_read(path) else ""
        if 0 < len(text) <= min(_LARGEST_FILE, left):
            texts[path] = text
            left -= len(text)
    return texts


def _may_be_read(path: str) -> bool:
    """Whether it is a file of a size that is kept, or held already: a pipe would be waited for, and a
    device has no end."""
    if path in linecache.cache:
        return True
    for folder in ("", *sys.path):
        try:
            status = os.stat(os.path.join(folder, path))
        except (OSError, ValueError):
            continue
        return stat.S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES * _LARGEST_FILE
    return False


def _plain(text: str) -> str:
    """The text with a question mark for what UTF-8 does not hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
