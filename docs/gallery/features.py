# ruff: noqa: E501 (a table)
"""What `viz` shows, beside torchviz and torchlens: each row a cell of the gallery that is run, each answer of a peer
found by running the peer.

`python docs/gallery/build.py` writes features.md from this; tests/viz/test_features.py runs every row again. A peer has
a feature where the DOT text that it writes for the same tensors, with its options on, holds the row's sign.

torchlens draws the run of a model, forward and backward, and not a tensor's graph: it is given a model that does what
the cells do, once. (micrograd's ``draw_dot`` is a function in an example notebook and draws micrograd's own scalars;
there is nothing to install and to run here.)
"""

from __future__ import annotations

import inspect
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

NO = "–"


@dataclass(frozen=True)
class Feature:
    """A row: the gallery's `cell` of that tag, whose result `shows` a pattern; what torchviz is asked, an expression
    over the cell's variables; the patterns that its answer, and torchlens's drawing, hold if they can do the same.
    Without a pattern the question makes no sense for that peer."""

    cell: str
    en: str
    zh: str
    shows: str
    torchviz: str = ""
    sign: str = ""
    torchlens: str = ""
    line: str = ""  # where it is not the last of the cell


FEATURES = [
    Feature("names", "names by themselves", "自动取变量名", ">w<", "dot(z)", r'"w\b', r"<B>w</B>|w \("),
    Feature("explicit names", "names given", "指定名字", ">y, my result<", 'dot(y, params={"my": r})', r'"my\b'),
    Feature("explicit names", "two names of one tensor", "一个张量的两个名字", ">r = again<", 'dot(y, params={"r": r, "again": again})', r"r\b.*again"),
    Feature("pytorch", "PyTorch's graph", "PyTorch 的计算图", ">MulBackward0<", "dot(z)", "MulBackward0", "mul_back"),
    Feature("names", "minigrad's graph", "minigrad 的计算图", ">MulBackward0<", "dot(z)", "MulBackward0"),
    Feature("values", "large values summarised", "概括大张量的数值", r"value mean 5\.5, largest 11\.", "dot(total)", "mean"),
    Feature("gradients", "values and gradients", "数值和梯度", r">grad</text><text[^>]*>\[3\]<", "dot(z, saved=False)", r"3\.", r">\[?3\."),
    Feature("accumulated", "gradients accumulated twice", "累加两次的梯度", r">grad</text><text[^>]*>\[6\]<", "dot(z, saved=False)", r"6\.", r">\[?6\."),
    Feature("modules", "shapes of results", "每个结果的形状", r">\(1, 2\)<", "line(dot(loss), 'TanhBackward0')", r"\(1, 2\)", r"\(1, 2\)"),
    Feature("formula", "formulas and derivatives", "公式与导数", "∂L/∂a = g · b", "dot(q)", "∂|d/d", "∂|d/d"),
    Feature("order", "order of forward and backward", "前向与反向的次序", "→ 3  ← 1", "dot(q)", "→|order|seq", r"_back_\d+_[123]\b"),
    Feature("saved", "saved tensors by slot", "逐项列出保存的张量", ">self = a ", "dot(kept)", r"self *: *\[saved tensor", r"self\b.*saved"),
    Feature("freed", "… freed", "……已释放", ">self: freed<", "dot(freed)", "freed", "freed"),
    Feature("changed", "… changed in place since", "……之后被原地修改", "changed since", "dot(changed)", "changed", "changed"),
    Feature("version", "… the version they were saved at", "……保存时的版本", r" v1<", "dot(later)", r"version|v1\b", r"version|v1\b"),
    Feature("failed", "where backward failed", "反向传播在哪里出错", "backward stops here", "dot(once, saved=False)", "second time|fail|error", "second time|fail|error"),
    Feature("custom", "own Functions told apart", "区分自定义 Function", 'class="node custom"', "line(dot(y), 'CubeBackward')", "color|shape|style"),
    Feature("output number", "which output an edge takes", "边取自第几个输出", ">output 2<", "dot(y)", r"->.*(label|2\])"),
    Feature("untracked", "inputs without gradient", "不需要梯度的输入", ">features<", "dot(y)", "features", "input_1"),
    Feature("detach", "where detach() cuts", "detach() 切断之处", ">detached<", "dot(y)", "detach", "detach_1"),
    Feature("no_grad", "results made under no_grad()", "no_grad() 中的结果", ">scale<", "dot(y)", "scale", "div_1"),
    Feature("hooks", "hooks", "钩子", ">hook double<", "dot(y)", "double|hook", "hook"),
    Feature("several outputs", "several outputs, nodes shared", "多个输出共用节点", '(?s)op output.*op output', "dot((loss_d, loss_g))", r"(?s)SumBackward0.*SumBackward0"),
    Feature("custom", "tooltips", "悬停提示", "<title>op1 CubeBackward", "dot(y)", "tooltip", "tooltip"),
    Feature("modules", "modules framed", "模块加框", r">net\.0\.\*<", "dot(loss, params=dict(net.named_parameters()))", "subgraph", "subgraph cluster"),
    Feature("modules", "parameters named by themselves", "参数自动命名", r">net\.0\.weight<", "dot(loss)", "weight", r"params?: .*w\b"),
    Feature("chinese", "Chinese names", "中文变量名", ">权重<", 'dot(预测值, params={"权重": 权重})', "权重"),
    Feature("copy slices", "in-place writes (CopySlices)", "原地修改（CopySlices）", ">CopySlices<", "dot(written)", "CopySlices"),
    Feature("double backward", "graphs of gradients", "梯度的计算图", 'data-id="op3"', "dot(slope)", "(?s)Backward0.*Backward0.*Backward0"),
    Feature("fold", "a loop folded and counted", "循环折叠并计数", "98 × repeated", "dot(h)", "×|repeat", r"\(x10\)"),
    Feature("unfold", "a group unfolded", "展开一组", 'data-id="op40"'),
    Feature("around", "a part: around a node", "局部：某节点周围", 'data-id="op100"', "parameters", "around|node"),
    Feature("depth", "a part: so many steps", "局部：若干步", "nodes<", "parameters", "depth|steps"),
    Feature("max_nodes", "a part: at most so many nodes", "局部：限制节点数", "nodes<", "parameters", "max_nodes|limit"),
    Feature("large", "100,000 operations", "十万次运算", "nodes<|repeated<", "dot(v)", "SinBackward0"),
    Feature("timeout", "a slow layout is stopped", "布局超时就停止", "did not finish the layout", "parameters", "timeout"),
    Feature("untrusted", "names are only text", "名字只是文字", "&lt;script&gt;", 'dot(k * 2, params={"<script>": k})', "script"),
    Feature("record", "a backward pass recorded", "录下一次反向传播", "AccumulateGrad", "names", "record", "_back_"),
    Feature("text", "text, the same in each run", "文字版，每次相同", r"op1 MulBackward0 -> ", "str(dot(w * x) == dot(w * x))", "True"),
    Feature("no dot", "a picture without a dot program", "没有 dot 程序也能画", "<svg", "without_program(z)", "<svg", line='viz.draw(z)'),
    Feature("pytorch", "light and dark in one file", "一个文件适应明暗主题", "prefers-color-scheme", "dot(z)", "color-scheme|class=", "color-scheme|class="),
    Feature("pytorch", "title and text for screen readers", "供屏幕阅读器的标题与描述", "<desc", "dot(z)", "desc|tooltip"),
    Feature("png and pdf", "SVG", "SVG", "<svg", "formats", r"\bsvg\b", line='viz.draw(z).save("graph.svg")'),
    Feature("png and pdf", "DOT", "DOT 文本", "digraph", "formats", r"\bdot\b", line='viz.draw(z).save("graph.dot")'),
    Feature("png and pdf", "PNG", "PNG", "PNG", "formats", "png", line='viz.draw(z).save("graph.png")'),
    Feature("png and pdf", "PDF", "PDF", "%PDF", "formats", "pdf", line='viz.draw(z).save("graph.pdf")'),
    Feature("json", "JSON", "JSON", '"roots"', "formats", "json", line='viz.draw(z).save("graph.json")'),
    Feature("html page", "a page with a card for each node", "每个节点都能点开卡片的网页", 'vizLive', "formats", "html", line='viz.draw(z).save("graph.html")'),
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


def ask_torchlens(feature: Feature) -> str:
    """``yes`` where torchlens's drawing of the model holds the sign."""
    if not feature.torchlens:
        return ""
    return "yes" if re.search(feature.torchlens, torchlens_drawing(feature.cell == "source")) else NO


@cache
def torchlens_drawing(code: bool) -> str:
    """All that torchlens draws of one model, as DOT; on request with the model's code beside it. In a process of its
    own: it puts functions of its own in the place of PyTorch's."""
    command = [sys.executable, __file__, *(["--code"] if code else [])]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout


def _draw_with_torchlens(code: bool) -> str:
    """It needs a ``dot`` program on the PATH."""
    import torch
    import torchlens

    def double(grad: Any) -> Any:
        return 2 * grad

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Parameter(torch.tensor([2.0]))
            self.layers = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))

        def forward(self, x: Any) -> Any:
            c = (self.w * x).detach()
            with torch.no_grad():
                c = c / 10
            h = self.layers(c.view(1, 1)).sum() * self.w
            h.register_hook(double)
            for _ in range(10):
                h = (h * self.w).tanh()
            return h.sum()

    with TemporaryDirectory() as folder:
        files = {"vis_outpath": str(Path(folder, "drawing")), "vis_save_only": True, "code_panel": code}
        trace = torchlens.trace(Model(), [torch.tensor([3.0])])
        forward = trace.draw(show_saved_for_backward=True, **files)
        rolled = trace.draw(vis_mode="rolled", fold_repeats=True, **files)
        trace.log_backward(trace[trace.output_layers[0]].out)
        return "\n".join([forward, rolled, trace.draw_backward(**files)])


@dataclass(frozen=True)
class Answer:
    """What running a row gave: the last line of its cell, whether the picture shows the thing, and the peers' answers;
    "" where a question makes no sense, None where the peer (or its ``dot``) is not installed."""

    feature: Feature
    line: str
    shows: bool
    torchviz: str | None
    torchlens: str | None

    def row(self) -> str:
        """The row of the table."""
        return f"| {self.feature.en} · {self.feature.zh} | `{self.line}` | {self.torchviz} | {self.torchlens} |"


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
                yield Answer(
                    feature,
                    feature.line or cell.source.rstrip().splitlines()[-1],
                    re.search(feature.shows, given) is not None,
                    ask_torchviz(feature, shell.user_ns) if find_spec("torchviz") else None,
                    ask_torchlens(feature) if find_spec("torchlens") and shutil.which("dot") else None,
                )


def page(found: Iterable[Answer]) -> str:
    """features.md."""
    head = (
        "# What `viz` shows, beside its peers · `viz` 与同类工具对照\n\n"
        "Each line is the last of a cell of [the gallery](gallery.ipynb), where its picture stands. A peer's answer is "
        "what running it gave: **yes** where the DOT text that it writes for the same tensors (torchlens: for a model "
        "that does the same) has the thing in it, – where it has not, the error where it ended with one, nothing where "
        f"it was not asked. Written by `python docs/gallery/build.py`; a test runs every row again. "
        f"{_versions()}\n\n"
        "每一行代码都是[图库](gallery.ipynb)里一个单元格的最后一行，图就在那里。对照的结论来自实际运行：画同样的张量"
        "（torchlens 画做同样计算的模型），输出里有就是 yes，没有就是 –，出错则写出异常名，没有问到则留空。\n\n"
        "| | `viz` | torchviz | torchlens |\n|---|---|---|---|\n"
    )
    return head + "\n".join(answer.row() for answer in found) + "\n"


def _versions() -> str:
    return ", ".join(f"{name} {version(name)}" for name in ("torch", "torchviz", "torchlens")) + "."


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    print(_draw_with_torchlens("--code" in sys.argv))
