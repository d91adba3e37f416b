"""What the lessons say to a reader, in the reader's language: `viz.language` knows which that is."""

from __future__ import annotations

from dataclasses import dataclass

LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Says:
    """The same words in both languages."""

    en: str
    zh: str

    def __str__(self) -> str:
        """The words for this reader, for a button or a picture."""
        return " · ".join(self.lines())

    def lines(self) -> list[str]:
        """The same, each language that is spoken by itself."""
        return [getattr(self, lang) for lang in spoken()]


def spoken(lang: str | None = None) -> tuple[str, ...]:
    """The languages to speak: `lang` where it is one, else the reader's, else both."""
    if lang in LANGUAGES:  # `minigrad doctor` gets this far where viz cannot be imported
        return (lang,)
    from viz import language

    return language.spoken(lang)


def speak(mark: str, says: Says, lang: str | None = None) -> None:
    """Print a sentence to the reader, each language that is spoken on a line of its own."""
    for number, language in enumerate(spoken(lang)):
        print(mark if number == 0 else "  ", getattr(says, language))
