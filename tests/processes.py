"""Processes that are interrupted as by Ctrl-C, when they are known to be at work, however busy the machine is."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # s, for what takes a second when nothing else runs


def interruptible(command: list[str], **more: Any) -> subprocess.Popen[Any]:
    """Start a process that Ctrl-C interrupts, also where this one was started in a background shell, which ignores it."""
    return subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler), **more)


def wait_for_work(process: subprocess.Popen[Any], seconds: float) -> None:
    """Wait until a process has had so much more of the processor's time."""
    began, until = processor_time(process.pid), time.monotonic() + PATIENCE
    while processor_time(process.pid) - began < seconds and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)


def processor_time(pid: int) -> float:
    """Of Linux's table of processes; elsewhere the clock on the wall stands in for it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
