"""Requests to the service."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from typing import Any, Mapping, NamedTuple, Optional

from .launch import Launch, read_launch

TIMEOUT = 60
#: Seconds by which the clock of this machine may be wrong; more is reported.
TOLERATED = 60


class LrsError(Exception):
    """What the service refused, or a mistake that a debug build found."""

    def __init__(self, status: int, message: str, statement: Optional[dict[str, Any]] = None):
        super().__init__(message)
        #: As in HTTP; 0: there was no answer, or a mistake was found before.
        self.status = status
        self.message = message
        #: The statement that was refused, where it was one.
        self.statement = statement


class Response(NamedTuple):
    #: 0: there was no answer.
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """None: it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def reason(self) -> str:
        if self.status == 0:
            return "There was no answer."
        answer = self.json()
        answer = answer if isinstance(answer, dict) else {}
        return str(answer.get("message") or answer.get("error") or f"The service answered {self.status}.")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: that would make a POST a GET, and get a 200."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    def __init__(self, launch: Launch, found: bool):
        self.launch = launch
        #: Seconds by which the clock of this machine is behind that of the service.
        self.clock_offset = 0
        # the client can read a launch that it found again; not one that the game gave
        self._found = found
        self._opener = urllib.request.build_opener(_NoRedirects)

    def ask(self, method: str, path: str, body: Optional[bytes] = None, headers: Mapping[str, str] = {}) -> Response:
        """After a 401 once more, if there is a new token."""
        response = self._ask(method, path, body, headers)
        if response.status == 401 and self._renew():
            response = self._ask(method, path, body, headers)
        return response

    def _ask(self, method: str, path: str, body: Optional[bytes], headers: Mapping[str, str]) -> Response:
        all_headers = {"Authorization": self.launch.auth, "X-Experience-API-Version": "1.0.3"}
        if body is not None:
            all_headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.launch.endpoint + path, body, {**all_headers, **headers}, method=method)
        try:
            try:
                with self._opener.open(request, timeout=TIMEOUT) as answer:
                    response = Response(answer.status, answer.headers, answer.read())
            except urllib.error.HTTPError as answer:
                response = Response(answer.code, answer.headers, answer.read())
        except (OSError, http.client.HTTPException):
            return Response(0, {}, b"")
        there = seconds(response.headers.get("Date"))
        if there is not None:
            offset = round(there - time.time())
            self.clock_offset = offset if abs(offset) > TOLERATED else 0
        return response

    def _renew(self) -> bool:
        """Takes a new token for the same learner in the same game."""
        now, then = (read_launch() if self._found else None), self.launch
        if now is None or now.auth == then.auth:
            return False
        if (now.endpoint, now.actor, now.activity_id) != (then.endpoint, then.actor, then.activity_id):
            return False
        self.launch = now
        return True


def seconds(date: Optional[str]) -> Optional[float]:
    """Seconds since 1970 of a date of HTTP. None: it is no date."""
    try:
        return parsedate_to_datetime(date or "").timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
