"""Digests stand for content, and repositories come from ids of one form only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.cohort.ids import digest_of
from ethogram.formats.digest import digest, repository


@given(st.dictionaries(st.text(), st.text()))
def test_a_digest_is_sixteen_hex_digits_and_the_cohorts_own(value: dict[str, str]) -> None:
    found = digest(value)

    assert len(found) == 16
    assert set(found) <= set("0123456789abcdef")
    assert found == digest_of(value)


@pytest.mark.parametrize(
    ("task_id", "expected"),
    [
        ("django__django-123", "django/django"),
        ("pvlib__pvlib-python-1606", "pvlib/pvlib-python"),
        ("scikit-learn__scikit-learn-9", "scikit-learn/scikit-learn"),
        ("django-123", None),
        ("django__django", None),
        ("a b__c-1", None),
        ("", None),
        (None, None),
    ],
)
def test_the_repository_of_a_task(task_id: str | None, expected: str | None) -> None:
    assert repository(task_id) == expected
