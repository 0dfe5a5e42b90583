"""Sends what waits, in order, one request at a time, in a thread of its own."""

from __future__ import annotations

import json
import random
import threading
import time
from typing import Any, Callable, Optional

from .queue import Queue
from .transport import LrsError, Response, Transport, seconds

# what the service takes in one request
BATCH_COUNT = 250
BATCH_BYTES = 2 * 1024 * 1024
LONGEST_WAIT = 60.0
LONGEST_RETRY_AFTER = 600.0
#: Statuses for a wrong statement: not valid, in conflict, too large.
OF_STATEMENTS = (400, 409, 413)
NEVER = float("inf")


class Sender:
    def __init__(
        self,
        transport: Transport,
        queue: Queue,
        tell: Callable[[LrsError], None],
        flush_after: float,
        flush_at: int,
    ):
        self._transport = transport
        self._queue = queue
        self._tell = tell
        self._flush_after = flush_after
        self._flush_at = flush_at
        self._due = 0.0 if len(queue) else NEVER
        self._failures = 0
        self._not_before = 0.0  # the service asked to wait until then
        self._suspects = 0  # how many of the first statements were refused together
        self._rounds = 0  # rounds that are done
        self._busy = False
        self._sends_all = False  # flush was called
        self._stopped = False  # nothing can be sent any more
        self._closed = False
        self._changed = threading.Condition()
        self._batch: list[str] = []  # under way
        threading.Thread(target=self._run, name="games-lrs", daemon=True).start()

    def added(self) -> None:
        with self._changed:
            if self._failures == 0 and len(self._queue) >= self._flush_at:
                self._due = 0.0
            elif self._due == NEVER and not self._busy:
                self._due = time.monotonic() + self._flush_after
            else:
                return
            self._changed.notify_all()

    def flush(self, wait: float) -> None:
        """Wakes the thread; waits at most this many seconds until it has sent all, or has tried."""
        with self._changed:
            self._due = 0.0
            self._sends_all = True
            self._changed.notify_all()
            # a round that is under way may have begun before the last statement came
            wanted = self._rounds + (2 if self._busy else 1)
            if wait > 0:
                self._changed.wait_for(lambda: self._rounds >= wanted or self._stopped or self._closed, wait)

    def clear(self) -> None:
        with self._changed:
            self._queue.clear()
            self._batch = []
            self._suspects = 0

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._closed and time.monotonic() < self._due:
                    self._changed.wait(None if self._due == NEVER else self._due - time.monotonic())
                if self._closed:
                    return
                self._due = NEVER
                self._busy = True
            sent = 0
            while self._send(sent):
                sent += 1
            with self._changed:
                if not self._stopped and len(self._queue) > 0 and self._due == NEVER:
                    self._due = max(time.monotonic() + self._flush_after, self._not_before)
                self._busy = self._sends_all = False
                self._rounds += 1
                self._changed.notify_all()

    def _send(self, sent: int) -> bool:
        """False: nothing more for now."""
        with self._changed:
            # half of the statements that were refused together, until the bad one is alone
            count = BATCH_COUNT if self._suspects == 0 else max(1, self._suspects // 2)
            batch = self._batch = self._queue.first(count, BATCH_BYTES)
            if not batch or self._stopped or self._closed or time.monotonic() < self._not_before:
                return False
            # statements that came meanwhile wait for the next round
            if sent > 0 and len(batch) < self._flush_at and not self._sends_all and self._suspects == 0:
                return False
        response = self._transport.ask("POST", "statements", ("[" + ",".join(batch) + "]").encode())
        with self._changed:
            errors: list[LrsError] = []
            goes_on = self._judge(response, batch, errors)
        for error in errors:
            self._tell(error)
        return goes_on

    def _judge(self, response: Response, batch: list[str], errors: list[LrsError]) -> bool:
        status, count = response.status, len(batch)
        # a network that asks for a sign-in first answers 200, too, with a page
        if 200 <= status < 300 and isinstance(response.json(), list):
            self._failures = 0
            if self._batch is batch:  # it was not cleared meanwhile
                self._suspects = max(0, self._suspects - count)
                self._queue.remove(count)
        elif status < 400 or status == 429 or status >= 500:
            self._later(response)
            return False
        elif status not in OF_STATEMENTS:
            # the credential has ended, or this is no record store: the statements stay for the next session
            self._stopped = True
            errors.append(LrsError(status, response.reason()))
        elif self._batch is batch:
            faults = {0: response.reason()} if count == 1 else _faults(response, count)
            # the service does not name the bad ones: the next request has half of the batch
            self._suspects = 0 if faults else count
            if faults:
                self._queue.drop(faults)
            errors.extend(LrsError(status, why, json.loads(batch[at])) for at, why in faults.items())
        return True

    def _later(self, response: Response) -> None:
        wait = min(LONGEST_WAIT, 2.0 ** min(self._failures, 6)) * random.uniform(0.5, 1)
        self._failures += 1
        retry_after = _retry_after(response.headers.get("Retry-After"))
        self._not_before = time.monotonic() + retry_after
        self._due = time.monotonic() + max(wait, retry_after)


def _retry_after(header: Optional[str]) -> float:
    """`Retry-After` in seconds or as a date."""
    if header is None:
        return 0.0
    then = seconds(header)
    wait = float(header) if header.isdigit() else then - time.time() if then is not None else 0.0
    return min(LONGEST_RETRY_AFTER, max(0.0, wait))


def _faults(response: Response, count: int) -> dict[int, str]:
    """Why statements of a batch were refused, by their index; a service may name none."""
    answer = response.json()
    faults: dict[int, str] = {}
    listed: Any = answer.get("faults") if isinstance(answer, dict) else None
    for fault in listed if isinstance(listed, list) else []:
        index = fault.get("index") if isinstance(fault, dict) else None
        if type(index) is int and 0 <= index < count:
            faults[index] = str(fault.get("message"))
    return faults
