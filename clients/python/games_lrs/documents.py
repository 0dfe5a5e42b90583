"""Documents: saved games, settings."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Optional
from urllib.parse import urlencode

from .transport import LrsError, Response, Transport


class Document(NamedTuple):
    #: JSON as a value, everything else as bytes.
    value: Any
    etag: str


class _Any:
    """Without a condition."""


ANY = _Any()


class Documents:
    """Each call waits for the service, up to a minute. It raises LrsError if the service refuses or gives no answer."""

    def __init__(self, transport: Optional[Transport], resource: str, id_name: str, parameters: dict[str, str]):
        self._transport = transport
        self._resource = resource
        self._id_name = id_name
        self._parameters = parameters

    def get(self, id: str) -> Optional[Document]:
        """None: there is no such document."""
        response = self._ask("GET", {self._id_name: id})
        if response is None or response.status == 404:
            return None
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        return Document(response.json() if is_json else response.body, response.headers.get("ETag", ""))

    def put(self, id: str, value: Any, etag: "str | None | _Any" = ANY) -> Optional[str]:
        """
        Replaces; with an ETag only the document that has it, with None only when there is none yet (else LrsError 412).
        Returns the new ETag, for the next put; None: the service did not tell it.
        """
        condition: dict[str, str] = {}
        if etag is None:
            condition = {"If-None-Match": "*"}
        elif isinstance(etag, str):
            condition = {"If-Match": etag}
        response = self._ask("PUT", {self._id_name: id}, value, condition)
        return response.headers.get("ETag") if response else None

    def merge(self, id: str, members: dict[str, Any]) -> None:
        """Changes these members of a JSON object and keeps the others; makes the document if there is none."""
        self._ask("POST", {self._id_name: id}, members)

    def remove(self, id: str) -> None:
        self._ask("DELETE", {self._id_name: id})

    def list(self, since: Optional[str] = None) -> "list[str]":
        """Ids of all documents, or of those that changed since (as 2026-01-31T12:00:00Z)."""
        response = self._ask("GET", {"since": since} if since else {})
        return response.json() if response else []

    def _ask(self, method: str, more: dict[str, str], value: Any = None, headers: dict[str, str] = {}) -> Optional[Response]:
        if self._transport is None:
            return None
        path = f"{self._resource}?{urlencode({**self._parameters, **more})}"
        body = json.dumps(value).encode() if method in ("PUT", "POST") else None
        response = self._transport.ask(method, path, body, headers)
        if 200 <= response.status < 300 or response.status == 404:
            return response
        raise LrsError(response.status, response.reason())
