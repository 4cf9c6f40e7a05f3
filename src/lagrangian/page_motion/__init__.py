"""Motions that a page computes by itself: a run as a WebAssembly module, and the worker that runs it in a browser."""

from __future__ import annotations

from lagrangian.page_motion.module import PageModule, compile_page
from lagrangian.page_motion.plan import worker_script
from lagrangian.page_motion.rerun import simulate_again
from lagrangian.page_motion.subject import NotComputableError

__all__ = ["NotComputableError", "PageModule", "compile_page", "simulate_again", "worker_script"]
