"""What a reader can read of the panel, asked of the page."""

# The size on screen of every text that can be seen, with the text.
TEXTS = """() => {
    const unseen = ".vl-unseen, title, desc, style, option";
    const seen = e => e.checkVisibility({ opacityProperty: true }) && !e.closest(unseen)
        && [...e.childNodes].some(c => c.nodeType === 3 && c.data.trim());
    return [...document.querySelectorAll(".viz-live *")].filter(seen).map(e => {
        const svg = e.closest("svg.viz");
        const scale = svg ? svg.getBoundingClientRect().width / svg.width.baseVal.value : 1;
        return [parseFloat(getComputedStyle(e).fontSize) * scale, e.textContent.trim().slice(0, 30)];
    });
}"""

# Pairs of texts that lie on one another, and texts that stand out of their card.
OVERLAPS = """() => {
    const box = e => e.getBoundingClientRect(), found = [];
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    for (const svg of document.querySelectorAll(".viz-live svg.viz")) {
        const texts = [...svg.querySelectorAll(".node text, .link text, .vl-label")]
            .filter(e => e.checkVisibility() && e.textContent.trim()).map(e => [e.textContent, box(e)]);
        for (const [i, [a, here]] of texts.entries()) {
            for (const [b, there] of texts.slice(i + 1)) if (meet(here, there)) found.push([a, b]);
        }
        for (const node of svg.querySelectorAll(".node")) {
            const shape = box(node.querySelector(".shape"));
            for (const text of node.querySelectorAll("text")) {
                const own = box(text);
                if (own.right > shape.right + 1 || own.left < shape.left - 1) found.push([text.textContent, "out"]);
            }
        }
    }
    return found;
}"""
