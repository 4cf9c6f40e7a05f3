"""Machine code that this process has loaded, by the name of its object: mechanisms of one structure share it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from lagrangian.kernels.llvm import cache
from lagrangian.kernels.llvm.jit import Code
from lagrangian.kernels.llvm.target import Target

MODULES = 128  # that are remembered; what somebody still uses lives on without
_LOADED: OrderedDict[tuple[str, Target], tuple[dict[str, Any], Code]] = OrderedDict()


def loaded(name: str, target: Target, make: Callable[[], tuple[dict[str, Any], bytes]]) -> tuple[dict[str, Any], Code]:
    """The header and the code of an object: remembered, or from the cache of objects, or made."""
    key = (name, target)
    found = _LOADED.get(key)
    if found is None:
        header, contents = cache.kept(name, make)
        found = _LOADED[key] = header, Code(contents, target)
        while len(_LOADED) > MODULES:
            _LOADED.popitem(last=False)
    else:
        _LOADED.move_to_end(key)
    return found
