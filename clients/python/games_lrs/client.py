"""The client of a game."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from typing import Any, Callable, Optional

from . import statements
from .documents import Documents
from .launch import Launch, read_launch
from .mistakes import mistakes_of
from .queue import LIMIT, Queue
from .sender import Sender
from .statements import Activity, Result
from .transport import LrsError, Transport


def connect(
    launch: Optional[Launch] = None,
    *,
    consent: bool = True,
    on_error: Optional[Callable[[LrsError], None]] = None,
    flush_after: float = 5.0,
    flush_at: int = 20,
    folder: Optional[str] = None,
    version: Optional[str] = None,
    engine: Optional[str] = None,
    debug: Optional[bool] = None,
) -> Client:
    """
    Always returns a client. Without a launch context it does nothing, and the game plays on.

    consent: False drops what waits, and queues nothing until set_consent(True)
    on_error: the client's thread calls it for what the service refused for good; default: writes to stderr
    flush_after, flush_at: seconds that a statement waits for others; statements that do not wait
    folder: of the queue; default: of the system, for this user
    version, engine: of the game, and what it is made with, for `context` of its statements
    debug: whether on_error also gets mistakes in statements, with status 0, field and remedy; default: unless frozen
    """
    context = launch if launch is not None else read_launch()
    tell = on_error or (lambda error: print(f"games-lrs: {error.status} {error.message}", file=sys.stderr))
    if debug is None:
        debug = not getattr(sys, "frozen", False)
    client = Client(context, launch is None, tell, debug, version, engine)
    if context is not None:
        client._open(consent, flush_after, flush_at, folder or _folder())
    return client


class Client:
    """What players do. Each verb returns the id of its statement when it is kept on this machine; None: it was not queued."""

    def __init__(
        self,
        launch: Optional[Launch],
        found: bool,
        tell: Callable[[LrsError], None],
        debug: bool,
        version: Optional[str],
        engine: Optional[str],
    ):
        self._transport = Transport(launch, found) if launch else None
        self._handler = tell
        self._debug = debug
        self._version = version
        self._engine = engine
        self._consent = True
        self._closed = False
        self._reported: set[str] = set()

    def _open(self, consent: bool, flush_after: float, flush_at: int, folder: Optional[str]) -> None:
        assert self._transport
        launch = self._transport.launch
        owner = f"{launch.endpoint} {json.dumps(launch.actor) if launch.actor else launch.auth}"
        self._queue = Queue(folder, owner, lambda message: self._tell(LrsError(0, message)))
        self._consent = consent
        if not consent:
            self._queue.clear()
        self._sender = Sender(self._transport, self._queue, self._tell, flush_after, flush_at)
        atexit.register(self.close)

    @property
    def launched(self) -> bool:
        """False: there is no launch context, and nothing is reported."""
        return self._transport is not None

    @property
    def launch(self) -> Optional[Launch]:
        return self._transport.launch if self._transport else None

    def initialized(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("initialized", activity, result)

    def progressed(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        """A number is the progress, from 0 to 1."""
        return self._say("progressed", activity, result)

    def completed(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("completed", activity, result)

    def passed(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("passed", activity, result)

    def failed(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("failed", activity, result)

    def scored(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("scored", activity, result)

    def terminated(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("terminated", activity, result)

    def answered(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("answered", activity, result)

    def interacted(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("interacted", activity, result)

    def accessed(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("accessed", activity, result)

    def skipped(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("skipped", activity, result)

    def selected(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("selected", activity, result)

    def unlocked(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("unlocked", activity, result)

    def used(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("used", activity, result)

    def pressed(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("pressed", activity, result)

    def released(self, activity: Activity = None, result: Result = None) -> Optional[str]:
        return self._say("released", activity, result)

    def send(self, statement: dict[str, Any]) -> Optional[str]:
        """Queues any statement. Id, time, learner and session are filled in where they are missing."""
        if self._transport is None or self._closed:
            return None
        if self._debug:
            self._check(statement)
        if not self._consent:
            return None
        about = statements.about(self._version, self._engine, self._transport.clock_offset)
        try:
            whole = statements.complete(statement, self._transport.launch, about)
            text = statements.write(whole)
        except (TypeError, ValueError) as error:
            self._tell(LrsError(0, f"a statement could not be written: {error}", statement))
            return None
        if not self._queue.add(text):
            self._once(f"{LIMIT} statements wait: later ones are lost until some are sent")
            return None
        self._sender.added()
        return whole["id"]

    def flush(self, wait: float = 0) -> None:
        """Sends what waits now. Returns once that was sent or tried, after `wait` seconds at the latest."""
        if self._transport and not self._closed:
            self._sender.flush(wait)

    def pending(self) -> int:
        """How many statements wait on this machine."""
        return len(self._queue) if self._transport else 0

    def set_consent(self, granted: bool) -> None:
        """False: drops what waits, and queues nothing until True. Documents still work."""
        self._consent = granted
        if self._transport and not granted:
            self._sender.clear()

    def state(self, activity: Activity = None) -> Documents:
        """State of the learner in this game, or in one activity of it."""
        return self._documents("activities/state", "stateId", activityId=self._iri(activity), agent=self._agent())

    def activity_profile(self, activity: Activity = None) -> Documents:
        """Shared by all learners of an activity."""
        return self._documents("activities/profile", "profileId", activityId=self._iri(activity))

    def agent_profile(self) -> Documents:
        """Of the learner, across games."""
        return self._documents("agents/profile", "profileId", agent=self._agent())

    def close(self, wait: float = 3) -> None:
        """Sends what waits, for this many seconds at most, and stops; so does the end of the process."""
        if self._transport is None or self._closed:
            return
        self.flush(wait)
        self._closed = True
        self._sender.close()
        self._queue.close()
        atexit.unregister(self.close)

    def _say(self, verb: str, activity: Activity, result: Result) -> Optional[str]:
        return self.send(statements.say(verb, activity, result)) if self._transport else None

    def _documents(self, resource: str, id_name: str, **parameters: str) -> Documents:
        return Documents(self._transport, resource, id_name, parameters)

    def _iri(self, activity: Activity) -> str:
        id = activity.get("id") if isinstance(activity, dict) else activity
        return statements.iri_below(self.launch.activity_id if self.launch else "", id)

    def _agent(self) -> str:
        return json.dumps(self.launch.actor if self.launch else None)

    def _check(self, statement: dict[str, Any]) -> None:
        for mistake in mistakes_of(statement):
            self._once(mistake, statement)

    def _once(self, message: str, statement: Optional[dict[str, Any]] = None) -> None:
        if message not in self._reported:
            self._reported.add(message)
            self._tell(LrsError(0, message, statement))

    def _tell(self, error: LrsError) -> None:
        try:
            self._handler(error)
        except Exception:
            # reports an exception of the game's handler as that of a thread, and goes on
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))


def _folder() -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", home)
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return os.environ.get("GAMES_LRS_QUEUE") or os.path.join(base, "games-lrs")
