"""Promises of the verifier's benchmark: its line is worked out right, its texts are what they say, and it runs."""

from __future__ import annotations

import json
import random

import pytest

from evals.bench._verify_texts import Shape, draw_claims, draw_items, draw_plain, fill, write_reply
from evals.bench.verify import fit, main
from rqa_nodes.echo import verify


def test_times_that_grow_as_the_sizes_do_have_the_exponent_one() -> None:
    # Three times 5 a size unit: log time = 1 * log size + log 5, and no residue.
    line = fit([10, 100, 1000], [50, 500, 5000])
    assert (round(line.exponent, 9), round(line.r2, 9)) == (1, 1)


def test_times_that_grow_with_the_square_have_the_exponent_two() -> None:
    assert round(fit([2, 4, 8], [4, 16, 64]).exponent, 9) == 2


def test_a_line_explains_a_part_of_the_variance() -> None:
    # Logarithms (base 10) 0, 1, 2 and 0, 1, 0: means 1 and 1/3, sxx 2, sxy 0: slope 0, r2 0.
    line = fit([1, 10, 100], [1, 10, 1])
    assert (round(line.exponent, 9), round(line.r2, 9)) == (0, 0)


@pytest.mark.parametrize("shape", ["en", "ja"])
def test_a_reply_cites_each_item_and_no_sentence_stands_in_it_twice(shape: Shape) -> None:
    source = random.Random(3)
    items = draw_items(8, source=source)
    text = write_reply(items, lang=shape, size=2048, source=source)
    assert 2040 < len(text.encode()) <= 2048
    report = verify(text, injected=items, lang=shape)
    assert (len(report.cited), report.text) == (8, text)
    plain = draw_plain(shape, source=source)
    sentences = [next(plain) for _ in range(50)]
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_most_claims_of_the_bench_are_found(lang: Shape) -> None:
    claims = draw_claims(lang, source=random.Random(3))
    texts = [next(claims) for _ in range(60)]
    assert sum(verify(text, lang=lang).altered for text in texts) > 45


def test_a_text_is_filled_to_its_size() -> None:
    assert fill(lambda: "港の", size=10) == "港の港"


def test_it_measures_the_verifier_beside_two_baselines(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--replies", "4", "--smallest", "2048", "--largest", "8192"])
    printed = json.loads(capsys.readouterr().out)
    assert (printed["unit"], printed["replies"], printed["largest"]) == ("ms", 4, 8192)
    results = printed["results"]
    assert set(results) == {"reply_2kb_8_injected", "growth", "pathological"}
    for name in ("verifier_en", "verifier_ja_cpu", "bare_re2_scan_en", "structured_fields_alone"):
        row = results["reply_2kb_8_injected"][name]
        assert 0 < row["median"] <= row["p99"], name
    for row in results["growth"].values():
        assert row["bytes"] == [2048, 8192]
    assert all(spent > 0 for spent in results["pathological"].values())
