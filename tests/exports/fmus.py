"""FMUs that are exported once, and instances of them through the functions of FMI, by fmpy."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg

fmpy = pytest.importorskip("fmpy", reason="fmpy, which runs FMUs, is not installed")
from fmpy.fmi3 import FMU3Model, FMU3Slave  # noqa: E402


class Fmu:
    """An exported mechanism: its file, its folder, and its variables by name."""

    def __init__(self, mechanism: lg.Mechanism, folder: Path, **arguments: Any) -> None:
        self.mechanism = mechanism
        self.file = folder / "model.fmu"
        self.export = lg.export(mechanism, "fmu", self.file, **arguments)
        self.folder = Path(fmpy.extract(str(self.file), unzipdir=str(folder / "extracted")))
        self.description = fmpy.read_model_description(str(self.file))
        self.references = {x.name: x.valueReference for x in self.description.modelVariables}
        derivatives = [x for x in self.description.modelVariables if x.derivative is not None]
        self.states = [x.derivative.name for x in derivatives]
        self.inputs = [x.name for x in self.description.modelVariables if x.causality == "input"]

    def simulate(self, kind: str, stop: float, rows: int, names: Sequence[str] = (), **arguments: Any) -> np.ndarray:
        """Rows of the states, or of other variables, by fmpy."""
        names = names or self.states
        results = fmpy.simulate_fmu(
            str(self.file),
            fmi_type=kind,
            start_time=0.0,
            stop_time=stop,
            output_interval=stop / (rows - 1),
            output=names,
            **arguments,
        )
        return np.column_stack([results[name] for name in names])

    @contextmanager
    def instance(self, kind: str, log: list[tuple[int, str, str]] | None = None) -> Iterator[Instance]:
        new_instance = Instance(self, kind, [] if log is None else log)
        try:
            yield new_instance
        finally:
            new_instance.raw.freeInstance()


class Instance:
    """An instance of an FMU, by names of variables."""

    def __init__(self, fmu: Fmu, kind: str, log: list[tuple[int, str, str]]) -> None:
        self.fmu, self.log = fmu, log
        fmu_class = FMU3Model if kind == "ModelExchange" else FMU3Slave
        identifier = fmu.description.modelExchange.modelIdentifier
        self.raw = fmu_class(
            guid=fmu.description.guid, unzipDirectory=str(fmu.folder), modelIdentifier=identifier, instanceName="instance"
        )
        self.raw.instantiate(
            loggingOn=True, logMessage=lambda env, status, category, text: log.append((status, category.decode(), text.decode()))
        )

    def get(self, *names: str) -> np.ndarray:
        return np.array(self.raw.getFloat64([self.fmu.references[name] for name in names]))

    def set(self, names: Iterable[str], values: Iterable[float]) -> None:
        self.raw.setFloat64([self.fmu.references[name] for name in names], [float(x) for x in values])

    def begin(self, start: float = 0.0) -> None:
        """To Continuous-Time Mode, or to Step Mode."""
        self.raw.enterInitializationMode(startTime=start)
        self.raw.exitInitializationMode()
        if isinstance(self.raw, FMU3Model):
            self.raw.updateDiscreteStates()
            self.raw.enterContinuousTimeMode()

    def move(self, state: Iterable[float], t: float = 0.0) -> None:
        """To a state and a time, in Continuous-Time Mode."""
        values = (ctypes.c_double * len(self.fmu.states))(*map(float, state))
        self.raw.setTime(t)
        self.raw.setContinuousStates(values, len(values))

    def derivatives(self) -> np.ndarray:
        values = (ctypes.c_double * len(self.fmu.states))()
        self.raw.getContinuousStateDerivatives(values, len(values))
        return np.array(values)

    def advance(self, start: float, stop: float, step: float) -> np.ndarray:
        """Communication steps; the state at their end."""
        for k in range(round((stop - start) / step)):
            self.raw.doStep(currentCommunicationPoint=start + k * step, communicationStepSize=step)
        return self.get(*self.fmu.states)
