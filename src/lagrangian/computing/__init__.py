"""Motions that a page computes by itself: a run as a WebAssembly module, and the worker that runs it in a browser."""

from __future__ import annotations

from lagrangian.computing.program import Computed, computed
from lagrangian.computing.rerun import again
from lagrangian.computing.subject import NotComputable
from lagrangian.computing.worker import worker_script

__all__ = ["Computed", "NotComputable", "again", "computed", "worker_script"]
