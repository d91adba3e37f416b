# ruff: noqa: E501 (a table)
"""What `viz` shows, beside torchviz, torchlens and torchvista: each row a cell of the gallery that is run, each answer
of a peer found by running the peer.

`python docs/gallery/build.py` writes features.md from this; tests/viz/test_features.py runs every row again. torchviz
has a feature where the DOT text that it writes for the same tensors, with its options on, holds the row's sign.

torchlens and torchvista draw the run of a model, and not a tensor's graph: peers.py gives them a model that does what
the cells do, and they have a feature where what they make of it holds the sign. (micrograd's ``draw_dot`` is a function
in an example notebook and draws micrograd's own scalars; there is nothing to install and to run here.)
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))  # for tests/
from tests.browsers import CHROMIUM

NO = "–"


@dataclass(frozen=True)
class Feature:
    """A row: the gallery's `cell` of that tag, whose result `shows` a pattern; what torchviz is asked, an expression
    over the cell's variables; the patterns that its answer, and what torchlens and torchvista make of a model, hold if
    they can do the same. Without a pattern the question makes no sense for that peer."""

    cell: str
    en: str
    zh: str
    shows: str
    torchviz: str = ""
    sign: str = ""
    torchlens: str = ""
    torchvista: str = ""
    line: str = ""  # where it is not the last of the cell
    typed: str = ""  # what the table shows for it, where the cell does it for itself alone
    lacks: bool = False  # viz cannot: what `shows` the thing in a peer is not in its result


FEATURES = [
    Feature("names", "names by themselves", "自动取变量名", ">w<", "dot(z)", r'"w\b', r"<B>w</B>|w \(", torchvista=">w<"),
    Feature("explicit names", "names given", "指定名字", ">y, my result<", 'dot(y, params={"my": r})', r'"my\b', torchlens=r"@output\.my result", torchvista=">my_result<"),
    Feature("explicit names", "two names of one tensor", "一个张量的两个名字", ">r = again<", 'dot(y, params={"r": r, "again": again})', r"r\b.*again"),
    Feature("pytorch", "PyTorch's graph", "PyTorch 的计算图", ">MulBackward0<", "dot(z)", "MulBackward0", "mul_back", torchvista="Backward|_back"),
    Feature("names", "minigrad's graph", "minigrad 的计算图", ">MulBackward0<", "dot(z)", "MulBackward0"),
    Feature("values", "large values summarised", "概括大张量的数值", r"value mean 5\.5, largest 11\.", "dot(total)", "mean"),
    Feature("gradients", "values and gradients", "数值和梯度", r">grad</text><text[^>]*>\[3\]<", "dot(z, saved=False)", r"3\.", r">\[?3\.", torchvista=r">\[?3\."),
    Feature("accumulated", "gradients accumulated twice", "累加两次的梯度", r">grad</text><text[^>]*>\[6\]<", "dot(z, saved=False)", r"6\.", r">\[?6\.", torchvista=r">\[?6\."),
    Feature("modules", "shapes of results", "每个结果的形状", r">\(1, 2\)<", "line(dot(loss), 'TanhBackward0')", r"\(1, 2\)", r"\(1, 2\)", torchvista=r">\(1, 2\)<"),
    Feature("formula", "formulas and derivatives", "公式与导数", "∂L/∂a = g · b", "dot(q)", "∂|d/d", "∂|d/d", torchvista="∂|d/d"),
    Feature("order", "order of forward and backward", "前向与反向的次序", "→ 3  ← 1", "dot(q)", "→|order|seq", r"_back_\d+_[123]\b", torchvista=r">\d+: |→"),
    Feature("saved", "saved tensors by slot", "逐项列出保存的张量", ">self = a ", "dot(kept)", r"self *: *\[saved tensor", r"self\b.*saved", torchvista=r"self\b.*saved"),
    Feature("freed", "… freed", "……已释放", ">self: freed<", "dot(freed)", "freed", "freed", torchvista="freed"),
    Feature("changed", "… changed in place since", "……之后被原地修改", "changed since", "dot(changed)", "changed", "changed", torchvista="changed"),
    Feature("version", "… the version they were saved at", "……保存时的版本", r" v1<", "dot(later)", r"version|v1\b", r"version|v1\b", torchvista=r"version|v1\b"),
    Feature("failed", "where backward failed", "反向传播在哪里出错", "backward stops here", "dot(once, saved=False)", "second time|fail|error", "second time", torchvista="second time"),
    Feature("custom", "own Functions told apart", "区分自定义 Function", 'class="node custom"', "line(dot(y), 'CubeBackward')", "color|shape|style", torchlens=r"cube.*\[custom\]", torchvista="Cube"),
    Feature("output number", "which output an edge takes", "边取自第几个输出", ">output 2<", "dot(y)", r"->.*(label|2\])"),
    Feature("untracked", "inputs without gradient", "不需要梯度的输入", ">features<", "dot(y)", "features", "input_1", torchvista=">权重<"),
    Feature("detach", "where detach() cuts", "detach() 切断之处", ">detached<", "dot(y)", "detach", "detach_1", torchvista=">detach<", lacks=True),
    Feature("no_grad", "results made under no_grad()", "no_grad() 中的结果", ">scale<", "dot(y)", "scale", "div_1", torchvista=">__truediv__<"),
    Feature("hooks", "hooks", "钩子", ">hook double<", "dot(y)", "double|hook", "hook", torchvista="hook"),
    Feature("several outputs", "several outputs, nodes shared", "多个输出共用节点", '(?s)op output.*op output', "dot((loss_d, loss_g))", r"(?s)SumBackward0.*SumBackward0", torchlens=r"(?s)@output\.my result.*@output\.other", torchvista="(?s)>my_result<.*>other<"),
    Feature("custom", "tooltips", "悬停提示", "<title>op1 CubeBackward", "dot(y)", "tooltip", "tooltip", torchvista="<title"),
    Feature("modules", "modules framed", "模块加框", r">net\.0\.\*<", "dot(loss, params=dict(net.named_parameters()))", "subgraph", "subgraph cluster", torchvista='class="boundary-box"'),
    Feature("module as a node", "a module as one node", "一个模块画成一个节点", 'data-id="module1"', "parameters", "module", "<B>@layers</B>", "layers as one node: True"),
    Feature("modules", "parameters named by themselves", "参数自动命名", r">net\.0\.weight<", "dot(loss)", "weight", r"params?: .*w\b", torchvista=">weight<|>w<"),
    Feature("chinese", "Chinese names", "中文变量名", ">权重<", 'dot(预测值, params={"权重": 权重})', "权重", torchlens="权重", torchvista=">权重<"),
    Feature("copy slices", "in-place writes (CopySlices)", "原地修改（CopySlices）", ">CopySlices<", "dot(written)", "CopySlices", torchlens="copyslices", torchvista=">__setitem__<"),
    Feature("double backward", "graphs of gradients", "梯度的计算图", 'data-id="op3"', "dot(slope)", "(?s)Backward0.*Backward0.*Backward0"),
    Feature("fold", "a loop folded and counted", "循环折叠并计数", "98 × repeated", "dot(h)", "×|repeat", r"\(x10\)", torchvista="(?s)compressed:(?!(.*>tanh<){10})"),
    Feature("equal layers", "equal layers folded and counted", "相同的层折叠并计数", "[0-9] × repeated", "dot(equal(torch.ones(1, 2)))", "×|repeat", r"\+9 more", "compressed:.*REPEAT 10x"),
    Feature("unfold", "a group unfolded", "展开一组", 'data-id="op40"'),
    Feature("around", "a part: around a node", "局部：某节点周围", 'data-id="op100"', "parameters", "around|node", torchvista="parameters:.*(around|node_name)"),
    Feature("depth", "a part: so many steps", "局部：若干步", "operations<", "parameters", "depth|steps", torchvista="parameters:.*steps"),
    Feature("max_nodes", "a part: at most so many nodes", "局部：限制节点数", "operations<", "parameters", "max_nodes|limit", torchvista="parameters:.*(max_|limit)"),
    Feature("large", "100,000 operations", "十万次运算", "operations<|repeated<", "dot(v)", "SinBackward0", torchvista=r"large: (?P<error>\w+Error)"),
    Feature("timeout", "a slow layout is stopped", "布局超时就停止", "did not finish the layout", "parameters", "timeout", torchvista="parameters:.*timeout", typed="viz.options.timeout = 0.5"),
    Feature("untrusted", "names are only text", "名字只是文字", "&lt;script&gt;", 'dot(k * 2, params={"<script>": k})', "script", torchlens=r"alert\(1\)", torchvista="a name with tags: [1-9]"),
    Feature("record", "a backward pass recorded", "录制一次反向传播", "AccumulateGrad", "names", "record", "_back_", torchvista="Backward|_back"),
    Feature("text", "text, the same in each run", "文字版，每次相同", r"op1 MulBackward0 -> ", "str(dot(w * x) == dot(w * x))", "True", torchlens="the same again: True"),
    Feature("no dot", "a picture without a dot program", "没有 dot 程序也能画", "<svg", "without_program(z)", "<svg", torchlens=r"without dot: (?P<error>\w+Error)", torchvista="<svg", line='viz.draw(z)'),
    Feature("pytorch", "light and dark in one file", "一个文件适应明暗主题", "prefers-color-scheme", "dot(z)", "color-scheme|class=", "color-scheme|class=", torchvista="color-scheme|class=.dark"),
    Feature("pytorch", "title and text for screen readers", "供屏幕阅读器的标题与描述", "<desc", "dot(z)", "desc|tooltip", torchvista="<desc|<title|aria-"),
    Feature("png and pdf", "SVG", "SVG", "<svg", "formats", r"\bsvg\b", torchlens="wrote svg: True", torchvista="wrote svg: True", line='viz.draw(z).save("graph.svg")'),
    Feature("png and pdf", "DOT", "DOT 文本", "digraph", "formats", r"\bdot\b", torchlens="wrote dot: True", torchvista="wrote dot: True", line='viz.draw(z).save("graph.dot")'),
    Feature("png and pdf", "PNG", "PNG", "PNG", "formats", "png", torchlens="wrote png: True", torchvista="wrote png: True", line='viz.draw(z).save("graph.png")'),
    Feature("png and pdf", "PDF", "PDF", "%PDF", "formats", "pdf", torchlens="wrote pdf: True", torchvista="wrote pdf: True", line='viz.draw(z).save("graph.pdf")'),
    Feature("json", "JSON", "JSON", '"roots"', "formats", "json", torchlens="wrote json: True", torchvista="wrote json: True", line='viz.draw(z).save("graph.json")'),
    Feature("html page", "HTML", "HTML", "<!doctype html>", "formats", "html", torchlens="wrote html: True", torchvista="wrote html: True", line='viz.draw(z).save("graph.html")'),
    Feature("html page", "nothing asked of the network", "不联网", r"(?s)^(?!.*https?://(?!www\.w3\.org)).*vizLive", "str('http' not in dot(loss))", "True", torchlens=r"of the network: \[\]", torchvista=r"of the network: \[\]", line='viz.draw(loss).save("graph.html")'),
    Feature("html page", "a page with a card for each node", "每个节点都能点开卡片的网页", 'vizLive', "formats", "html", torchlens="listens to:.*click", torchvista="card: torch", line='viz.draw(z).save("graph.html")'),
    Feature("html page", "zoom and pan in that page", "网页里缩放和平移", r"stage\.zoom", torchlens="listens to:.*wheel", torchvista="zooms: True", line='viz.draw(loss).save("graph.html")'),
    Feature("fold", "modules or groups opened there by a click", "网页里点击展开模块或分组", '"op100"', torchlens="listens to:.*click", torchvista="opens: True", line='viz.draw(h).save("graph.html")'),
    Feature("modules", "settings of modules (in_features, …)", "模块的设置（in_features 等）", "in_features", "dot(loss)", "in_features", "in_features", "in_features", line='viz.draw(loss).save("graph.html")', lacks=True),
    Feature("no_grad", "operations inside no_grad()", "no_grad() 里的运算", 'data-id="op2"', "dot(y)", "(?s)Mul.*Mul", "div_1", ">__truediv__<", lacks=True),
    Feature("modules", "time and memory of each operation", "每个运算的耗时和内存", r"\d ?(µs|us|kB|B)\b", "dot(loss)", r"\d ?(µs|us|kB|B)\b", r">t=[\d.]+ .?s<", r"\d ?(µs|us|kB|B)\b", line='viz.draw(loss).save("graph.html")', lacks=True),
    Feature("panel", "a forward pass that failed, as far as it came", "出错的前向：画到出错为止", r"✕ shapes \(1, 2\), \(3, 1\)", torchlens="linear_1_2_raw.*\n.*tanh|shapes cannot be multiplied", torchvista='class="node error', line="viz.live()"),
    Feature("panel", "the code beside the picture", "图旁边显示代码", '"lines": .*h @ w', torchlens="the code beside it: True", torchvista="register_hook", line="viz.live()"),
]  # fmt: skip


def shown(result: Any, printed: str) -> str:
    """What a cell's result and print show: text, SVG, Markdown."""
    parts = [printed, repr(result)]
    if isinstance(result, Path):
        parts.append(result.read_bytes().decode("utf-8", "replace"))
    for name in ("svg", "data"):
        parts.append(str(getattr(result, name, "")))
    return "\n".join(parts)


def ask_torchviz(feature: Feature, variables: Mapping[str, Any]) -> str:
    """``yes`` where torchviz's answer holds the sign; else "–", or the error that it ends with."""
    if not feature.torchviz:
        return NO  # there is nothing of the kind to ask for
    asked: dict[str, Any] = {**variables, **_torchviz()}
    try:
        answer = eval(feature.torchviz, asked)
    except Exception as error:
        return f"`{type(error).__name__}`"
    return "yes" if re.search(feature.sign, answer) else NO


def _torchviz() -> dict[str, Any]:
    """What the questions are written in."""
    import graphviz
    import torchviz

    def dot(outputs: Any, params: Any = None, saved: bool = True) -> str:
        return torchviz.make_dot(outputs, params=params, show_attrs=saved, show_saved=saved).source

    def line(text: str, word: str) -> str:
        return next(part for part in text.splitlines() if word in part)

    def without_program(output: Any) -> str:
        with mock.patch.dict(os.environ, PATH=""):
            return torchviz.make_dot(output).pipe(format="svg").decode()

    return {
        "dot": dot,
        "line": line,
        "without_program": without_program,
        "parameters": " ".join(inspect.signature(torchviz.make_dot).parameters),
        "names": " ".join(vars(torchviz)),
        "formats": " ".join(graphviz.FORMATS),
    }


def ask(peer: str, sign: str) -> str:
    """``yes`` where what the peer makes of the model holds the sign; the error that the sign finds there."""
    if not sign:
        return ""
    found = re.search(sign, _made_of_the_model(peer))
    if found is None:
        return NO
    return f"`{found['error']}`" if "error" in found.groupdict() else "yes"


@cache
def _made_of_the_model(peer: str) -> str:
    command = [sys.executable, Path(__file__).with_name("peers.py"), peer]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout


def _panel() -> str:
    """What the live panel shows after a cell whose last operation fails."""
    from IPython.core.interactiveshell import InteractiveShell

    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.kernel = None  # what tells a notebook from a terminal
    with redirect_stdout(StringIO()):
        shell.run_cell("import torch, viz\npanel = viz.live()")
        shell.run_cell(
            "x = torch.ones(1, 2)\nw = torch.ones(3, 1, requires_grad=True)\nh = x.tanh()\nh @ w", store_history=True
        )
    panel = shell.user_ns["panel"]
    shown = json.dumps(panel.scene, ensure_ascii=False)
    panel.close()
    InteractiveShell.clear_instance()
    return shown


@dataclass(frozen=True)
class Answer:
    """What running a row gave: the last line of its cell ("–" where viz lacks the thing), whether the row is right about
    viz, and the peers' answers; "" where a question makes no sense, None where the peer (or its ``dot``, or a Chromium)
    is not installed."""

    feature: Feature
    line: str
    shows: bool
    torchviz: str | None
    torchlens: str | None
    torchvista: str | None

    def row(self) -> str:
        """The row of the table."""
        cells = [f"{self.feature.en} · {self.feature.zh}", self.line, self.torchviz, self.torchlens, self.torchvista]
        return f"| {' | '.join(map(str, cells))} |"


def answers() -> Iterator[Answer]:
    """Runs the gallery's cells one after the other, and asks the rows of each right behind it."""
    import jupytext
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    for cell in jupytext.read(Path(__file__).parent / "gallery.py").cells:
        if cell.cell_type != "code":
            continue
        printed = StringIO()
        with redirect_stdout(printed):
            ran = shell.run_cell(cell.source)
        ran.raise_error()
        for feature in FEATURES:
            if feature.cell in cell.metadata.get("tags", []):
                given = shown(ran.result, printed.getvalue())
                if feature.line:
                    with TemporaryDirectory() as folder, chdir(folder):
                        given = shown(eval(feature.line, shell.user_ns), "")
                line = feature.typed or feature.line or cell.source.rstrip().splitlines()[-1]
                yield _answer(feature, line, given, shell.user_ns)
    panel = _panel()
    for feature in FEATURES:
        if feature.cell == "panel":
            yield _answer(feature, feature.line, panel, {})


def _answer(feature: Feature, line: str, given: str, variables: Mapping[str, Any]) -> Answer:
    return Answer(
        feature,
        NO if feature.lacks else f"`{line}`",
        (re.search(feature.shows, given) is None) == feature.lacks,
        ask_torchviz(feature, variables) if find_spec("torchviz") else None,
        ask("torchlens", feature.torchlens) if find_spec("torchlens") and shutil.which("dot") else None,
        ask("torchvista", feature.torchvista)
        if find_spec("torchvista") and find_spec("playwright") and CHROMIUM
        else None,
    )


def page(found: Iterable[Answer]) -> str:
    """features.md."""
    head = (
        "# What `viz` shows, beside its peers · `viz` 与同类工具对照\n\n"
        "Each line is the last of a cell of [the gallery](gallery.ipynb), where its picture stands; `viz.live()` is "
        "[the live panel](../live.md). A peer's answer is what running it gave: **yes** where the DOT text that it "
        "writes for the same tensors (torchlens and torchvista: their drawings, files and pages of a model that does "
        "the same) has the thing in it, – where it has not, the error where it ended with one, nothing where it was not "
        "asked. Where `viz` has – itself, the test looks for the thing in it, too. Written by "
        f"`python docs/gallery/build.py`; a test runs every row again. {_versions()}\n\n"
        "每一行代码都是[图库](gallery.ipynb)里一个单元格的最后一行，图就在那里；`viz.live()` 是[实时面板](../live.zh.md)。"
        "对照的结论来自实际运行：画同样的张量（torchlens 和 torchvista 画做同样计算的模型，图、文件和网页都看），输出里有就是 "
        "yes，没有就是 –，出错则写出异常名，没有问到则留空。`viz` 自己没有的也写 –，同样由测试核对。\n\n"
        "| | `viz` | torchviz | torchlens | torchvista |\n|---|---|---|---|---|\n"
    )
    return head + "\n".join(answer.row() for answer in found) + "\n"


def _versions() -> str:
    return ", ".join(f"{name} {version(name)}" for name in ("torch", "torchviz", "torchlens", "torchvista")) + "."
