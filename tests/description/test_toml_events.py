"""`[[event]]` in a description: read, written, checked, and honoured by every run."""

import pytest
from toml_mistakes import PENDULUM
from toml_round_trips import again, assert_same

import lagrangian as lg
from lagrangian.model.event import DEAD_CENTRE

LATCH = "[[event]]\nname = 'latch'\n"
SWING = PENDULUM + "[initial]\nq = [0.0]\nt_span = [0, 1]\n"


def with_event(entries):
    return lg.loads("gravity = [0, -9.81, 0]\n" + SWING + LATCH + entries)


def test_an_event_has_its_condition_direction_and_action():
    m = with_event("when = 'qd_theta + 2*t - 0.5'\ndirection = 'falling'\naction = 'stop'")
    (event,) = m.events
    assert (event.name, event.direction, event.action) == ("latch", "falling", "stop")
    assert str(event.when) == "qd_theta+2*t-0.5"
    assert "event latch where qd_theta+2*t-0.5 = 0, falling: stops the simulation" in str(m)


def test_events_are_recorded_in_both_directions_by_default():
    (event,) = with_event("when = 'theta + 1'").events
    assert (event.direction, event.action) == ("both", "record")


@pytest.mark.parametrize(
    ("entries", "action"),
    [
        ("action = 'lock'\njoints = ['theta']", lg.LockJoints("theta")),
        ("action = 'unlock'\njoints = ['theta']", lg.UnlockJoints("theta")),
        ("action = 'set_torque'\ntorque = { theta = '2*pi' }", lg.SetTorque({"theta": 6.283185307179586})),
        ("action = 'record'", "record"),
    ],
)
def test_actions_are_read_and_written(entries, action):
    m = with_event("when = 'theta + 1'\n" + entries)
    assert m.events[0].action == action
    assert_same(m, again(m))


@pytest.mark.parametrize("text", ["dead centre", "dead_centre", "dead center"])
def test_dead_centres_are_read_and_written(text):
    m = with_event(f"when = '{text}'")
    assert m.events[0].when == DEAD_CENTRE
    assert_same(m, again(m))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("", "'when' is missing"),
        ("when = 'theta + 1'\ndirection = 'up'", r"direction: there is no direction 'up'\. Known: rising, falling, both"),
        ("when = 'thta'", "when: .*'thta'"),
        ("when = 3", "when: 3 is given; text in quotes is needed"),
        ("when = '3*pi'", r"when: '3\*pi' is constant; an expression of coordinates, speeds or t is needed"),
        ("when = 'theta'\naction = 'bounce'", "action: there is no action 'bounce'"),
        ("when = 'theta'\naction = 'lock'", "'joints' is missing"),
        ("when = 'theta'\naction = 'lock'\njoints = []", r"joints: an array of 0 is given; an array of names"),
        ("when = 'theta'\naction = 'lock'\njoints = ['thta']", "joints: there is no joint or speed 'thta'. Did you mean 'theta'"),
        (
            "when = 'theta'\naction = 'stop'\njoints = ['theta']",
            "joints: belongs to the actions lock and unlock",
        ),
        ("when = 'theta'\naction = 'set_torque'", "'torque' is missing"),
        ("when = 'theta'\naction = 'set_torque'\ntorque = { thta = 1 }", "torque: there is no joint or speed 'thta'"),
        ("when = 'theta'\nat = 3", "there is no entry 'at'"),
        ("when = 'theta'\n" + LATCH + "when = 'theta'", ".* has the same name"),
    ],
)
def test_mistakes_say_where(entries, message):
    with pytest.raises(lg.DescriptionError, match=rf"\[\[event\]\] [12] 'latch': {message}"):
        with_event(entries)


def test_plural_is_reported():
    with pytest.raises(lg.DescriptionError, match=r"no entry 'events'\. Did you mean 'event'"):
        lg.loads(SWING + LATCH.replace("event", "events"))


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (lg.Event("theta"), "an event has no name"),
        (lg.Event("thta", name="e"), "event 'e': .*'thta'"),
        (lg.Event("theta", lg.LockJoints("thta"), name="e"), "event 'e': there is no joint or speed 'thta'"),
        (lg.Event("theta", lg.SetTorque({"theta": float("nan")}), name="e"), "event 'e': SetTorque has nan"),
        (lg.Event(lambda t, q, qd: t, name="e"), "event 'e': when is .*give a Python function to simulate"),
        (lg.Event("2*pi", name="e"), "event 'e': when is .*, which is constant"),
    ],
)
def test_mistakes_in_python(event, message):
    with pytest.raises(lg.LagrangianError, match=message):
        lg.loads(SWING).replace(events=[event])


# -- runs ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def swing():
    return with_event("when = 'theta + pi/4'\naction = 'stop'")


def test_a_run_honours_them(swing):
    motion = lg.simulate(swing)
    assert motion.message.startswith("stopped by event 'latch'")
    assert motion.q[-1, 0] == pytest.approx(-0.7853981633974483, abs=1e-9)
    assert lg.loads(lg.dumps(swing)) == swing
    locked = lg.simulate(swing, events={"latch": lg.LockJoints("theta")})
    assert locked.t[-1] == 1
    assert locked.q[-1, 0] == pytest.approx(-0.7853981633974483, abs=1e-9)
    assert locked.qd[-1, 0] == 0


def test_others_come_besides(swing):
    motion = lg.simulate(swing, events=lg.Event("theta + 0.5", name="half"))
    assert [e.name for e in motion.events] == ["half", "latch"]
    motion = lg.simulate(swing, events={"latch": "record", "half": lg.Event("theta + 0.5", "stop")})
    assert motion.message.startswith("stopped by event 'half'")
    assert lg.simulate(swing.replace(events=[])).t[-1] == 1


def test_the_file_of_a_run_has_them(swing, tmp_path):
    motion = lg.simulate(swing)
    motion.save(tmp_path / "run.nc")
    assert lg.read(tmp_path / "run.nc").mechanism.events == swing.events


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ({"latc": "record"}, "no event of the mechanism called 'latc'. Did you mean 'latch'"),
        ({"latch": "bounce"}, "event 'latch': 'bounce' is given"),
        ([lg.Event("theta", name="latch")], "already has an event 'latch'; to change what it does, give a mapping"),
        ({"latch": lg.LockJoints("x")}, "event: there is no joint or speed 'x'"),
        (3, "events is 3; a list of Event"),
    ],
)
def test_what_cannot_be_given(swing, events, message):
    with pytest.raises(lg.ArgumentError, match=message):
        lg.simulate(swing, events=events)
