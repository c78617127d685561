from __future__ import annotations

import dataclasses
import hashlib

import pytest

from rqa_checkpoints.errors import MissingScopeError, UnknownKindError
from rqa_checkpoints.provenance import (
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    canonical_kind,
    confirmed_by,
    merge_origin,
    node_id,
    normal_reference,
    slot_key,
    source_handle,
    speaker_phrase,
    statement_key,
    text_mark,
    unique_handle,
)
from tests.support.memories import ANN, AT


def _node(**changes: object) -> MemoryNode:
    base = MemoryNode(
        id="n_a",
        handle="aaaaaa",
        tenant="local",
        user="ann",
        thread="th",
        turn_id="t1",
        source=SourceClass.user,
        author="ann",
        kind=Kind.statement,
        text="I keep bees.",
        recorded_at=AT,
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]  # the tests choose the fields


@pytest.mark.parametrize(("tenant", "user"), [("", "ann"), ("local", ""), (" ", "ann"), (None, "ann"), ("local", 7)])
def test_a_missing_part_of_the_scope_is_an_error(tenant: object, user: object) -> None:
    with pytest.raises(MissingScopeError, match="is missing"):
        Scope(tenant, user)  # type: ignore[arg-type]  # what a careless caller passes


def test_an_id_depends_on_every_part_and_on_nothing_else() -> None:
    base = {"thread": "th", "turn_id": "t1", "role": "user", "index": 0, "text": "x"}
    first = node_id(ANN, **base)  # type: ignore[arg-type]  # one dict for brevity
    assert first == node_id(ANN, **base)  # type: ignore[arg-type]
    others = [
        node_id(Scope("local", "annx"), **base),  # type: ignore[arg-type]
        *(
            node_id(ANN, **{**base, name: value})  # type: ignore[arg-type]
            for name, value in {"thread": "tht", "turn_id": "1", "role": "assistant", "index": 1, "text": "y"}.items()
        ),
    ]
    assert len({first, *others}) == 7
    assert first.startswith("n_")
    assert len(first) == 2 + 52
    assert set(first[2:]) <= set("0123456789abcdefghjkmnpqrstvwxyz")


def test_an_id_is_the_crockford_form_of_the_digest() -> None:
    made = node_id(ANN, thread="th", turn_id="t1", role="user", index=0, text="é")
    digest = hashlib.sha256(b'["local","ann","th","t1","user",0,"\\u00e9"]').digest()
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    value = 0
    for ch in made[2:]:
        value = value * 32 + alphabet.index(ch)
    assert value >> 4 == int.from_bytes(digest)


def test_a_handle_is_lengthened_until_it_is_free() -> None:
    assert unique_handle("n_abcdefgh", set()) == "abcdef"
    assert unique_handle("n_abcdefgh", {"abcdef", "abcdefg"}) == "abcdefgh"


def test_a_source_handle_is_never_a_number() -> None:
    handles = [source_handle("notes.md", str(n)) for n in range(3000)]
    assert not any(handle.isdigit() for handle in handles)
    assert source_handle("notes.md", "1") == source_handle("notes.md", "1") != source_handle("notes.md", "2")


@pytest.mark.parametrize("written", ["k3v9xq", "[m:k3v9xq]", "M:K3V9XQ", " [ m:k3v9xq ] ", "ｋ３ｖ９ｘｑ"])
def test_a_reference_has_one_form_however_it_is_written(written: str) -> None:
    assert normal_reference(written) == "k3v9xq"


def test_letters_that_are_misread_are_folded() -> None:
    assert normal_reference("[m:kIlo9q]") == "k1109q"
    assert normal_reference("n_OIl") == "n_011"


def test_the_same_statement_has_the_same_key_and_any_other_has_not() -> None:
    key = statement_key(_node())
    assert statement_key(_node(text=" i KEEP  bees. ", id="n_b", thread="x", turn_id="y", recorded_at="z")) == key
    changed = [
        _node(source=SourceClass.assistant),
        _node(author="bob"),
        _node(kind=Kind.claim),
        _node(text="I keep cats."),
        _node(namespace=("a",)),
        _node(key="k"),
        _node(echo_of="n_g", derived_from=("n_g",)),
    ]
    assert len({key, statement_key(_node(), value_mark="m"), *(statement_key(node) for node in changed)}) == 9


def test_a_mere_echo_is_no_confirmation() -> None:
    assert confirmed_by(_node(echo_of="n_g", derived_from=("n_g", "n_h"))) == ("n_g", "n_h")
    assert confirmed_by(_node(echo_of="n_g")) == ()
    assert confirmed_by(_node(echo_of="n_g", derived_from=("n_g",), source=SourceClass.assistant)) == ()


def test_the_origin_holds_the_writer_and_all_roots() -> None:
    assert merge_origin(SourceClass.user, []) == (SourceClass.user,)
    parents = [(SourceClass.external,), (SourceClass.assistant, SourceClass.user)]
    assert merge_origin(SourceClass.assistant, parents) == (
        SourceClass.assistant,
        SourceClass.external,
        SourceClass.user,
    )


def test_kinds_of_other_systems_are_mapped_and_unknown_ones_refused() -> None:
    assert canonical_kind("Fact") is Kind.statement
    assert canonical_kind("hypothesis") is Kind.claim
    assert canonical_kind(" question ") is Kind.question
    assert {canonical_kind(kind.value) for kind in Kind} == set(Kind)
    with pytest.raises(UnknownKindError, match="'soul'"):
        canonical_kind("soul")


def test_places_and_messages_have_marks_of_their_own() -> None:
    assert slot_key(("a", "b"), "c") != slot_key(("a",), "b")
    assert slot_key((), "") == text_mark("") == ""
    assert text_mark("a\ud800") == text_mark("a\ufffd")


def test_the_wording_of_each_class_is_fixed() -> None:
    said = {
        lang: [speaker_phrase(source, lang, author="engine", locator="notes.md") for source in SourceClass]
        for lang in ("en", "ja", "zh")
    }
    assert said == {
        "en": [
            "you said",
            "I suggested earlier (unverified, not evidence)",
            "notes.md says",
            "set by the application",
        ],
        "ja": [
            "あなたの発言",
            "以前の私の推測(未検証、根拠ではない)",
            "notes.md の記載",
            "アプリケーションの設定",
        ],
        "zh": ["你说过", "我之前的推测(未经核实,不是依据)", "notes.md 中写道", "由应用程序设定"],
    }


def test_no_class_but_the_users_is_ever_worded_as_the_users() -> None:
    for lang in ("en", "ja", "zh", "xx"):
        own = speaker_phrase(SourceClass.user, lang)
        others = [
            speaker_phrase(s, lang, author="you said", locator="") for s in (SourceClass.assistant, SourceClass.system)
        ]
        assert own not in others
    assert speaker_phrase(SourceClass.external, "en") == "an unnamed source says"
    assert speaker_phrase(SourceClass.external, "en", locator="a\nb {author}") == "a b {author} says"
