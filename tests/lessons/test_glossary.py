"""The glossary, and the lessons' faithfulness to it."""

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from minigrad_lessons import build, source

ROOT = Path(__file__).parents[2]
# Other Chinese words for things that have theirs in the glossary, and other spellings.
BANNED = {
    "叶节点": "叶子、叶子节点",
    "就地": "原地",
    "原位": "原地",
    "积累": "累加",
    "累积": "累加",
    "雅克比": "雅可比矩阵",
    "运算图": "计算图",
    "求导图": "计算图",
    "自动梯度": "自动求导",
    "反向传导": "反向传播",
    "逆向传播": "反向传播",
    "后向传播": "反向传播",
    "拓扑排序": "拓扑序",
    "跟踪": "追踪",
    "回调": "钩子",
    "挂钩": "钩子",
    "學": "简体",
    "張量": "张量",
    "(?<!有)没有?被追踪|不被追踪|没人追踪": "未被追踪",
    "拷贝": "副本",
    "来历|没有过去": "计算历史",
    "显卡": "GPU",
    "重现": "复现",
    "向量–雅可比积": "向量-雅可比积",
    "反向[一两]次": "反向传播一次、两次",
    "松手|放手|没人要|没有人要|没有谁": "不引用、不需要",
    "没有在运行|一页在运行": "没有运行内核的静态网页",
    "[条各]路(?![径线])|(?:有|通向.{0,9}的|往回走的|回去的)路(?!径)": "路径",
    "步长(?:都是|太|调)|学习率、步长": "学习率；步长是差商的",
}


@dataclass(frozen=True)
class Term:
    en: str
    zh: str
    lesson: str

    @property
    def accepted(self) -> list[str]:
        return self.zh.split("、")

    def stands_in(self, text: str) -> bool:
        """Whether the English holds the term, in the singular or with an s."""
        words = re.escape(self.en).replace(r"\ ", "[ -]")
        return bool(re.search(rf"\b{words}s?\b", text, re.IGNORECASE))


def rows(text: str) -> list[list[str]]:
    table = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| **")]
    return [[cell.strip().strip("*") for cell in row] for row in table]


def terms() -> list[Term]:
    english = [row for pair in source.read("glossary").prose for row in rows(pair.en)]
    return [Term(en, zh, source.links(link)[0]) for en, zh, _, link in english]


TERMS = terms()


def plain(text: str) -> str:
    """Without code, formulas, the addresses of links, and the "in place" of "in place of"."""
    text = re.sub("in place of", "instead of", text, flags=re.IGNORECASE)
    return re.sub(r"```.*?```|`[^`\n]+`|\$\$.*?\$\$|\$[^$\n]+\$|\]\([^)]*\)", " ", text, flags=re.DOTALL)


def unfaithful(en: str, zh: str) -> list[Term]:
    """The terms of an English paragraph for which the Chinese has another word.

    Where the Chinese keeps the English, as in a message or in a sentence quoted from the notes, that is no other word.
    """
    return [
        term
        for term in TERMS
        if term.stands_in(plain(en)) and not any(word in zh for word in term.accepted) and not term.stands_in(zh)
    ]


def test_both_languages_list_the_same_terms():
    for pair in source.read("glossary").prose:
        assert [row[:2] for row in rows(pair.en)] == [row[1::-1] for row in rows(pair.zh)]


def test_no_term_stands_twice():
    assert len(TERMS) > 30
    for names in ([term.en for term in TERMS], [word for term in TERMS for word in term.accepted]):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.en)
def test_the_lesson_that_a_term_leads_to_speaks_of_it(term):
    prose = source.read(term.lesson.removesuffix(".ipynb")).prose
    assert any(term.stands_in(plain(pair.en)) for pair in prose)
    assert any(word in pair.zh for pair in prose for word in term.accepted)


@pytest.mark.parametrize("name", [*source.names(), "cheat_sheet"])
def test_the_chinese_says_a_term_by_its_glossary_word(name):
    for pair in source.read(name).prose:
        wrong = [f"{term.en}: {term.zh}" for term in unfaithful(pair.en, pair.zh)]
        assert not wrong, f"{wrong}\n{pair.en}\n{pair.zh}"


def test_another_word_would_be_found():
    assert [term.en for term in unfaithful("The leaf of a computation graph.", "运算图的叶。")] == [
        "computation graph",
        "leaf",
    ]
    assert unfaithful("In place of `leaf`, a leaf.", "这里不是 `leaf`，而是叶子。") == []


def test_no_banned_word_is_said_anywhere():
    code = [path for part in ("minigrad", "viz", "minigrad_lessons") for path in (ROOT / part).rglob("*.py")]
    words = [
        ROOT / "viz" / "words.json",
        ROOT / "minigrad_lessons" / "checks" / "tables.md",
        *(ROOT / "minigrad").rglob("*.zh.txt"),
        *(ROOT / "viz").rglob("*.zh.txt"),
    ]
    for path in [*code, *words, *ROOT.glob("*.zh.md"), *(ROOT / "docs").glob("*.zh.md")]:
        text = path.read_text(encoding="utf-8")
        assert [f"{word}, say {better}" for word, better in BANNED.items() if re.search(word, text)] == [], path.name
    allowed = [word for term in TERMS for word in term.accepted]
    assert not set(allowed) & set(BANNED)


# What the course adds to everyday words: each stands in bold where the idea is met, and only there.
VOCABULARY = {
    "en": """
        gradient descent, forward pass, backward pass, automatic differentiation, loss function, chain rule, converges,
        diverges, view, reference, directed acyclic graph, static graph, dynamic graph, topological order, mini-batch,
        gradient accumulation, partial derivatives, Jacobian, diagonal matrix, broadcasting, version counter,
        difference quotient, kink, subgradient, reproduced, logarithmic scales
    """,
    "zh": """
        前向传播, 反向传播, 梯度下降, 自动微分, 损失函数, 链式法则, 收敛, 发散, 视图, 引用,
        有向无环图, 静态图, 动态图, 拓扑序, 小批量,
        梯度累加, 偏导数, 雅可比矩阵, 对角矩阵, 广播, 版本计数器, 差商, 不可导, 次梯度, 复现, 对数刻度
    """,
}


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_a_term_is_bold_once_where_it_is_met(lang):
    bold = [
        re.sub("（.*）", "", found).lower()
        for name in source.names()
        for pair in source.read(name).prose
        for found in re.findall(r"\*\*([^*\n]+)\*\*", getattr(pair, lang))
    ]
    words = {word.strip().lower() for word in VOCABULARY[lang].split(",")}
    assert [word for word in words if bold.count(word) != 1] == []
    terms = {word.lower() for term in TERMS for word in (term.accepted if lang == "zh" else [term.en])}
    assert [word for word in terms if bold.count(word) > 1] == []


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_the_built_glossary_is_its_source_and_its_links_lead_somewhere(lang):
    path = build.path_of("glossary", lang)
    text = path.read_text(encoding="utf-8")
    assert text == build.build("glossary")[lang], "run `python -m minigrad_lessons.build glossary`"
    for cell in nbformat.reads(text, as_version=4).cells:
        for link in source.links(cell.source):
            assert (path.parent / link).exists(), link
