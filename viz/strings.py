"""Text as a picture may show it: harmless, of known width, short enough.

Names and values come from the reader's own program, and a program's data may come from anywhere: nothing here trusts
them. Widths are estimated from a small table, so that a layout needs no font on the machine that makes it and is the
same on every machine.
"""

import re
import sys
import unicodedata
from contextlib import suppress
from functools import lru_cache

_BIDI = {chr(c) for c in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_PLAIN = str.maketrans({"∂": "d", "→": "->", "ᵢ": "i", "ⱼ": "j", "ₖ": "k", "ᵀ": ".T"})
#: Small raised letters, and the same of the usual size.
RAISED = dict(zip("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ⁿᵇᵃᵏᵖ", "-+0123456789nbakp"))
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}

# Advance widths in 1/1000 em of a wide UI face (Verdana and DejaVu Sans are the widest in common use), so that text
# fits its box in whichever face the reader's system has.
_LETTERS = {300: "ijl'|", 390: 'fIrt.,:;!()[]{}/\\ -`"', 690: "ABCKPRSTVXYZEFLJ&~+=<>#", 790: "wGOQDHNU", 950: "mM%@W"}
_SANS = {letter: wide for wide, letters in _LETTERS.items() for letter in letters}


def clean(text: object, limit: int = 40) -> str:
    """`text` on one line, without control characters or text-direction overrides, at most `limit` characters.

    What cannot be shown is written out (a newline as ``\\n``) or replaced by U+FFFD; a long text loses its middle.
    """
    text = str(text)
    if len(text) <= limit and text.isascii() and text.isprintable():  # nearly always
        return text
    if len(text) > limit:
        head = (limit - 1) * 2 // 3
        text = f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"
    return "".join(_visible(c) for c in text)


def _visible(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    # Cc control, Cs lone surrogate, Cn unassigned (XML refuses some of each); Zl and Zp break lines.
    if char in _BIDI or unicodedata.category(char) in ("Cc", "Cs", "Cn", "Zl", "Zp"):
        return "\ufffd"
    return char


def printable(text: str) -> str:
    """`text` in letters that the program's output has: a pipe of a Chinese Windows has no ∂, of an English one no →."""
    letters = getattr(sys.stdout, "encoding", None) or "utf-8"
    with suppress(UnicodeEncodeError):
        return text.encode(letters).decode(letters)
    return lowered(text, "^").translate(_PLAIN).encode(letters, "replace").decode(letters)


def lowered(text: str, sign: str) -> str:
    """``a**(n-1)`` of ``aⁿ⁻¹``, with `sign` for ``**``."""
    return re.sub(f"[{''.join(RAISED)}]+", lambda found: f"{sign}({''.join(RAISED[c] for c in found[0])})", text)


@lru_cache(maxsize=10_000)  # the same few words stand on most nodes
def width(text: str, size: float, mono: bool = False) -> float:
    """Width of `text` in pixels at font size `size`; a little more than most fonts need, never less."""
    return sum(_advance(c, mono) for c in text) * size / 1000


def _advance(char: str, mono: bool) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) == "Cf":
        return 0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 1250 if ord(char) >= 0x1F000 else 1000  # emoji are wider than Chinese characters
    if mono:
        return 605 if char < "\u2000" else 800
    return _SANS.get(char, 630 if char < "\u0370" else 800)
