from __future__ import annotations

from supervisor.dispatch.guard import CircuitBreaker


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> CircuitBreaker:
    breaker = CircuitBreaker(3, 10, clock)
    for _ in range(3):
        assert breaker.allow()
        breaker.failed()
    return breaker


def test_failures_in_a_row_open_the_circuit() -> None:
    breaker = opened(Clock())
    assert (breaker.state, breaker.allow()) == ("open", False)


def test_a_success_between_failures_keeps_it_closed() -> None:
    breaker = CircuitBreaker(2, 10, Clock())
    for _ in range(5):
        breaker.failed()
        breaker.succeeded()
    assert (breaker.state, breaker.allow()) == ("closed", True)


def test_after_the_pause_one_probe_may_pass() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now = 10
    assert (breaker.state, breaker.allow(), breaker.allow()) == ("half_open", True, False)


def test_a_good_probe_closes_the_circuit() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now = 10
    assert breaker.allow()
    breaker.succeeded()
    assert (breaker.state, breaker.allow(), breaker.allow()) == ("closed", True, True)


def test_a_bad_probe_opens_it_for_another_pause() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now = 10
    assert breaker.allow()
    breaker.failed()
    clock.now = 19.9
    assert not breaker.allow()
    clock.now = 20
    assert breaker.allow()


def test_an_abandoned_probe_leaves_the_place_to_the_next() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now = 10
    assert breaker.allow()
    breaker.abandoned()
    assert (breaker.state, breaker.allow()) == ("half_open", True)
