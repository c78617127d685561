"""The reference scorer gives the figures that its system was seen to give: rel 1e-4, abs 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evals.reference import (
    Body,
    Reference,
    attenuation,
    certainty_term,
    decay_factor,
    density,
    evaporated,
    fan_out,
    final_score,
    grown,
    least_cosine,
    mass_boost,
    saturation,
)


def _is(value: float) -> object:
    return pytest.approx(value, rel=1e-4, abs=1e-6)


# Closed form at force 1: m(n) = 50 - 49 * (1 - 0.05/50)**n.
@pytest.mark.parametrize(
    ("recalls", "printed", "digits"),
    [(1, 1.049, 3), (10, 1.49, 2), (50, 3.39, 2), (100, 5.67, 2), (500, 20.3, 1), (1000, 32.0, 1)],
)
def test_mass_grows_with_every_recall(recalls: int, printed: float, digits: int) -> None:
    mass = 1.0
    for _ in range(recalls):
        mass = grown(mass, 1.0)
    assert mass == _is(50 - 49 * 0.999**recalls)
    assert round(mass, digits) == printed


@pytest.mark.parametrize(
    ("mass", "children", "share", "printed", "cosine"),
    [
        (1, 3, 0.3 * (1 - 0.5 * math.log(2) / math.log(51)), 0.274, 0.95),
        (2, 4, 0.3 * (1 - 0.5 * math.log(3) / math.log(51)), 0.258, 0.90),
        (5, 5, 0.3 * (1 - 0.5 * math.log(6) / math.log(51)), 0.232, 0.75),
        (10, 6, 0.3 * (1 - 0.5 * math.log(11) / math.log(51)), 0.209, 0.50),
        (19, 7, 0.3 * (1 - 0.5 * math.log(20) / math.log(51)), 0.186, 0.05),
        (50, 9, 0.15, 0.150, 0.05),
    ],
)
def test_the_wave_table(mass: float, children: int, share: float, printed: float, cosine: float) -> None:
    assert fan_out(mass) == children
    assert attenuation(mass) == _is(share)
    assert round(attenuation(mass), 3) == printed
    assert least_cosine(mass) == _is(cosine)


@pytest.mark.parametrize(("seconds", "left"), [(0, 1.0), (60, 0.548812), (300, 0.049787), (3600, 2.3195e-16)])
def test_the_cosine_fades_by_the_second(seconds: float, left: float) -> None:
    assert decay_factor(seconds) == pytest.approx(left, rel=1e-4)


@pytest.mark.parametrize(("mass", "boost"), [(1, 0.034657), (10, 0.119895), (50, 0.196591)])
def test_the_mass_term(mass: float, boost: float) -> None:
    assert mass_boost(mass) == _is(boost)


def test_certainty_saturation_and_evaporation() -> None:
    assert certainty_term(1.0, None) == _is(0.02)
    assert certainty_term(0.5, 30) == _is(0.005)
    assert [saturation(returns) for returns in (0, 5)] == [1.0, 0.5]
    assert evaporated(33.99, 7) == 33.99
    # 33.99 - 0.01 * 32.99**1.5 * 30/30
    assert evaporated(33.99, 30) == _is(33.99 - 1.894854)
    assert evaporated(1.0, 900) == 1.0


# Identical lists: rank 10 over rank 1. Disjoint ones: the tenth is the fourth of its list.
def test_the_density_rule_measures_whether_lists_agree() -> None:
    same = [3 / (60 + rank) for rank in range(1, 11)]
    apart = sorted((1 / (60 + rank) for rank in range(1, 5) for _ in range(3)), reverse=True)
    assert (round(density(same), 3), round(density(apart), 3)) == (0.871, 0.953)


def test_a_score_is_its_sum() -> None:
    body = Body(mass=10.0, last_access=40.0, returns=5.0)
    assert final_score(body, cosine=0.8, force=1.274, now=100.0) == _is(
        (0.8 * 0.548812 + 0.0637 + 0.119895 + 0.02) * 0.5
    )


def test_an_exact_match_that_lay_idle_loses_to_whatever_was_just_touched() -> None:
    idle = final_score(Body(last_access=0.0), cosine=1.0, force=1.0, now=3600.0)
    touched = final_score(Body(last_access=3600.0), cosine=0.717, force=0.1, now=3600.0)
    assert idle == _is(0.104657)
    assert touched > 7 * idle


def test_a_recall_trains_what_it_reaches_and_a_passive_one_does_not() -> None:
    vectors = np.eye(4)
    vectors[1] = [0.98, math.sqrt(1 - 0.98**2), 0, 0]
    memory = Reference(ids=["a", "b", "c", "d"], vectors=vectors, documents={"a": "book", "b": "book"})
    assert memory.recall([1.0, 0, 0, 0], ["a"], now=1.0, top_k=2, passive=True)[0][0] == "a"
    assert {body.mass for body in memory.bodies.values()} == {1.0}
    memory.recall([1.0, 0, 0, 0], ["a"], now=1.0, top_k=2)
    # Seeds: a, b and one of the others. The wave between a and b stays within their document and adds no mass.
    assert memory.bodies["a"].mass == memory.bodies["b"].mass == _is(1.049)
    assert memory.bodies["a"].returns == _is(0.99)
    assert memory.bodies["a"].last_access == 1.0
