"""An outage of the evaluator costs no waiting."""

from __future__ import annotations

from rqa_nodes.reflect.circuit import CircuitBreaker


class _Seconds:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def _failed(times: int) -> tuple[CircuitBreaker, _Seconds]:
    seconds = _Seconds()
    circuit = CircuitBreaker(seconds)
    for _ in range(times):
        circuit.failed()
    return circuit, seconds


def test_three_failures_in_a_row_open_the_circuit_and_two_do_not() -> None:
    assert not _failed(0)[0].is_open()
    assert not _failed(2)[0].is_open()
    assert _failed(3)[0].is_open()


def test_it_stays_open_for_sixty_seconds() -> None:
    circuit, seconds = _failed(3)
    seconds.now += 59.9
    assert circuit.is_open()
    seconds.now += 0.1
    assert not circuit.is_open()


def test_a_failed_try_after_the_minute_opens_it_for_another() -> None:
    circuit, seconds = _failed(3)
    seconds.now += 61
    circuit.failed()
    assert circuit.is_open()
    seconds.now += 60
    assert not circuit.is_open()


def test_a_success_starts_the_count_again() -> None:
    circuit, _ = _failed(2)
    circuit.succeeded()
    circuit.failed()
    circuit.failed()
    assert not circuit.is_open()


def test_after_the_minute_one_caller_tries_and_the_others_are_turned_away_until_it_reports() -> None:
    circuit, seconds = _failed(3)
    assert not circuit.begin()
    seconds.now += 60
    assert [circuit.begin() for _ in range(3)] == [True, False, False]
    assert circuit.is_open()
    circuit.succeeded()
    assert [circuit.begin() for _ in range(3)] == [True] * 3


def test_a_try_that_never_reports_holds_others_up_no_longer_than_a_failure() -> None:
    circuit, seconds = _failed(3)
    seconds.now += 60
    assert circuit.begin()
    seconds.now += 59
    assert not circuit.begin()
    seconds.now += 1
    assert circuit.begin()


def test_asking_changes_nothing() -> None:
    circuit, seconds = _failed(3)
    for _ in range(100):
        circuit.is_open()
    seconds.now += 60
    assert not circuit.is_open()
