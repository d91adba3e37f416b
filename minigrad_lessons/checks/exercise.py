"""What every exercise check has in common: it never raises, and it speaks the learner's language.

A judge is a function of the learner's answers that returns a Verdict. `exercise` turns it into what the notebook
calls: ``check.slope(my_answer)`` prints one verdict, ``check.slope.hint(1)`` the first hint.
"""

from __future__ import annotations

import ast
import inspect
import math
import sys
import textwrap
from ast import literal_eval
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import CodeType
from typing import Any
from unicodedata import normalize

from minigrad_lessons import progress
from minigrad_lessons.language import Says, speak


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


class Refused(Exception):
    """A verdict from inside a judge's helper."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__()
        self.verdict = verdict


class Raised(Exception):
    """The learner's own code raised `error`."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the learner's function gives, or Raised: so no error of a judge's own is taken for the learner's."""
    if not callable(function):
        raise Unreadable(function)
    try:
        result = function(*arguments)
    except Exception as error:
        # what another function of theirs returned, or what was to be stored; numpy names it of an index, too
        if "ellipsis" in str(error).replace("ellipsis (`...`)", ""):
            raise Refused(todo(f"A `...` is left: {error}.", f"还有 `...` 没有换掉：{error}。")) from error
        raise Raised(error) from error
    if unanswered(result):
        name = getattr(function, "__name__", "")
        said, said_zh = (f"`{name}`", f"`{name}` ") if name.isidentifier() else ("Your function", "你的函数")
        raise Refused(
            todo(f"{said} still returns `...`. Put your code there.", f"{said_zh}返回的还是 `...`。请换成你的代码。")
        )
    return result


def run_backward(loss: Any) -> None:
    """Backward from what the learner's function returned, which is for the check to do."""
    try:
        run(loss.backward)
    except Raised as raised:
        if "through the graph a second time" not in str(raised.error):
            raise
        raise Refused(
            wrong(
                "The loss you return has been through backward() already. Only return it; the check calls backward().",
                "你返回的损失已经做过反向传播了：请去掉 backward()，只返回损失，检查时会调用。",
            )
        ) from raised


def unanswered(answer: Any) -> bool:
    """Whether it is `...`, or a list with `...` in it."""
    return answer is ... or (isinstance(answer, (list, tuple)) and any(part is ... for part in answer))


class Exercise:
    """One exercise: call it with your answer, or ask it for a hint."""

    def __init__(self, judge: Callable[..., Verdict], wants: Says, hints: list[Says]) -> None:
        self._judge, self._wants, self.hints = judge, wants, hints
        self.hinted = 0  # the number of the last hint that was asked for
        self.full_name = f"{judge.__module__.rpartition('.')[2]}.{judge.__name__}"
        self.__name__, self.__doc__ = judge.__name__, judge.__doc__
        own = judge.__module__ == "__main__"  # a teacher's, in the notebook itself
        self._written = judge.__name__ if own else f"check.{judge.__name__}"
        self._takes = inspect.signature(judge)

    def __call__(self, *answers: Any, lang: str | None = None) -> None:
        """Print ⬜, ✅ or ❌ and why. Never raises, whatever the answers are."""
        # my_answer = 4, and w.grad.tolist()
        answers = tuple(one[0] if type(one) in (tuple, list) and len(one) == 1 else one for one in answers)
        if not answers or any(map(unanswered, answers)):
            verdict = todo(
                f"Not answered yet. Replace `...` with {self._wants.en}, then run this cell again.",
                f"还没有作答。把 `...` 换成{self._wants.zh}，再运行一次这个单元格。",
            )
        elif not self._fits(answers):
            verdict = wrong(
                f"Call the check as the exercise's own cell does: {self!r}. Arguments here: {len(answers)}.",
                f"请按练习单元格里的写法调用：{self!r}。你这次传了 {len(answers)} 个参数。",
            )
        else:
            try:
                verdict = self._judge(*answers)
            except Refused as refused:
                verdict = refused.verdict
            except Exception as error:  # a learner may pass anything at all, and a check must still answer
                verdict = self._unreadable(answers, error)
            if verdict.mark == "❌" and self._untouched(answers[0]):
                verdict = todo(f"Not changed yet. {verdict.says.en}", f"答案还和开始时一样。{verdict.says.zh}")
        speak(verdict.mark, verdict.says, lang)
        if verdict.mark == "✅":
            progress.record(self.full_name)
        if verdict.mark == "❌":
            progress.refused(self.full_name, verdict.says, self.hinted)
        if verdict.mark == "❌" and self.hints:
            ask = f"{self._written}.hint({min(self.hinted + 1, len(self.hints))})"
            speak("  ", Says(f"Stuck? Run `{ask}`.", f"卡住了？运行 `{ask}`。"), lang)

    def holds(self, *answers: Any) -> bool:
        """Whether these answers are right; prints nothing, and keeps nothing of it."""
        try:
            return self._judge(*answers).mark == "✅"
        except Exception:
            return False

    def _fits(self, answers: tuple[Any, ...]) -> bool:
        try:
            self._takes.bind(*answers)
        except TypeError:
            return False
        return True

    def _untouched(self, answer: Any) -> bool:
        """Whether a function says, comments aside, what the exercise's cell says before anybody has answered."""
        if not inspect.isfunction(answer):
            return False
        try:  # what the learner wrote: a live panel may have had it compiled otherwise
            said = ast.parse(textwrap.dedent(inspect.getsource(answer)))
        except (OSError, SyntaxError):
            return False
        starts = map(ast.dump, ast.parse(progress.stub(self.full_name)).body)
        return ast.dump(said.body[0]) in starts

    def _unreadable(self, answers: tuple[Any, ...], error: Exception) -> Verdict:
        if isinstance(error, Raised):
            says = explained(error.error)
            what, what_zh = ("code", "代码") if isinstance(answers[0], str) else ("function", "函数")
            return wrong(f"Your {what} raised an error. {says.en}", f"你的{what_zh}运行时报错了。{says.zh}")
        answer = error.answer if isinstance(error, Unreadable) else answers[0]
        if callable(answers[0]) and not any(answer is given for given in answers):
            gave, gave_zh = f"Your function returned {show(answer)}", f"你的函数返回的是 {show(answer)}"
        else:
            gave, gave_zh = f"You gave {show(answer)}", f"你给出的是 {show(answer)}"
        return wrong(f"{gave}. This exercise wants {self._wants.en}.", f"{gave_zh}。这道题要的是{self._wants.zh}。")

    def hint(self, number: Any = None, lang: str | None = None) -> None:
        """Print hint `number`, counted from 1, or the next one; each says more than the one before."""
        last = len(self.hints)
        self.hinted = min(max(number if isinstance(number, int) else self.hinted + 1, 1), last)
        says = self.hints[self.hinted - 1]
        start, start_zh = f"Hint {self.hinted} of {last}.", f"提示 {self.hinted}/{last}："
        speak("💡", Says(f"{start} {says.en}", f"{start_zh}{says.zh}"), lang)

    def __repr__(self) -> str:
        wanted = [name for name, part in self._takes.parameters.items() if part.default is part.empty]
        return f"{self._written}({', '.join(wanted)})"


def exercise(*, wants: tuple[str, str], hints: list[tuple[str, str]]) -> Callable[[Callable[..., Verdict]], Exercise]:
    """Turn a judge into an Exercise. `wants` is the shape of the answer, such as "one number"."""
    return lambda judge: Exercise(judge, Says(*wants), [Says(*hint) for hint in hints])


def mentions(function: Any, *names: str) -> bool:
    """Whether a function's code has one of the `names`, as an attribute, a variable or a named argument; or that of a
    function which it calls by its name, where the learner has written that one, too.
    """
    said: list[Any] = [getattr(function, "__code__", None)]
    own, known = getattr(function, "__globals__", {}), set()
    for part in said:  # which grows meanwhile
        if isinstance(part, CodeType):
            said += (*part.co_names, *part.co_consts)
        elif type(part) is tuple:
            said += part
        elif isinstance(part, str) and part not in known:
            known.add(part)
            other = own.get(part)
            if inspect.isfunction(other) and other.__globals__ is own:
                said.append(other.__code__)
    return not known.isdisjoint(names)


def made_without(found: Any, again: Callable[[], Any]) -> bool:
    """Whether `again` gives the numbers `found` once more where backward reads 0 for each value that was saved: then no
    gradient led to them, even if one was computed.
    """
    reads = 0

    def zero(saved: Any) -> Any:
        nonlocal reads
        reads += 1
        if reads > 1000:  # a loop may wait for a loss that stays where it is
            raise RuntimeError
        return saved * 0

    def same() -> bool:
        with ExitStack() as blind, redirect_stdout(StringIO()):
            for library in {"minigrad", "torch"} & sys.modules.keys():
                hooks = sys.modules[library].autograd.graph.saved_tensors_hooks
                blind.enter_context(hooks(lambda saved: saved, zero))
            return close(again(), found)

    try:
        if sys.platform == "emscripten":  # which has no threads
            return same()
        with ThreadPoolExecutor(1) as apart:  # where no live panel follows: what it would show are these zeros
            return apart.submit(same).result()
    except Exception:
        return False


def explained(error: Exception) -> Says:
    """An error with all that its library says of it, and with a word on the commonest of Python's own."""
    said = f"{type(error).__name__}: {show_text(error, 2000)}"
    if hints := sys.modules.get("minigrad.hints"):  # a lesson can also be run on PyTorch
        hints.add_nearest(error)
    ended = said.endswith((".", "?", "!"))
    en, zh = [said if ended else said + "."], [said if ended else said + "。"]
    for english, chinese in getattr(error, "_hints", ()):
        en.append(english)
        zh.append(chinese)
    if any(f"'NoneType' object has no attribute '{name}'" in said for name in ("next_functions", "inputs", "variable")):
        en.append("A node here is None: where no gradient goes on, next_functions has (None, 0). Leave that one out.")
        zh.append("这里有个节点是 None：梯度不再往下传的地方，next_functions 里是 (None, 0)，请跳过它。")
    elif isinstance(error, (AttributeError, TypeError)) and "'NoneType'" in said:
        en.append(
            "Something here is None. The .grad of a leaf is None before a backward has filled it, and after "
            "w.grad = None; that of a result is None unless you called retain_grad()."
        )
        zh.append(
            "这里有个值是 None。叶子的 .grad 在反向传播写入之前、或者执行 w.grad = None 之后是 None；"
            "运算结果的 .grad 默认也是 None，除非调用过 retain_grad()。"
        )
    return Says(" ".join(en), " ".join(zh).replace("。 ", "。"))


def close(found: Any, truth: Any, within: float = 1e-4) -> bool:
    """Whether two numbers, or two lists of them, are the same but for rounding."""
    if isinstance(truth, (list, tuple)):
        return len(found) == len(truth) and all(close(a, b, within) for a, b in zip(found, truth, strict=True))
    return abs(found - truth) <= within * max(1.0, abs(truth))


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


def parts(answer: Any, count: int) -> Sequence[Any]:
    """Read so many of anything from a list, a tuple, an array or a tensor. Raises Unreadable."""
    found = answer.tolist() if hasattr(answer, "tolist") else answer
    if not isinstance(found, (list, tuple)) or len(found) != count:
        raise Unreadable(answer)
    return found


def numbers(answer: Any) -> list[float]:
    """Read a one-dimensional tensor as floats. Raises Unreadable."""
    try:
        return [number(value) for value in answer.tolist()]
    except Exception as error:
        raise Unreadable(answer) from error


BY_HAND = wrong(
    "The numbers are right, but no gradient led to them: with other gradients they would be the same.",
    "数是对的，可是没有用到梯度：换了别的梯度，得到的还是这些数。",
)


def plain(value: Any) -> Any:
    """A tensor or an array as Python's numbers."""
    return value.tolist() if hasattr(value, "tolist") else value


def choose(answer: Any, options: Sequence[Any]) -> Any:
    """Which of the `options` is meant, however it is typed: " Up。" is "up", "None" is None. Else the answer itself."""
    said = folded(answer)
    return next((option for option in options if folded(option) == said), answer)


def folded(word: Any) -> str:
    """A word as `choose` compares it: without case, blanks, quotes and stops."""
    try:
        word = plain(word)
        text = f"{word:g}" if isinstance(word, float) else str(word)
    except Exception:  # a learner may give anything at all
        return ""
    return "".join(normalize("NFKC", text).casefold().split()).strip(",.;:!?。、\"'“”‘’「」")


class Table(dict[str, Any]):
    """The right answers of an exercise, line by line, and what to say of a wrong one, both from `tables.md`.

    For each line that was missed one of the `spare` ones is dealt: guessing on does not help.
    """

    def __init__(self, name: str) -> None:
        sections = _TABLES.read_text(encoding="utf-8").split("\n## ")
        lines, spare = (_rows(sections, heading) for heading in (name, f"{name}: spare lines"))
        super().__init__({line: literal_eval(answer) for line, (answer, *_) in lines.items()})
        self.spare = {line: literal_eval(answer) for line, (answer, *_) in spare.items()}
        self.reasons = {line: reasons for line, (_, *reasons) in (lines | spare).items()}
        self.missed: list[str] = []

    def all(self) -> dict[str, Any]:
        """The spare lines, too."""
        return {**self, **self.spare}


_TABLES = Path(__file__).with_name("tables.md")


def _rows(sections: list[str], heading: str) -> dict[str, list[str]]:
    """The rows below a heading: what stands beside each line."""
    text = next((section for section in sections if section.startswith(f"{heading}\n")), "")
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines() if row.startswith("| `")]
    return {line.strip("`"): beside for line, *beside in rows}


def table(guesses: Any, truth: Table, *, why: tuple[str, str], words: Sequence[Any] = ()) -> Verdict:
    """Judge a dict of guesses, one for each key of `truth`; a wrong one gets its reason in both languages, and a table
    without one the rule behind it, `why`. Where only some `words` are answers, another word is not taken for one; True
    and False are asked for where all of `truth` are.
    """
    if not isinstance(guesses, dict):
        raise Unreadable(guesses)
    if lost := [key for key in truth if key not in guesses]:
        return wrong(
            f"The line `{lost[0]}` is missing. Change only what comes after the colons.",
            f"缺了 `{lost[0]}` 这一行。只改冒号后面的内容，冒号前面请保持原样。",
        )
    if all(isinstance(value, bool) for value in truth.values()):
        words = (True, False)
    guesses = {key: choose(guess, words) if words else plain(guess) for key, guess in guesses.items()}
    asked = {key: answer for key, answer in truth.all().items() if key in guesses}
    if left := [key for key in asked if guesses[key] is ...]:
        count = len(asked)
        return todo(f"{len(left)} of {count} still to answer.", f"{count} 项里还有 {len(left)} 项没有作答。")
    for key, guess in guesses.items():
        if words and not any(guess is word for word in words):
            return wrong(
                f"For `{key}` you said {show(guess)}. Answer with one of {', '.join(map(repr, words))}.",
                f"`{key}` 你写的是 {show(guess)}。请从这几个里选一个：{'、'.join(map(repr, words))}。",
            )
    failed = [key for key in asked if type(guesses[key]) is not type(asked[key]) or guesses[key] != asked[key]]
    if failed:
        key, good = failed[0], len(asked) - len(failed)
        truth.missed += [] if key in truth.missed else [key]
        en, zh = truth.reasons[key]
        return wrong(
            f"{good} of {len(asked)} are right. Look at `{key}`, where you said {show(guesses[key])}. {en}",
            f"{len(asked)} 项里对了 {good} 项。再看 `{key}`，你写的是 {show(guesses[key])}。{zh}",
        )
    if dealt := [key for key in list(truth.spare)[: len(truth.missed)] if key not in guesses]:
        line = f'"{dealt[0]}": ...,'
        return todo(
            f"All {len(asked)} are right now. For what you missed, one more of its kind: add the line {line}",
            f"{len(asked)} 项都对了。刚才答错过，再来一道同类的：请加上这一行 {line}",
        )
    return right(f"All {len(asked)} are right. {why[0]}", f"{len(asked)} 项全对。{why[1]}")


def refused(
    function: Any,
    message: str,
    en: str,
    zh: str,
    harmless: Callable[[Any], tuple[str, str]] = lambda result: ("", ""),
) -> Verdict:
    """Run what the learner wrote to be refused; right when it raises the wanted message. `harmless` tells what a result
    says of why nothing was refused."""
    try:
        result = run(function)
    except Refused:  # it goes on to the end, and there is no answer there
        return wrong(
            "It runs without an error and returns `...`. Put your line in its place.",
            "运行没有报错，返回的是 `...`。把它换成你的代码。",
        )
    except Raised as raised:
        if message in show_text(raised.error, 2000):
            return right(en, zh)
        says = explained(raised.error)
        return wrong(f"It fails, but with another error. {says.en}", f"确实报错了，但不是这一个。{says.zh}")
    why, why_zh = harmless(result)
    return wrong(f"No error: it returned {show(result)}. {why}".rstrip(), f"没有报错，返回了 {show(result)}。{why_zh}")


def show(answer: Any) -> str:
    """A short text for any object at all, even one whose `repr` fails."""
    return _short(repr, answer, 120)


def show_text(answer: Any, length: int = 120) -> str:
    """As `show`, with `str`."""
    return _short(str, answer, length)


def _short(as_text: Callable[[Any], str], answer: Any, length: int) -> str:
    if answer is ...:
        return "..."
    try:
        text = " ".join(as_text(answer).split())
    except Exception:
        text = f"an object of type {type(answer).__name__}"
    return text if len(text) <= length else text[: length - 3] + "..."
