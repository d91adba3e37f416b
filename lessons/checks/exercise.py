"""What every exercise check has in common: it never raises, and it speaks the learner's language.

A judge is a function of the learner's answers that returns a Verdict. `exercise` turns it into what the notebook
calls: ``check.slope(my_answer)`` prints one verdict, ``check.slope.hint(1)`` the first hint.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lessons import progress
from lessons.language import Says, speak


@dataclass(frozen=True)
class Verdict:
    """A mark and what to say beside it."""

    mark: str
    says: Says


def todo(en: str, zh: str) -> Verdict:
    """Nothing to judge yet."""
    return Verdict("⬜", Says(en, zh))


def right(en: str, zh: str) -> Verdict:
    """The answer holds; say why in a sentence."""
    return Verdict("✅", Says(en, zh))


def wrong(en: str, zh: str) -> Verdict:
    """The answer fails; show a case where it does, never the answer."""
    return Verdict("❌", Says(en, zh))


class Unreadable(Exception):
    """An answer of the wrong kind."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer


class Exercise:
    """One exercise: call it with your answer, or ask it for a hint."""

    def __init__(self, judge: Callable[..., Verdict], wants: Says, hints: list[Says]) -> None:
        self._judge, self._wants, self._hints = judge, wants, hints
        self.full_name = f"{judge.__module__.rpartition('.')[2]}.{judge.__name__}"
        self.__name__, self.__doc__ = judge.__name__, judge.__doc__
        self._takes = inspect.signature(judge)

    def __call__(self, *answers: Any, lang: str | None = None) -> None:
        """Print ⬜, ✅ or ❌ and why. Never raises, whatever the answers are."""
        if not answers or any(answer is ... for answer in answers):
            verdict = todo(
                f"Not answered yet. Replace `...` with {self._wants.en}, then run this cell again.",
                f"还没有作答。把 `...` 换成{self._wants.zh}，再运行一次这个单元格。",
            )
        elif not self._fits(answers):
            verdict = wrong(
                f"Call the check as the exercise's own cell does: {self!r}. Arguments here: {len(answers)}.",
                f"请按练习单元格里的写法调用：{self!r}。这里的参数个数：{len(answers)}。",
            )
        else:
            try:
                verdict = self._judge(*answers)
            except Exception as error:  # a learner may pass anything at all, and a check must still answer
                verdict = self._unreadable(answers[0], error)
        speak(verdict.mark, verdict.says, lang)
        if verdict.mark == "✅":
            progress.record(self.full_name)
        if verdict.mark == "❌" and self._hints:
            ask = f"check.{self.__name__}.hint(1)"
            speak("  ", Says(f"Stuck? Run `{ask}`.", f"卡住了？运行 `{ask}`。"), lang)

    def _fits(self, answers: tuple[Any, ...]) -> bool:
        try:
            self._takes.bind(*answers)
        except TypeError:
            return False
        return True

    def _unreadable(self, answer: Any, error: Exception) -> Verdict:
        shown = show(error.answer if isinstance(error, Unreadable) else answer)
        en, zh = (
            f"You gave {shown}. This exercise wants {self._wants.en}.",
            f"你给出的是 {shown}。这道题要的是{self._wants.zh}。",
        )
        if callable(answer) and not isinstance(error, Unreadable):
            said = f"{type(error).__name__}: {show_text(error)}"
            en, zh = f"Your function raised an error. {said}", f"你的函数运行时报错了。{said}"
        return wrong(en, zh)

    def hint(self, number: Any = 1, lang: str | None = None) -> None:
        """Print hint `number`, counted from 1; each says more than the one before."""
        last = len(self._hints)
        number = min(max(number, 1), last) if isinstance(number, int) else 1
        says = self._hints[number - 1]
        speak("💡", Says(f"Hint {number} of {last}. {says.en}", f"提示 {number}/{last}：{says.zh}"), lang)

    def __repr__(self) -> str:
        wanted = [name for name, part in self._takes.parameters.items() if part.default is part.empty]
        return f"check.{self.__name__}({', '.join(wanted)})"


def exercise(*, wants: tuple[str, str], hints: list[tuple[str, str]]) -> Callable[[Callable[..., Verdict]], Exercise]:
    """Turn a judge into an Exercise. `wants` is the shape of the answer, such as "one number"."""
    return lambda judge: Exercise(judge, Says(*wants), [Says(*hint) for hint in hints])


def number(answer: Any) -> float:
    """Read one finite number from an int, a float or a tensor of one element. Raises Unreadable."""
    try:
        if isinstance(answer, (bool, str, bytes)):
            raise Unreadable(answer)
        value = float(answer.item() if hasattr(answer, "item") else answer)
    except Exception as error:
        raise Unreadable(answer) from error
    if not math.isfinite(value):
        raise Unreadable(answer)
    return value


def trained(parameter: Any) -> float | Verdict:
    """The number that training arrived at, or the verdict for one that ran away."""
    value = float(parameter.item())
    if math.isfinite(value):
        return value
    return wrong(
        f"Training ran away: a parameter is {value}. Each step was larger than the one before; "
        "take a smaller learning rate.",
        f"训练发散了：有一个参数变成了 {value}。每一步都比前一步更大，请把学习率调小。",
    )


def numbers(answer: Any) -> list[float]:
    """Read a one-dimensional tensor as floats. Raises Unreadable."""
    try:
        return [number(value) for value in answer.tolist()]
    except Exception as error:
        raise Unreadable(answer) from error


def table(
    guesses: Any, truth: dict[str, Any], reasons: dict[str, tuple[str, str]], words: Sequence[Any] = ()
) -> Verdict:
    """Judge a dict of guesses, one for each key of `truth`; a wrong one gets its reason in both languages. Where only
    some `words` are answers, another word is not taken for one; True and False are asked for where all of `truth` are.
    """
    if not isinstance(guesses, dict):
        raise Unreadable(guesses)
    if lost := [key for key in truth if key not in guesses]:
        return wrong(
            f"The line `{lost[0]}` is missing. Change only what stands behind the colons.",
            f"缺了 `{lost[0]}` 这一行。只改冒号后面的内容，冒号前面请保持原样。",
        )
    if any(guess is ... for guess in guesses.values()):
        left = sum(guess is ... for guess in guesses.values())
        return todo(f"{left} of {len(truth)} still to answer.", f"{len(truth)} 项里还有 {left} 项没有作答。")
    if all(isinstance(value, bool) for value in truth.values()):
        words = (True, False)
    for key, guess in guesses.items():
        if words and not any(guess is word or (isinstance(guess, str) and guess == word) for word in words):
            return wrong(
                f"For `{key}` you said {show(guess)}. Answer with one of {', '.join(map(repr, words))}.",
                f"`{key}` 你写的是 {show(guess)}。请从这几个里选一个：{'、'.join(map(repr, words))}。",
            )
    failed = [key for key in truth if type(guesses[key]) is not type(truth[key]) or guesses[key] != truth[key]]
    if not failed:
        return right(f"All {len(truth)} are right.", f"{len(truth)} 项全对。")
    key, good = failed[0], len(truth) - len(failed)
    en, zh = reasons[key]
    return wrong(
        f"{good} of {len(truth)} are right. Look at `{key}`, where you said {show(guesses[key])}. {en}",
        f"{len(truth)} 项里对了 {good} 项。再看 `{key}`，你写的是 {show(guesses[key])}。{zh}",
    )


def show(answer: Any) -> str:
    """A short text for any object at all, even one whose `repr` fails."""
    return _short(repr, answer)


def show_text(answer: Any) -> str:
    """As `show`, with `str`."""
    return _short(str, answer)


def _short(as_text: Callable[[Any], str], answer: Any) -> str:
    try:
        text = " ".join(as_text(answer).split())
    except Exception:
        text = f"an object of type {type(answer).__name__}"
    return text if len(text) <= 120 else text[:117] + "..."
