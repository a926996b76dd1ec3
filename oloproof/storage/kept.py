"""Answers that are kept in memory because the next page asks for them again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


class Kept(Generic[Key, Made]):
    """The last few answers. Whoever asks for what another thread is making waits for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Key, Made] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, key: Key, make: Callable[[], Made]) -> Made:
        """Return what is kept under ``key``, made now if it is not."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            self._made.move_to_end(key)
            while len(self._made) > self._most:
                self._made.popitem(last=False)
            return self._made[key]
