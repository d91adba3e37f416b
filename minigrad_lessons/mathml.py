"""TeX as MathML, which browsers draw by themselves: for pages that must not ask the network for MathJax.

It knows the TeX that the lessons use and raises ValueError for any other; a test converts every formula there is.
"""

from __future__ import annotations

import re
from html import escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S")
_IDENTIFIERS = {
    "\\partial": "∂",
    "\\nabla": "∇",
    "\\max": "max",
    "\\cos": "cos",
    "\\sin": "sin",
    "\\exp": "exp",
    "\\log": "log",
}
_OPERATORS = {"\\cdot": "⋅", "\\sum": "∑", "\\approx": "≈", "-": "−", "'": "′", "\\to": "→", "\\times": "×"}
_SPACES = {"\\,": "0.17em", "\\;": "0.28em", "\\ ": "0.33em", "\\quad": "1em", "\\qquad": "2em"}
_PLAIN = set("+=()[]<>,;:/|!*.…")


def mathml(tex: str, block: bool = False) -> str:
    """A ``<math>`` element for a formula, `block` on a line of its own. Raises ValueError for TeX it does not know."""
    tokens = _TOKEN.findall(re.sub(r"\\text\{([^}]*)\}", lambda text: _text(text[1]), tex))[::-1]
    display = ' display="block"' if block else ""
    return f"<math{display}>{_row(tokens, '')}</math>"


def _text(words: str) -> str:
    r"""``\text{…}`` as letters of a private kind, so that its spaces and Chinese stay together."""
    return "\\textual" + "".join(f"{ord(char)}," for char in words) + ";"


def _row(tokens: list[str], end: str) -> str:
    """What stands before the token `end`, which is taken too; `tokens` are in reverse."""
    parts = []
    while tokens and tokens[-1] != end:
        parts.append(_scripted(tokens))
    if end and not tokens:
        raise ValueError(f"a formula without its {end}")
    if end:
        tokens.pop()
    return "".join(parts)


def _scripted(tokens: list[str]) -> str:
    """One thing with what stands above and below it at its right."""
    base, above, below = _atom(tokens), "", ""
    while tokens and tokens[-1] in ("^", "_", "'"):
        mark = tokens.pop()
        if mark == "_":
            below = _atom(tokens)
        else:
            above += _OPERATORS["'"].join(("<mo>", "</mo>")) if mark == "'" else _atom(tokens)
    if above and below:
        return f"<msubsup>{base}{below}<mrow>{above}</mrow></msubsup>"
    if above:
        return f"<msup>{base}<mrow>{above}</mrow></msup>"
    return f"<msub>{base}{below}</msub>" if below else base


def _atom(tokens: list[str]) -> str:
    if not tokens:
        raise ValueError("a formula ends too early")
    token = tokens.pop()
    if token == "{":
        return f"<mrow>{_row(tokens, '}')}</mrow>"
    if token in ("\\frac", "\\dfrac"):
        style = ' displaystyle="true"' if token == "\\dfrac" else ""
        return f"<mfrac{style}>{_atom(tokens)}{_atom(tokens)}</mfrac>"
    if token == "\\sqrt":
        return f"<msqrt>{_atom(tokens)}</msqrt>"
    if token == "\\hat":
        return f'<mover accent="true">{_atom(tokens)}<mo>^</mo></mover>'
    if token == "\\mathsf":
        return f'<mstyle mathvariant="sans-serif">{_atom(tokens)}</mstyle>'
    if token == "\\textual":
        codes = "".join(iter(tokens.pop, ";"))
        return f"<mtext>{escape(''.join(chr(int(code)) for code in codes.split(',') if code))}</mtext>"
    if token in _SPACES:
        return f'<mspace width="{_SPACES[token]}"></mspace>'
    if token in _IDENTIFIERS:
        return f"<mi>{_IDENTIFIERS[token]}</mi>"
    if token in _OPERATORS or token in _PLAIN:
        return f"<mo>{escape(_OPERATORS.get(token, token))}</mo>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token.isalpha():
        return f"<mi>{token}</mi>"
    raise ValueError(f"TeX that is not known here: {token}")
