"""Attributes that are computed once, when they are first asked for."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):
        """The cached property of Python 3.12, which holds no lock while it computes.

        In earlier versions the lock is held for all objects of a class: threads wait for each other, and a process that is
        forked meanwhile waits for ever.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            attributes = instance.__dict__
            if self.attrname not in attributes:
                attributes[self.attrname] = self.func(instance)
            return attributes[self.attrname]
