"""The launch context: what a game needs to report."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Launch:
    endpoint: str
    #: The complete value of the Authorization header.
    auth: str
    #: The learner; the service puts in the token's, whatever is sent.
    actor: Optional[dict[str, Any]] = None
    #: UUID of this session.
    registration: Optional[str] = None
    #: IRI of the game.
    activity_id: str = ""


def read_launch() -> Optional[Launch]:
    """From the file that XAPI_LAUNCH_FILE names or launch.json in the folder where the game starts, else XAPI_ENDPOINT and so on."""
    # the file first: `games-lrs sandbox` renews it, while variables stay as they were at the start
    try:
        with open(os.environ.get("XAPI_LAUNCH_FILE", "launch.json"), encoding="utf-8") as file:
            return launch_of(json.load(file))
    except (OSError, ValueError):
        names = ("endpoint", "auth", "actor", "registration", "activity_id")
        return launch_of({name: os.environ.get("XAPI_" + name.upper()) for name in names})


def launch_of(given: Any) -> Optional[Launch]:
    """None without endpoint or auth."""
    if not isinstance(given, dict) or not given.get("endpoint") or not given.get("auth"):
        return None
    actor = given.get("actor")
    return Launch(
        endpoint=str(given["endpoint"]).rstrip("/") + "/",
        auth=str(given["auth"]),
        actor=json.loads(actor) if isinstance(actor, str) else actor,
        registration=given.get("registration") or None,
        activity_id=given.get("activity_id") or "",
    )


def basic(key: str, secret: str) -> str:
    """The Authorization of a server: never in a game that players can read."""
    return "Basic " + base64.b64encode(f"{key}:{secret}".encode()).decode()
