"""
For debug builds: what is wrong with a statement, with its field and what to write instead. The service would refuse it,
or no chart would count it.
"""

from __future__ import annotations

import json
import re
from typing import Any, Optional

from .statements import TYPES, VERBS, is_iri

KNOWN = (
    "serious-game level quest session stage combat story-node race completable dialog-node dialog-fragment screen area "
    "zone cutscene reachable accessible menu dialog-tree question path arena alternative enemy item "
    "non-player-character game-object mouse keyboard controller touchscreen button device"
).split()
FIELDS = "score success completion progress duration response extensions".split()
SHARE = "Write the share of the highest score, such as 0.8, or a score with raw, min and max."
UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
SCHEME = r"([a-zA-Z][a-zA-Z0-9+.-]*):(?!//)"
DURATION = r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)"


def mistakes_of(statement: dict[str, Any]) -> list[str]:
    mistakes: list[str] = []

    def want(holds: bool, field: str, value: Any, wrong: str) -> None:
        if not holds:
            mistakes.append(f"{field}: {json.dumps(value, default=str)} {wrong}")

    def within(value: Any, least: Optional[float], most: Optional[float], field: str, wrong: str) -> None:
        holds = _is_number(value) and (least is None or value >= least) and (most is None or value <= most)
        want(value is None or holds, field, value, wrong)

    id = statement.get("id")
    want(id is None or re.fullmatch(UUID, str(id)) is not None, "id", id, "is no UUID. Leave it out.")
    verb = statement.get("verb")
    verb = verb if isinstance(verb, str) else _of(verb, "id")
    known = VERBS.get(str(verb or "completed"), f"https://example.org/verbs/{verb}")
    want(is_iri(str(verb)), "verb.id", verb, f'is no IRI. Write one, such as "{known}".')
    thing = statement.get("object")
    name = str(_of(thing, "id") or "")
    scheme = re.match(SCHEME, name)
    if scheme and scheme[1].lower() not in ("urn", "tag", "mailto"):
        below = name.replace(":", "/", 1)
        want(False, "object.id", name, f'is taken for a whole IRI with the scheme "{scheme[1]}". Write "{below}".')
    type = str(_of(_of(thing, "definition"), "type") or "")
    if type.startswith(TYPES):
        wrong = f"is no type of the serious-games profile. Write an IRI, or one of {', '.join(KNOWN)}."
        want(type[len(TYPES) :] in KNOWN, "object.definition.type", type[len(TYPES) :], wrong)

    result = statement.get("result")
    result = result if isinstance(result, dict) else {}
    for field, value in result.items():
        wrong = f"is in no field of a result. There are {', '.join(FIELDS)}."
        want(field in FIELDS, f"result.{field}", value, wrong)
    for field in ("success", "completion"):
        value = result.get(field)
        want(value is None or isinstance(value, bool), f"result.{field}", value, "is neither true nor false.")
    score = result.get("score")
    if not isinstance(score, dict):
        within(score, -1, 1, "result.score", f"is not from -1 to 1. {SHARE}")
    within(_of(score, "scaled"), -1, 1, "result.score.scaled", f"is not from -1 to 1. {SHARE}")
    least, most = _of(score, "min"), _of(score, "max")
    outside = f"is not from {least} to {most}, its min and max."
    within(_of(score, "raw"), least, most, "result.score.raw", outside)
    done = "is not from 0 to 1. Write the share that is done, such as 0.5."
    within(result.get("progress"), 0, 1, "result.progress", done)
    took = result.get("duration")
    if took is not None:
        wrong = 'is no duration of ISO 8601. Write seconds as "PT90S".'
        want(re.fullmatch(DURATION, str(took)) is not None, "result.duration", took, wrong)
    return mistakes


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
