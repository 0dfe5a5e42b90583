"""What a statement consists of: verbs, activities, results, context."""

from __future__ import annotations

import json
import os
import platform
import re
import uuid
from datetime import datetime, timezone
from typing import Any, Optional, TypedDict, Union
from urllib.parse import quote

from .launch import Launch

ADL = "http://adlnet.gov/expapi/verbs/"
PROFILE = "https://w3id.org/xapi/seriousgames"
TYPES = PROFILE + "/activity-types/"
PROGRESS = PROFILE + "/extensions/progress"
#: Of ADL and of the serious-games profile (https://github.com/e-ucm/xapi-seriousgames).
VERBS = {
    **{
        name: ADL + name
        for name in "initialized progressed completed passed failed scored terminated answered interacted".split()
    },
    **{name: f"{PROFILE}/verbs/{name}" for name in "accessed unlocked used pressed released".split()},
    "skipped": "http://id.tincanapi.com/verb/skipped",
    "selected": "https://w3id.org/xapi/adb/verbs/selected",
}
IMPLIED: dict[str, dict[str, Any]] = {
    "completed": {"completion": True},
    "passed": {"success": True},
    "failed": {"success": False},
}
#: How this client names itself in statements.
CLIENT = "games-lrs.py 0.1.0"
#: Extensions of a context that clients add.
EXTENSIONS = "urn:games-lrs:"


class ActivityParts(TypedDict, total=False):
    id: str
    name: str
    type: str


class ScoreParts(TypedDict, total=False):
    scaled: float
    raw: float
    min: float
    max: float


class ResultParts(TypedDict, total=False):
    #: A number is the scaled score, -1 to 1.
    score: Union[float, ScoreParts]
    success: bool
    completion: bool
    #: How much is done, from 0 to 1; an extension of the serious-games profile.
    progress: float
    #: ISO 8601, such as `PT90S`.
    duration: str
    response: str
    extensions: dict[str, Any]


#: An IRI, an id below the game's own such as `level/1`, or with a name for people and a type: an IRI, or one of the
#: profile such as `level`. None: the game itself.
Activity = Union[str, ActivityParts, None]
#: With `progressed` a number is the progress, else the scaled score.
Result = Union[float, ResultParts, None]


def say(verb: str, activity: Activity, result: Result) -> dict[str, Any]:
    given: dict[str, Any] = {"id": activity} if isinstance(activity, str) else {**(activity or {})}
    definition: dict[str, Any] = {}
    if given.get("name"):
        definition["name"] = {"und": given["name"]}
    if given.get("type"):
        definition["type"] = given["type"] if is_iri(given["type"]) else TYPES + given["type"]
    told: dict[str, Any] = dict(IMPLIED.get(verb, {}))
    if isinstance(result, dict):
        told.update(result)
    elif result is not None:
        told["progress" if verb == "progressed" else "score"] = result
    return {
        "verb": {"id": VERBS[verb], "display": {"en": verb}},
        "object": {"id": given.get("id", ""), **({"definition": definition} if definition else {})},
        **({"result": told} if told else {}),
    }


def complete(given: dict[str, Any], launch: Launch, about: dict[str, Any]) -> dict[str, Any]:
    """With id, time, actor and registration where they are missing; ids and results are spelt out."""
    statement = {"id": str(uuid.uuid4()), "timestamp": _now(), **given}
    if launch.actor is not None:
        statement.setdefault("actor", launch.actor)
    thing = statement.get("object")
    of_activity = isinstance(thing, dict) and thing.get("objectType", "Activity") == "Activity"
    if of_activity and "id" in thing:
        statement["object"] = {**thing, "id": iri_below(launch.activity_id, thing["id"])}
    if isinstance(statement.get("result"), dict):
        statement["result"] = _spelt_out(dict(statement["result"]))
    own = statement.get("context") or {}
    context = {**about, **({"registration": launch.registration} if launch.registration else {}), **own}
    context["extensions"] = {**about["extensions"], **own.get("extensions", {})}
    # for activities only
    for name in () if of_activity else ("revision", "platform"):
        context.pop(name, None)
    statement["context"] = context
    return statement


def about(version: Optional[str], engine: Optional[str], clock_offset: int) -> dict[str, Any]:
    """What statements tell of the game and the machine."""
    extensions: dict[str, Any] = {EXTENSIONS + "client": CLIENT}
    extensions[EXTENSIONS + "engine"] = engine or f"Python {platform.python_version()}"
    if clock_offset:
        extensions[EXTENSIONS + "clock-offset"] = clock_offset
    return {
        **({"revision": version} if version else {}),
        "platform": platform.system() or "unknown",
        "language": _language(),
        "extensions": extensions,
    }


def write(statement: dict[str, Any]) -> str:
    """ValueError, TypeError: it is no JSON."""
    return json.dumps(statement, separators=(",", ":"), allow_nan=False)


def is_iri(text: str) -> bool:
    return re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", text) is not None


def iri_below(game: str, id: Optional[str]) -> str:
    """An IRI stays; a name stands below the game's own IRI; nothing is the game."""
    if not id:
        return game
    return id if is_iri(id) else f"{game}/{quote(id, safe=';,/?:@&=+$-_.!~*()#' + chr(39))}"


def _spelt_out(result: dict[str, Any]) -> dict[str, Any]:
    """A score that is a number is the scaled one; the progress is an extension."""
    if isinstance(result.get("score"), (int, float)):
        result["score"] = {"scaled": result["score"]}
    if "progress" in result:
        result["extensions"] = {PROGRESS: result.pop("progress"), **result.get("extensions", {})}
    return result


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _language() -> str:
    named = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    found = re.match(r"([a-z]{2,3})(?:_([A-Z]{2}))?\b", named)
    return "-".join(part for part in found.groups() if part) if found else "und"
