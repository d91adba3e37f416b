"""Names that try to be more than names."""

NASTY = {
    "script": "<script>alert(1)</script>",
    "closing": "</title></svg><img src=x onerror=alert(1)>",
    "quotes": "a\"b'c`d",
    "ampersand": "&lt;b&gt; & &amp;",
    "newline": "line one\nline two\r\n\tthree",
    "nul": "a\0b\x1b[31m",
    "right-to-left": "abc\u202edcba\u2066x",
    "surrogate": "lone \ud800 half",
    "noncharacter": "x\uffff\ufffey",
    "backslash": r"\N \G \l \n",
    "html label": "<b>bold</b>",
    "long": "w" * 10_000,
    "very long": "<w" * 500_000,
    "chinese": "权重（输入）",
    "emoji": "👩‍🔬🎉",
    "cdata": "]]> --> <!--",
    "css": "}</style><style>*{display:none}",
    "empty": "",
}
