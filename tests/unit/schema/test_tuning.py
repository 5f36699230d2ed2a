"""Test thresholds and limits that are settings: each changes what it says, within its bounds."""

from pathlib import Path

import pytest

from extraction.text.near_duplicates import near_duplicates
from graph_service.app.services import tuning_of
from graph_service.config.sections import RecallSettings
from graph_service.config.settings import Settings, load_settings
from graph_service.memory.facts.categories import category_of
from graph_service.memory.profile.selection import Exclusion, ProfileFact, excluded
from graph_service.memory.recall.ranking import ENGLISH, EVERYDAY, with_factors
from schema.errors import InstallError
from schema.fact import FactKind
from schema.profile import Category
from schema.tuning import Tuning, set_tuning, tuning
from tests.support.tuning import tuned

ONE = "Ana moved to a small flat in the old town of Lisbon"
NEARLY = "Ana moved to a small flat in the old town of Lisbon now"


def loaded(tmp_path: Path, **environ: str) -> Settings:
    return load_settings(environ=environ, here=tmp_path, user_dir=tmp_path)


def test_the_defaults_of_the_settings_are_those_of_the_code(tmp_path: Path) -> None:
    settings = loaded(tmp_path)
    assert tuning_of(settings) == Tuning()
    assert settings.recall == RecallSettings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FACTS_SIMHASH_BITS_MAX", "4"),
        ("FACTS_COMMON_PART_MIN", "1.2"),
        ("FACTS_IMPORTANCE_MIN", "0"),
        ("PROFILE_WORK_MAX", "0"),
        ("RECALL_WORDS_FACTOR", "-1"),
        ("RECALL_DETAIL_WEIGHT", "2"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(InstallError, match=f"MNEMOSCENE_{name}: '{value}' is invalid"):
        loaded(tmp_path, **{f"MNEMOSCENE_{name}": value})


def test_every_threshold_of_similar_statements_decides(tmp_path: Path) -> None:
    assert near_duplicates(ONE, NEARLY)
    for name, value in (("COMMON_PART_MIN", "0.99"), ("SIMHASH_BITS_MAX", "0")):
        with tuned(tuning_of(loaded(tmp_path, **{f"MNEMOSCENE_FACTS_{name}": value}))):
            assert not near_duplicates(ONE, NEARLY)
    assert near_duplicates(ONE, NEARLY)


def test_a_category_keeps_as_many_facts_as_the_settings_say(tmp_path: Path) -> None:
    facts = [
        ProfileFact(
            id=f"f{n}",
            predicate="PREFERS",
            relation=None,
            object_id=f"o{n}",
            kind=FactKind.FACT,
            importance=n,
            confidence=0.9,
            first_seen=n,
            last_seen=n,
        )
        for n in range(1, 4)
    ]
    assert category_of("PREFERS", None) is Category.PREFERENCES
    assert excluded(facts) == {}
    with tuned(tuning_of(loaded(tmp_path, MNEMOSCENE_PROFILE_PREFERENCES_MAX="1"))):
        assert excluded(facts) == {"f1": Exclusion.FULL, "f2": Exclusion.FULL}


def test_a_factor_changes_the_weights_of_its_group_alone() -> None:
    for weights in (ENGLISH, EVERYDAY):
        assert with_factors(weights, RecallSettings()) == weights
        silent = with_factors(weights, RecallSettings(words_factor=0.0, time_factor=2.0))
        for name in weights.scaled:
            assert silent.scaled[name] == (0.0 if name.startswith("lexical") else weights.scaled[name])
        assert silent.plain["contains_time"] == 2 * weights.plain["contains_time"]
        assert silent.plain["entity_match"] == weights.plain["entity_match"]


def test_tuned_restores_what_was_in_force() -> None:
    before = tuning()
    with tuned(Tuning(importance_min=9)):
        assert tuning().importance_min == 9
        set_tuning(Tuning(importance_min=2))
    assert tuning() is before
