"""Of a program the words are read, and nothing of the code."""

from __future__ import annotations

import pytest

from rqa_nodes.structure.code_prose import is_code, prose_of
from tests.support.growth import assert_linear

PYTHON = '''"""Which door is open?

The gate must always be shut.
"""
import os  # only for the path

NAME = "not # a comment"


def f(x: int) -> int:
    """門は必ず閉めるべきだ。"""
    # Everyone agrees,
    # so nothing is checked.
    return x
'''
C = """/* The gate must
 * always be shut. */
#include <stdio.h>
// everyone agrees
int main(void) { return 0; } // 門は必ず閉めるべきだ。
"""


@pytest.mark.parametrize(
    ("text", "name", "there"),
    [
        (PYTHON, "gate.py", ["The gate must always be shut.", "only for the path", "門は必ず閉めるべきだ。"]),
        (PYTHON, "gate.py", ["Everyone agrees, so nothing is checked."]),
        (C, "gate.c", ["The gate must\nalways be shut.", "everyone agrees", "門は必ず閉めるべきだ。"]),
        ("-- The gate is shut.\nSELECT 1;\n", "gate.sql", ["The gate is shut."]),
    ],
)
def test_comments_and_docstrings_are_the_words(text: str, name: str, there: list[str]) -> None:
    prose = prose_of(text, name)
    assert all(words in prose for words in there)
    assert not any(code in prose for code in ("import os", "return x", "not # a comment", "int main", "SELECT"))


def test_a_docstring_and_the_comment_below_are_two_texts() -> None:
    prose = prose_of('"""It is faster."""\nreturn x  # the cache is warm\n# and full\n', "a.py")
    assert prose == "It is faster.\n\nthe cache is warm and full"


@pytest.mark.parametrize(("name", "code"), [("a.PY", True), ("a.rs", True), ("a.md", False), ("a", False), ("", False)])
def test_the_name_says_what_is_a_program(name: str, code: bool) -> None:
    assert is_code(name) is code
    if not code:
        assert prose_of("# heading\ntext", name) == "# heading\ntext"


def test_a_program_without_words_stays_as_it_is() -> None:
    assert prose_of("x = 1\n", "a.py") == "x = 1\n"


@pytest.mark.parametrize("name", ["a.py", "a.c"])
@pytest.mark.parametrize("unit", ["/*", "#", '"""', '"', "a", "// x\n"])
def test_the_cost_grows_with_the_length_and_not_faster(unit: str, name: str) -> None:
    assert_linear(lambda text: prose_of(text, name), lambda times: unit * times, largest=400_000 // len(unit))
