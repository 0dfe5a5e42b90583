"""Statements of one owner that wait to be sent, in their order."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import uuid
from typing import BinaryIO, Callable, Collection, Iterable, Optional

LIMIT = 10_000


class Queue:
    """
    In memory and, with a folder, in a file of this process: a line for each statement, and a line with the number of
    those that are done. A process takes over what earlier ones left. What is in the file outlives the process.
    """

    def __init__(self, folder: Optional[str], owner: str, on_trouble: Callable[[str], None]):
        self._lock = threading.RLock()
        self._texts: list[str] = []
        self._lines = 0  # statements in the file
        self._length = 0  # bytes of the file
        self._file: Optional[BinaryIO] = None
        self._on_trouble = on_trouble
        self._troubled = False
        self._folder = folder and os.path.join(folder, hashlib.sha256(owner.encode()).hexdigest()[:32])
        if self._folder:
            try:
                os.makedirs(self._folder, exist_ok=True)
                self._adopt()
            except OSError as error:
                self._trouble(error)

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: str) -> bool:
        """False: it is full."""
        with self._lock:
            if len(self._texts) >= LIMIT:
                return False
            self._texts.append(text)
            self._lines += 1
            self._append(text)
            return True

    def first(self, count: int, size: int) -> list[str]:
        """The first ones that fit into a request; one at least, if one waits."""
        with self._lock:
            room = size - 1
            batch: list[str] = []
            for text in self._texts[:count]:
                room -= len(text) + 1
                if room < 0 and batch:
                    break
                batch.append(text)
            return batch

    def remove(self, count: int) -> None:
        """Removes the first statements, which are done."""
        with self._lock:
            del self._texts[:count]
            if not self._texts or self._lines > 2 * LIMIT:
                self._rewrite()
            else:
                self._append(str(self._lines - len(self._texts)))

    def drop(self, indices: Collection[int]) -> None:
        """Removes statements that were refused."""
        with self._lock:
            self._texts = [text for at, text in enumerate(self._texts) if at not in indices]
            self._rewrite()

    def clear(self) -> None:
        self.remove(len(self._texts))

    def close(self) -> None:
        with self._lock:
            if self._file:
                self._file.close()
            self._file = None

    def _append(self, line: str) -> None:
        if not self._folder:
            return
        try:
            # written again when it has changed: the disk was full, or another process took it over
            if not self._file or not os.path.exists(self._file.name) or os.fstat(self._file.fileno()).st_size != self._length:
                return self._rewrite()
            self._length += self._file.write(line.encode() + b"\n")
        except OSError as error:
            self._length = -1
            self._trouble(error)

    def _rewrite(self) -> None:
        """Writes what waits to a new file, then removes the old one. Without room on the disk the old one stays."""
        if not self._folder:
            return
        old = self._file
        path = os.path.join(self._folder, f"{time.time_ns() // 1_000_000:016d}-{uuid.uuid4().hex[:8]}.queue")
        text = "".join(text + "\n" for text in self._texts).encode()
        try:
            self._file = open(path, "ab", buffering=0)
            self._length = self._file.write(text)
            if self._length != len(text):
                raise OSError("the disk is full")
        except OSError as error:
            if self._file and self._file is not old:
                self._file.close()
                _remove(path)
            self._file, self._length = old, -1
            return self._trouble(error)
        self._lines = len(self._texts)
        if old:
            old.close()
            _remove(old.name)

    def _adopt(self) -> None:
        taken: list[str] = []
        for name in sorted(os.listdir(self._folder)):
            if not name.endswith(".queue"):
                continue
            # a process that still has this file sees by the new name that it is gone
            claimed = os.path.join(self._folder or "", f"{name[:16]}-{uuid.uuid4().hex[:8]}.queue")
            try:
                os.rename(os.path.join(self._folder or "", name), claimed)
                self._texts = list(dict.fromkeys([*self._texts, *_read(claimed)]))
            except OSError:
                continue  # another process was faster, or Windows keeps it for the one that has it
            taken.append(claimed)
        self._rewrite()
        if self._length >= 0:
            for path in taken:
                _remove(path)

    def _trouble(self, error: OSError) -> None:
        if not self._troubled:
            self._on_trouble(f"no statement can be kept in {self._folder}; they wait in memory only: {error}")
        self._troubled = True


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass  # it is gone


def _read(path: str) -> Iterable[str]:
    """Drops a torn line: `add` had not returned for it."""
    with open(path, "rb") as file:
        lines = file.read().decode(errors="replace").split("\n")[:-1]
    done = max((int(line) for line in lines if line.isdecimal()), default=0)
    return [text for text in [line for line in lines if not line.isdecimal()][done:] if _is_object(text)]


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
