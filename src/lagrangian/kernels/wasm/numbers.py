"""Numbers, names and lists as WebAssembly writes them: integers in LEB128, seven bits a byte, the least first."""

from __future__ import annotations

from collections.abc import Sequence


class Reader:
    """Reads a part of a binary file from its beginning on."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def __bool__(self) -> bool:
        """Whether there is more to read."""
        return self.at < len(self.data)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def unsigned(self) -> int:
        found, _ = self._leb()
        return found

    def signed(self) -> int:
        found, bits = self._leb()
        return found - (1 << bits) if found >> (bits - 1) else found

    def _leb(self) -> tuple[int, int]:
        """The bits of an integer, and how many there are."""
        found = shift = 0
        while True:
            byte = self.byte()
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return found, shift

    def name(self) -> str:
        return self.bytes(self.unsigned()).decode()


def unsigned(n: int) -> bytes:
    found = bytearray()
    while n >= 0x80:
        found.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*found, n])


def signed(n: int) -> bytes:
    found = bytearray()
    while not -0x40 <= n < 0x40:
        found.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*found, n & 0x7F])


def name(text: str) -> bytes:
    return unsigned(len(text.encode())) + text.encode()


def listed(items: Sequence[bytes]) -> bytes:
    """A list, after its length."""
    return unsigned(len(items)) + b"".join(items)
