"""What names a study's chunks tells functions apart by all that they compute with."""

from __future__ import annotations

from lagrangian.studies.digest import digest

GAIN = 5.0


def make_torque(gain):
    def torque(t, q, qd):
        return [-gain * q[0]]

    return torque


def by_default(t, q, qd, gain=2.0):
    return [-gain * q[0]]


def by_global(t, q, qd):
    return [-GAIN * q[0]]


def test_closures_defaults_and_globals_count(monkeypatch):
    assert digest(make_torque(5.0)) == digest(make_torque(5.0))
    assert digest(make_torque(5.0)) != digest(make_torque(50.0))
    before = digest(by_default)
    monkeypatch.setattr(by_default, "__defaults__", (3.0,))
    assert digest(by_default) != before
    before = digest(by_global)
    monkeypatch.setitem(globals(), "GAIN", 50.0)
    assert digest(by_global) != before
