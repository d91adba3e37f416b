// @ts-check
/*
 * The live graph panel, in the browser (anywidget calls `render`).
 *
 * It shows what `live.schema.json` describes: the graph as it is now, or a recorded backward pass, which is played here,
 * forward and back, without asking the kernel. From top to bottom: the types, the words, what is true at a step (pure
 * functions, unit-tested), the stage with the picture, what can be saved, and the panel around it all.
 *
 * Every text that comes from the kernel is a learner's and reaches the page as text only; the one exception is a
 * scene's `svg`, in which viz/svg.py has escaped everything.
 */

/**
 * live.schema.json, as types.
 * @typedef {"en" | "zh"} Lang
 * @typedef {{ en: string, zh: string }} Words
 * @typedef {{ short: string, full: string, shape: string } | null} Gradient
 * @typedef {{ slot: string, state: "kept" | "freed" | "changed", text: string }} Saved
 * @typedef {{ id: string, kind: string, label: string, names: string[], x: number, y: number, width: number,
 *   height: number, born: number, expression: string, formula: string[], shape: string | null, dtype: string | null,
 *   value: string | null, grad: string | null, saved: Saved[], hooks: string[], source: string, module: string,
 *   count: number }} SceneNode
 * @typedef {{ source: string, target: string, kind: string, input_nr: number, output_nr: number }} SceneEdge
 * @typedef {{ serial: number, cell: number | null, busy: boolean, svg: string, width: number, height: number,
 *   direction: "right" | "up", nodes: SceneNode[], edges: SceneEdge[], roots: string[], text: string,
 *   moved: { name: string, from: string | null, to: string }[], note: Words }} Scene
 * @typedef {{ kind: "start" | "op" | "accumulate" | "error", node: string | null, member?: { label: string, source: string },
 *   into?: Gradient[], rules?: { rule: string, filled: string }[],
 *   out?: { input_nr: number, target: string | null, gradient: Gradient, member?: string }[],
 *   pending?: Record<string, number>, freed?: string[], leaf?: string | null, name?: string, before?: Gradient,
 *   added?: Gradient, after?: Gradient, error?: string, hint?: Words }} Step
 * @typedef {{ serial: number, scene: Scene, call: string, cell: number | null, line: string, retain_graph: boolean,
 *   pending: Record<string, number>, steps: Step[], ended: boolean }} Trace
 *
 * What anywidget hands over; `standIn` makes one for a page without a kernel.
 * @typedef {{ get(key: string): any, set(key: string, value: any): void, save_changes(): void, send(content: any): void,
 *   on(event: string, callback: (...args: any[]) => void): void,
 *   off(event: string, callback: (...args: any[]) => void): void, widget_manager?: any }} Model
 *
 * What is true at a step.
 * @typedef {"waiting" | "ready" | "now" | "part" | "done" | "failed"} Status
 * A group fires once for each operation in it: `fired` times of `of`.
 * @typedef {{ status: Status, waits: number, got: boolean, order: number, fired: number, of: number }} NodeState
 * @typedef {{ nodes: Map<string, NodeState>, edges: Map<number, { text: string, fresh: boolean }>,
 *   grads: Map<string, string>, freed: Map<string, Set<string>>, now: string | null, receiver: string | null }} Moment
 * @typedef {{ kind: "call" | "head" | "into" | "rules" | "sum" | "out" | "pending" | "freed" | "error" | "end",
 *   title: string, rows: { text: string, detail?: string, note?: string }[] }} Block
 */

export const VERSION = 1;

// ---------------------------------------------------------------------------------------------------------- the words

/** @type {Record<string, Words>} */
const WORDS = {
  title: { en: "Live graph", zh: "实时计算图" },
  live: { en: "Now", zh: "现在" },
  liveHint: { en: "the graph as your variables reach it now", zh: "变量现在能到达的计算图" },
  pass: { en: "Backward", zh: "反向传播" },
  passHint: { en: "the recorded backward pass, step by step", zh: "逐步回放录下来的反向传播" },
  following: { en: "following", zh: "跟随中" },
  stopped: { en: "no longer following", zh: "已停止跟随" },
  running: { en: "running", zh: "运行中" },
  old: { en: "old: its kernel is gone", zh: "旧图：原来的内核已经不在" },
  waitingKernel: { en: "waiting for the kernel", zh: "等待内核空闲" },
  unanswered: { en: "may be old: the kernel does not answer", zh: "可能是旧图：内核没有回应" },
  search: { en: "Find", zh: "查找" },
  searchHint: { en: "Find a node by name ( / )", zh: "按名字查找节点（/）" },
  zoomIn: { en: "Zoom in (+)", zh: "放大（+）" },
  zoomOut: { en: "Zoom out (−)", zh: "缩小（−）" },
  fit: { en: "Show all (0)", zh: "显示全图（0）" },
  fold: { en: "Close opened groups", zh: "收起展开的组" },
  save: { en: "Save", zh: "保存" },
  saveSvg: { en: "Picture (SVG)", zh: "图片（SVG）" },
  savePng: { en: "Picture (PNG)", zh: "图片（PNG）" },
  saveHtml: { en: "Page that still plays (HTML)", zh: "可继续播放的网页（HTML）" },
  language: { en: "Language", zh: "语言" },
  first: { en: "To the start (Home)", zh: "回到开头（Home）" },
  back: { en: "One step back (←)", zh: "后退一步（←）" },
  play: { en: "Play (Space)", zh: "播放（空格）" },
  pause: { en: "Pause (Space)", zh: "暂停（空格）" },
  forward: { en: "One step forward (→)", zh: "前进一步（→）" },
  last: { en: "To the end (End)", zh: "跳到结尾（End）" },
  slider: { en: "Step of the backward pass", zh: "反向传播的步骤" },
  speed: { en: "Speed", zh: "速度" },
  perSecond: { en: "{n} steps/s", zh: "每秒 {n} 步" },
  player: { en: "Play the backward pass", zh: "播放反向传播" },
  tools: { en: "Tools", zh: "工具" },
  views: { en: "What is shown", zh: "显示什么" },
  stage: { en: "Graph", zh: "计算图" },
  empty: { en: "No graph yet", zh: "还没有计算图" },
  emptyHint: {
    en: "Run a cell that makes tensors, for example",
    zh: "运行一个创建张量的单元格，例如",
  },
  noPass: { en: "No backward pass recorded yet", zh: "还没有录到反向传播" },
  noPassHint: { en: "Run a cell that calls", zh: "运行一个调用了它的单元格：" },
  badVersion: {
    en: "This panel reads data of version 1, but the kernel sent version {n}. Install the same minigrad-lessons where Jupyter runs and where the kernel runs, then reload the page.",
    zh: "这个面板只认识版本 1 的数据，内核发来的却是版本 {n}。请在 Jupyter 和内核两边安装同一版本的 minigrad-lessons，然后刷新页面。",
  },
  badData: {
    en: "The kernel sent something this panel cannot read ({n}). Run viz.live() again; if that does not help, restart the kernel.",
    zh: "内核发来的数据无法识别（{n}）。请重新运行 viz.live()；如果还不行，请重启内核。",
  },
  moved: { en: "{n} now stands for another tensor", zh: "{n} 现在指向另一个张量" },
  now: { en: "now", zh: "当前" },
  ready: { en: "ready", zh: "就绪" },
  waits: { en: "waits for {n} more", zh: "还等 {n} 个" },
  waitsMore: { en: "waits for {n} more", zh: "还要等 {n} 个梯度" },
  readyMore: { en: "has all its gradients, is ready", zh: "梯度已收齐，可以执行" },
  failed: { en: "stops here", zh: "停在这里" },
  doneWord: { en: "done, step {n}", zh: "已完成，第 {n} 步" },
  stepOf: { en: "Step {k} of {n}", zh: "第 {k} 步，共 {n} 步" },
  atStart: { en: "Before the pass", zh: "反向传播之前" },
  beforeSay: { en: "Before the pass: {n} nodes wait for gradients.", zh: "反向传播还没开始：有 {n} 个节点在等梯度。" },
  beforeHint: { en: "Press → for the first step, or Space to play.", zh: "按 → 走第一步，按空格自动播放。" },
  startHead: { en: "Backward starts at {n}", zh: "从 {n} 开始反向传播" },
  startSay: { en: "{c} starts at {n} with gradient {g}.", zh: "{c} 从 {n} 开始，初始梯度是 {g}。" },
  opHead: { en: "{n} runs", zh: "轮到 {n}" },
  opSay: { en: "{n} runs. Gradient in: {g}.", zh: "轮到 {n}。收到的梯度：{g}。" },
  sends: { en: "It sends {g} to {n}.", zh: "把 {g} 传给 {n}。" },
  accHead: { en: "{n}.grad accumulates", zh: "{n}.grad 梯度累加" },
  accSay: { en: "AccumulateGrad adds to {n}.grad: {s}.", zh: "AccumulateGrad 累加到 {n}.grad：{s}。" },
  freedSay: { en: "Freed: {n}.", zh: "已释放保存的张量：{n}。" },
  errorHead: { en: "The pass stops at {n}", zh: "反向传播停在 {n}" },
  errorSay: { en: "The pass stops at {n}. {e}", zh: "反向传播停在 {n}。{e}" },
  endSay: { en: "The backward pass is complete.", zh: "反向传播结束。" },
  hidden: { en: "a node inside a closed group", zh: "折叠起来的一个节点" },
  inGroup: { en: "{k} of {n} inside the group {g}", zh: "折叠组 {g} 内部：第 {k} 个，共 {n} 个" },
  partOf: { en: "{k} of {n} done", zh: "已完成 {k} / {n}" },
  intoTitle: { en: "Gradient in", zh: "收到的梯度" },
  intoNr: { en: "for output {n}", zh: "对应第 {n} 个输出" },
  zero: { en: "none came: counts as 0", zh: "没有梯度传来，按 0 算" },
  rulesTitle: { en: "Derivative, with the numbers put in", zh: "导数公式，代入数值" },
  sumTitle: { en: "before + new = after", zh: "原来的 + 新来的 = 累加后的" },
  outTitle: { en: "Gradients out", zh: "传出的梯度" },
  to: { en: "to {n}", zh: "传给 {n}" },
  pendingTitle: { en: "Gradients still to come", zh: "还差几个梯度" },
  freedTitle: { en: "Saved tensors freed", zh: "释放保存的张量" },
  retained: { en: "retain_graph=True: saved tensors are kept", zh: "retain_graph=True：保存的张量不释放" },
  hintTitle: { en: "What to do", zh: "怎么办" },
  inCell: { en: "In [{n}]", zh: "In [{n}]" },
  close: { en: "Close (Esc)", zh: "关闭（Esc）" },
  copy: { en: "Copy", zh: "复制" },
  copied: { en: "Copied", zh: "已复制" },
  open: { en: "Open this group", zh: "展开这一组" },
  holds: { en: "{n} operations", zh: "{n} 个运算" },
  cName: { en: "names", zh: "变量名" },
  cFormula: { en: "formula", zh: "公式" },
  cShape: { en: "shape", zh: "形状" },
  cDtype: { en: "dtype", zh: "数据类型" },
  cValue: { en: "value", zh: "值" },
  cGrad: { en: ".grad", zh: ".grad" },
  cSaved: { en: "saved tensors", zh: "保存的张量" },
  cHooks: { en: "hooks", zh: "钩子" },
  cModule: { en: "module", zh: "模块" },
  cSource: { en: "made by", zh: "由这行创建" },
  cPython: { en: "in Python", zh: "在 Python 里" },
  kept: { en: "kept", zh: "保存着" },
  freed: { en: "freed", zh: "已释放" },
  changed: { en: "changed since", zh: "之后被改动过" },
  kind_output: { en: "result", zh: "结果" },
  kind_op: { en: "operation", zh: "运算" },
  kind_custom: { en: "your own Function", zh: "自定义 Function" },
  kind_accumulate: { en: "adds into a leaf's .grad", zh: "把梯度累加到叶子的 .grad" },
  kind_leaf: { en: "leaf tensor", zh: "叶子节点" },
  kind_untracked: { en: "no gradient flows here", zh: "梯度不流到这里" },
  kind_folded: { en: "several nodes drawn as one", zh: "合画成一个的几个节点" },
  loss: { en: "loss", zh: "损失" },
  lossSay: {
    en: "Loss over {n} backward passes: from {a} to {b}, lowest {c}.",
    zh: "{n} 次反向传播的损失：从 {a} 到 {b}，最低 {c}。",
  },
  sceneSay: { en: "The graph has {n} nodes.", zh: "计算图有 {n} 个节点。" },
  newSay: { en: "New: {n}.", zh: "新出现：{n}。" },
  passSay: { en: "A backward pass was recorded: {n} steps.", zh: "录到一次反向传播：共 {n} 步。" },
  keys: {
    en: "Arrow keys step, Space plays, Tab walks the nodes, Enter opens a node's card, / finds, + − 0 zoom.",
    zh: "左右方向键走一步，空格播放，Tab 逐个节点，Enter 打开节点卡片，/ 查找，+ − 0 缩放。",
  },
};

/**
 * A text of the table, with `{x}` filled in.
 * @param {string} key @param {Lang} lang @param {Record<string, string | number>} [values]
 */
export function word(key, lang, values = {}) {
  return WORDS[key][lang].replace(/\{(\w)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * The language to use: the chosen one, else that of the page or the browser.
 * @param {string} chosen @param {string} page @param {string} browser @returns {Lang}
 */
export function pickLanguage(chosen, page, browser) {
  if (chosen === "en" || chosen === "zh") return chosen;
  return /^zh/i.test(page || "") || /^zh/i.test(browser || "") ? "zh" : "en";
}

// ----------------------------------------------------------------------------------------------- what is true at a step

/**
 * Why the data cannot be shown: a key of the table and what to put in, or null where all is well.
 * @param {any} version @param {any} scene @param {any} trace @returns {[string, string] | null}
 */
export function problem(version, scene, trace) {
  if (version !== undefined && version !== null && version !== VERSION) return ["badVersion", String(version)];
  const lacking = lacks(scene, (it) => sceneLacks(it, "scene")) || lacks(trace, traceLacks);
  return lacking ? ["badData", lacking] : null;
}

/** @type {WeakSet<object>} */
const sound = new WeakSet();

/** @param {any} it @param {(it: any) => string} find */
function lacks(it, find) {
  if (!it || sound.has(it)) return "";
  const lacking = find(it);
  if (!lacking) sound.add(it); // it does not change, and is looked at again at every step
  return lacking;
}

/** @param {any} scene @param {string} at */
function sceneLacks(scene, at) {
  if (typeof scene !== "object") return at;
  if (typeof scene.svg !== "string") return `${at}.svg`;
  for (const key of ["nodes", "edges", "moved"]) if (!Array.isArray(scene[key])) return `${at}.${key}`;
  const node = scene.nodes.findIndex((/** @type {any} */ n) => !n || typeof n.id !== "string" || !Array.isArray(n.names) || !Number.isFinite(n.x) || !Number.isFinite(n.y));
  if (node >= 0) return `${at}.nodes[${node}]`;
  const edge = scene.edges.findIndex((/** @type {any} */ e) => !e || typeof e.source !== "string" || typeof e.target !== "string");
  return edge >= 0 ? `${at}.edges[${edge}]` : "";
}

/** @param {any} trace */
function traceLacks(trace) {
  if (typeof trace !== "object") return "trace";
  if (!Array.isArray(trace.steps)) return "trace.steps";
  if (!trace.pending || typeof trace.pending !== "object") return "trace.pending";
  const step = trace.steps.findIndex((/** @type {any} */ s) => !s || !["start", "op", "accumulate", "error"].includes(s.kind));
  if (step >= 0) return `trace.steps[${step}]`;
  return trace.scene ? sceneLacks(trace.scene, "trace.scene") : "trace.scene";
}

/** @param {Gradient | undefined} gradient */
const short = (gradient) => (gradient ? gradient.short : "0");

/** A `.grad`, where null is None. @param {Gradient | undefined} gradient */
const shortGrad = (gradient) => (gradient ? gradient.short : "None");

/** @type {WeakMap<Trace, Map<string, number>>} */
const edgeIndexes = new WeakMap();

/** Positions of the edges by source, target and input_nr. @param {Trace} trace */
function edgeIndex(trace) {
  let index = edgeIndexes.get(trace);
  if (!index) {
    index = new Map(trace.scene.edges.map((e, i) => [`${e.source} ${e.target} ${e.input_nr}`, i]));
    const groups = new Set(trace.scene.nodes.flatMap((n) => (n.kind === "folded" ? [n.id] : [])));
    // what is drawn as one node has one edge to each other node, whatever the number of the input
    for (const [i, { source, target }] of trace.scene.edges.entries()) {
      if (groups.has(source) || groups.has(target)) index.set(`${source} ${target}`, i);
    }
    edgeIndexes.set(trace, index);
  }
  return index;
}

/**
 * What each step writes on edges, as [position, text].
 * @param {Trace} trace @param {Step} step @returns {[number, string][]}
 */
function written(trace, step) {
  const index = edgeIndex(trace), { node } = step;
  /** @type {[number, string][]} */
  const found = [];
  for (const { target, input_nr, gradient } of step.out ?? []) {
    const at = index.get(`${node} ${target} ${input_nr}`) ?? index.get(`${node} ${target}`);
    if (at !== undefined && gradient) found.push([at, gradient.short]);
  }
  if (step.kind === "start" && node !== null && !found.length && step.into?.[0]) {
    const at = trace.scene.edges.findIndex((e) => e.source === node);
    if (at >= 0) found.push([at, step.into[0].short]);
  }
  if (step.kind === "accumulate" && step.added) {
    const at = index.get(`${node} ${step.leaf} 0`);
    if (at !== undefined) found.push([at, `+= ${step.added.short}`]);
  }
  return found;
}

/** @type {WeakMap<Trace, number[][]>} */
const firingsOf = new WeakMap();

/** Of each step: how often its node has fired with it, and how often it does so in the whole pass. @param {Trace} trace */
function firings(trace) {
  let found = firingsOf.get(trace);
  if (!found) {
    /** @type {Map<string | null, number>} */
    const counts = new Map();
    const nth = trace.steps.map(({ node, kind }) => {
      if (kind !== "start") counts.set(node, (counts.get(node) ?? 0) + 1);
      return counts.get(node) ?? 0;
    });
    found = trace.steps.map(({ node }, i) => [nth[i], counts.get(node) ?? 0]);
    firingsOf.set(trace, found);
  }
  return found;
}

/**
 * What is true after the first `k` steps of a pass (0: before it).
 * @param {Trace} trace @param {number} k @returns {Moment}
 */
export function momentAt(trace, k) {
  /** @type {Moment} */
  const moment = { nodes: new Map(), edges: new Map(), grads: new Map(), freed: new Map(), now: null, receiver: null };
  const { nodes, edges, grads, freed } = moment;
  const fires = firings(trace);
  for (const [id, waits] of Object.entries(trace.pending)) nodes.set(id, { status: "waiting", waits, got: false, order: 0, fired: 0, of: 1 });
  trace.steps.forEach((step, i) => {
    const past = i < k, present = i === k - 1;
    if (step.kind === "accumulate" && step.leaf) {
      if (past) grads.set(step.leaf, shortGrad(step.after));
      else if (!grads.has(step.leaf)) grads.set(step.leaf, shortGrad(step.before));
    }
    if (step.member && step.node !== null && !nodes.has(step.node)) {
      nodes.set(step.node, { status: "waiting", waits: 0, got: false, order: 0, fired: 0, of: fires[i][1] });
    }
    if (!past) return;
    for (const [id, waits] of Object.entries(step.pending ?? {})) {
      const known = nodes.get(id);
      if (!known || known.status === "waiting" || known.status === "ready") {
        nodes.set(id, { status: waits === 0 ? "ready" : "waiting", waits, got: true, order: 0, fired: 0, of: 1 });
      }
    }
    for (const [at, text] of written(trace, step)) edges.set(at, { text, fresh: present });
    if (step.node === null) return;
    const [fired, of] = step.member ? fires[i] : [1, 1];
    const status = step.kind === "error" ? "failed" : present ? "now" : fired < of ? "part" : "done";
    nodes.set(step.node, { status, waits: 0, got: true, order: i + 1, fired, of });
    if (step.freed?.length && !step.member) freed.set(step.node, new Set([...(freed.get(step.node) ?? []), ...step.freed]));
    if (present) {
      moment.now = step.node;
      moment.receiver = step.kind === "accumulate" ? (step.leaf ?? null) : null;
    }
  });
  return moment;
}

/** What a node is called: its label, and the variable it belongs to. @param {SceneNode | undefined} node @param {Lang} lang */
export function called(node, lang) {
  if (!node) return word("hidden", lang);
  const own = node.names[0];
  return own && own !== node.label && !node.label.includes(own) ? `${node.label} (${own})` : node.label;
}

/** What fires at a step. @param {Trace} trace @param {Step} step @param {Lang} lang */
const firing = (trace, step, lang) => step.member?.label ?? called(finder(trace)(step.node), lang);

/** Which of its group's operations fires at step `k`; empty where it stands alone. @param {Trace} trace @param {number} k @param {Lang} lang */
function inGroup(trace, k, lang) {
  const step = trace.steps[k - 1];
  if (!step.member) return "";
  const [fired, of] = firings(trace)[k - 1];
  return word("inGroup", lang, { k: fired, n: of, g: called(finder(trace)(step.node), lang) });
}

/** `before + new = after` @param {Step} step */
export const sum = (step) => `${shortGrad(step.before)} + ${short(step.added)} = ${shortGrad(step.after)}`;

/** @type {WeakMap<Trace, Map<string, SceneNode>>} */
const nodeIndexes = new WeakMap();

/** @param {Trace} trace @returns {(id: string | null | undefined) => SceneNode | undefined} */
function finder(trace) {
  const nodes = nodeIndexes.get(trace) ?? new Map(trace.scene.nodes.map((node) => [node.id, node]));
  nodeIndexes.set(trace, nodes);
  return (id) => (id === null || id === undefined ? undefined : nodes.get(id));
}

/**
 * A step read aloud.
 * @param {Trace} trace @param {number} k @param {Lang} lang @returns {string}
 */
export function sentence(trace, k, lang) {
  const find = finder(trace), step = trace.steps[k - 1];
  if (!step) {
    const n = Object.values(trace.pending).filter((count) => count > 0).length;
    return word("beforeSay", lang, { n });
  }
  const n = firing(trace, step, lang), inside = inGroup(trace, k, lang);
  const said = [word("stepOf", lang, { k, n: trace.steps.length }) + (lang === "zh" ? "：" : ".")];
  const gradients = (step.into ?? []).map(short).join(", ");
  if (step.kind === "start") said.push(word("startSay", lang, { c: trace.call, n, g: gradients }));
  if (step.kind === "op") said.push(word("opSay", lang, { n, g: gradients }));
  if (inside) said.push(inside + (lang === "zh" ? "。" : "."));
  if (step.kind === "accumulate") said.push(word("accSay", lang, { n: step.name ?? n, s: sum(step) }));
  if (step.kind === "error") said.push(word("errorSay", lang, { n, e: step.error ?? "" }), step.hint?.[lang] ?? "");
  if (step.kind === "op") {
    for (const { target, gradient, member } of step.out ?? []) {
      if (gradient && target) said.push(word("sends", lang, { g: gradient.short, n: member ?? called(find(target), lang) }));
    }
    for (const [id, waits] of Object.entries(step.pending ?? {})) {
      const mark = lang === "zh" ? "。" : ".";
      if (waits > 0) said.push(`${called(find(id), lang)} ${word("waitsMore", lang, { n: waits })}${mark}`);
    }
  }
  if (step.freed?.length) said.push(word("freedSay", lang, { n: step.freed.join(", ") }));
  if (k === trace.steps.length && trace.ended) said.push(word("endSay", lang));
  // a number such as 14. ends a sentence well enough
  return said.filter(Boolean).join(lang === "zh" ? "" : " ").replace(/\.\.(?= |$)/g, ".");
}

/**
 * A step explained, block by block, for the panel beside the picture.
 * @param {Trace} trace @param {number} k @param {Lang} lang @returns {Block[]}
 */
export function explain(trace, k, lang) {
  const find = finder(trace), step = trace.steps[k - 1];
  /** @param {Gradient | undefined} g @param {string} [note] */
  const shown = (g, note) => ({ text: g ? g.full : word("zero", lang), detail: g?.shape, note });
  /** @type {Block[]} */
  const blocks = [{ kind: "call", title: trace.call, rows: [{ text: trace.line || "" }] }];
  if (!step) {
    blocks.push({ kind: "head", title: word("atStart", lang), rows: [{ text: sentence(trace, 0, lang) }, { text: word("beforeHint", lang) }] });
    if (trace.retain_graph) blocks.push({ kind: "freed", title: "", rows: [{ text: word("retained", lang) }] });
    return blocks;
  }
  const node = find(step.node), n = firing(trace, step, lang), source = step.member?.source ?? node?.source ?? "";
  const heads = { start: "startHead", op: "opHead", accumulate: "accHead", error: "errorHead" };
  const head = word(heads[step.kind], lang, { n: step.kind === "accumulate" ? (step.name ?? n) : n });
  blocks.push({ kind: "head", title: head, rows: [{ text: inGroup(trace, k, lang) }, { text: source }].filter((row) => row.text) });
  if (step.kind === "error") {
    blocks.push({ kind: "error", title: "", rows: [{ text: step.error ?? "" }] });
    if (step.hint?.[lang]) blocks.push({ kind: "error", title: word("hintTitle", lang), rows: [{ text: step.hint[lang] }] });
  }
  const into = step.into ?? [];
  if (into.length) {
    const rows = into.map((g, i) => shown(g, into.length > 1 ? word("intoNr", lang, { n: i }) : undefined));
    blocks.push({ kind: "into", title: word("intoTitle", lang), rows });
  }
  if (step.kind === "accumulate") {
    const rows = [{ text: sum(step) }];
    if (step.after && step.after.full !== step.after.short) rows.push({ text: `${step.name}.grad = ${step.after.full}` });
    blocks.push({ kind: "sum", title: word("sumTitle", lang), rows });
  }
  if (step.rules?.length) {
    const rows = step.rules.map(({ rule, filled }) => ({ text: rule, detail: filled }));
    blocks.push({ kind: "rules", title: word("rulesTitle", lang), rows });
  }
  const out = (step.out ?? []).filter((sent) => sent.gradient);
  if (out.length) {
    const rows = out.map((sent) => shown(sent.gradient, word("to", lang, { n: sent.member ?? (sent.target ? called(find(sent.target), lang) : word("hidden", lang)) })));
    blocks.push({ kind: "out", title: word("outTitle", lang), rows });
  }
  const pending = Object.entries(step.pending ?? {});
  if (pending.length) {
    const rows = pending.map(([id, waits]) => ({
      text: called(find(id), lang),
      note: waits > 0 ? word("waitsMore", lang, { n: waits }) : word("readyMore", lang),
    }));
    blocks.push({ kind: "pending", title: word("pendingTitle", lang), rows });
  }
  if (step.freed?.length) {
    blocks.push({ kind: "freed", title: word("freedTitle", lang), rows: step.freed.map((text) => ({ text })) });
  }
  if (k === trace.steps.length && trace.ended) blocks.push({ kind: "end", title: word("endSay", lang), rows: [] });
  return blocks;
}

/**
 * The nodes whose name, label or module holds the text, in graph order.
 * @param {SceneNode[]} nodes @param {string} text @returns {string[]}
 */
export function findNodes(nodes, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  return nodes.filter((n) => [n.label, n.module, ...n.names].some((t) => t && t.toLowerCase().includes(wanted))).map((n) => n.id);
}

/**
 * The middle of an edge's path, `M x y C x y x y x y …`.
 * @param {string} d @returns {[number, number]}
 */
export function middle(d) {
  const n = (d.match(/-?[\d.]+(?:e-?\d+)?/g) ?? ["0", "0"]).map(Number);
  const curves = Math.floor((n.length - 2) / 6);
  if (curves < 1) return [n[0], n[1]];
  const at = 6 * Math.floor(curves / 2);
  if (curves % 2 === 0) return [n[at], n[at + 1]];
  const [x0, y0, x1, y1, x2, y2, x3, y3] = n.slice(at);
  return [(x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8];
}

/**
 * The loss curve in a box: a path, and what it says.
 * @param {[number, number][]} losses @param {number} width @param {number} height
 */
export function curve(losses, width, height) {
  const points = losses.filter((p) => Array.isArray(p) && p.every(Number.isFinite));
  if (points.length < 2) return null;
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const left = Math.min(...xs), across = Math.max(...xs) - left || 1;
  const low = Math.min(...ys), up = Math.max(...ys) - low || 1;
  const at = points.map(([x, y]) => [((x - left) / across) * width, height - ((y - low) / up) * height]);
  const d = "M" + at.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  return { d, end: at[at.length - 1], count: xs[xs.length - 1], first: ys[0], last: ys[ys.length - 1], low };
}

/** A number with four digits that count. @param {number} value */
export const brief = (value) => String(Number(value.toPrecision(4)));

// ------------------------------------------------------------------------------------------------------------ page parts

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element; texts among the children are texts, never markup.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {(Node | string | null)[]} children
 * @returns {any}
 */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** @param {string} tag @param {Record<string, any>} [attributes] @param {Node[]} children @returns {any} */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

// Drawn on 16 × 16, in lines of the text's colour.
const ICONS = {
  first: "M4 3.5v9M12.5 3.5 6.5 8l6 4.5z",
  back: "M10.5 3.5 4.5 8l6 4.5z",
  play: "M5 3.2v9.6L12.8 8z",
  pause: "M5 3.5v9M11 3.5v9",
  forward: "M5.5 3.5 11.5 8l-6 4.5z",
  last: "M12 3.5v9M3.5 3.5l6 4.5-6 4.5z",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2l3.3 3.3",
  save: "M8 2.5v7M5 6.8 8 9.8l3-3M3 12.8h10",
  fold: "M4.5 2.5 8 6l3.5-3.5M4.5 13.5 8 10l3.5 3.5",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h7v7h-7zM10.5 3.5h-7v7",
  graph: "M3.5 5.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M3.5 14.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M12.5 9.7a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M5.2 4.2 11 7.2M5.2 11.8 11 8.8",
};

/** @param {keyof typeof ICONS} name */
function icon(name) {
  return draw("svg", { class: "vl-icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, draw("path", { d: ICONS[name] }));
}

/** Width of a text in pixels at a size; Chinese characters are square. @param {string} text @param {number} size */
function textWidth(text, size) {
  let wide = 0;
  for (const char of text) wide += /[\u1100-\u115f\u2e80-\uffdc]/.test(char) ? 1 : 0.61;
  return wide * size;
}

/** A text that is not too long. @param {string} text @param {number} most */
const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** How many things may move at once, each by itself: more and the browser takes longer than a reader waits. */
const MANY = 60;

/** The pair that occurs most often. @param {[number, number][]} pairs @returns {[number, number]} */
function mostCommon(pairs) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const pair of pairs) counts.set(pair.join(), (counts.get(pair.join()) ?? 0) + 1);
  const [often] = [...counts].sort((a, b) => b[1] - a[1])[0];
  const [x, y] = often.split(",").map(Number);
  return [x, y];
}

/** Whether the reader asked for less motion. */
const still = () => typeof matchMedia !== "function" || matchMedia("(prefers-reduced-motion: reduce)").matches;

// What a step writes over the picture. It stands inside the SVG, so that a saved picture has it too.
const OVERLAY = `
.vl-label rect,.vl-badge rect{stroke-width:1}
.vl-label rect{fill:var(--viz-paper,#fff);stroke:var(--vl-flow,#4b3fd1);stroke-opacity:.35}
.viz .vl-label text{font-size:11px;fill:var(--vl-flow,#4b3fd1);font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.vl-label.fresh rect{fill:var(--vl-flow,#4b3fd1);stroke-opacity:1}.viz .vl-label.fresh text{fill:var(--viz-paper,#fff);font-weight:600}
.vl-badge rect{fill:var(--viz-paper,#fff);stroke:var(--viz-muted,#4a5365)}.viz .vl-badge text{font-size:10px;font-weight:600;fill:var(--viz-muted,#4a5365)}
.vl-badge.now rect{fill:var(--vl-flow,#4b3fd1);stroke:var(--vl-flow,#4b3fd1)}.viz .vl-badge.now text{fill:var(--viz-paper,#fff)}
.vl-badge.ready rect{stroke:var(--vl-flow,#4b3fd1);stroke-dasharray:3 2}.viz .vl-badge.ready text{fill:var(--vl-flow,#4b3fd1)}
.vl-badge.failed rect{fill:var(--viz-mark,#c24e00);stroke:var(--viz-mark,#c24e00)}.viz .vl-badge.failed text{fill:var(--viz-paper,#fff)}
.vl-ring{fill:none;stroke:var(--vl-flow,#4b3fd1);stroke-width:3}.vl-ring.failed{stroke:var(--viz-mark,#c24e00);stroke-dasharray:none}
.vl-ring.receiver{stroke-width:2;stroke-dasharray:5 3}
.vl-pass .node[data-state=waiting] .shape{fill-opacity:.25}.vl-pass .node[data-state=waiting] text{opacity:.62}
.viz .link.vl-flowed .edge{stroke:var(--vl-flow,#4b3fd1);stroke-opacity:.6}.viz .link.vl-fresh .edge{stroke:var(--vl-flow,#4b3fd1);stroke-width:2.6;stroke-opacity:1}
.viz .link.vl-flowed .arrow{fill:var(--vl-flow,#4b3fd1);stroke:var(--vl-flow,#4b3fd1)}
.vl-searching .node:not(.vl-hit),.vl-searching .link{opacity:.25}
.vl-moved path{fill:none;stroke:var(--viz-mark,#c24e00);stroke-width:1.6;stroke-dasharray:6 4}.vl-moved .vl-tip{fill:var(--viz-mark,#c24e00);stroke-dasharray:none}
.viz .vl-moved text{font-size:11px;font-weight:600;fill:var(--viz-mark,#c24e00);paint-order:stroke;stroke:var(--viz-paper,#fff);stroke-width:3px}
.vl-ghost{pointer-events:none}
`;

/** @type {Moment} */
const NOTHING = { nodes: new Map(), edges: new Map(), grads: new Map(), freed: new Map(), now: null, receiver: null };
let views = 0;

/**
 * @typedef {{ g: any, node: SceneNode, grad: any, final: string, badge: any }} NodePart
 * @typedef {{ g: any, at: [number, number], side: number, label: any }} EdgePart
 */

/** The picture: shown, moved about, and painted for a step. It listens on itself only, never on single nodes. */
class Stage {
  /** @param {{ lang: () => Lang, open: (id: string | null) => void }} panel */
  constructor(panel) {
    this.panel = panel;
    this.key = `v${++views}`;
    /** @type {HTMLElement} */
    this.canvas = make("div", { class: "vl-canvas" });
    // The picture's own style. It stays while pictures come and go: a new one would have the whole page styled anew.
    /** @type {HTMLStyleElement} */
    this.sheet = make("style");
    /** @type {HTMLElement} */
    this.element = make("div", { class: "vl-stage", role: "group" }, this.sheet, this.canvas);
    this.room = [0, 0]; // its width and height, as last measured: to ask for them has the page laid out at once
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {any} */
    this.svg = null;
    /** @type {any} */
    this.over = null;
    /** @type {any} */
    this.labels = null;
    /** @type {any} */
    this.badges = null;
    /** @type {Map<string, NodePart>} */
    this.nodes = new Map();
    /** @type {Map<number, EdgePart>} */
    this.edges = new Map();
    this.moment = NOTHING;
    /** @type {Animation[]} */
    this.motions = [];
    this.x = this.y = 0;
    this.scale = 1;
    this.offset = [0, 0];
    this.moved = false; // by hand: then a new scene does not move the view
    this.shownAt = 0;
    this.ring = draw("path", { class: "vl-ring" });
    this.receiver = draw("path", { class: "vl-ring receiver" });
    this.listen();
  }

  listen() {
    /** @type {Map<number, [number, number]>} */
    const fingers = new Map();
    let travelled = 0;
    const { element } = this;
    element.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return; // a plain wheel scrolls the notebook
      e.preventDefault();
      const view = element.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY * 0.01), e.clientX - view.left, e.clientY - view.top);
    }, { passive: false });
    element.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      travelled = 0;
    });
    element.addEventListener("pointermove", (e) => {
      const from = fingers.get(e.pointerId);
      if (!from) return;
      if (!e.buttons) return void fingers.delete(e.pointerId); // let go outside
      const dx = e.clientX - from[0], dy = e.clientY - from[1];
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
      if (other) {
        const before = Math.hypot(from[0] - other[0], from[1] - other[1]), view = element.getBoundingClientRect();
        const after = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        this.zoom(after / Math.max(before, 1), other[0] - view.left, other[1] - view.top);
      } else {
        travelled += Math.abs(dx) + Math.abs(dy);
        if (travelled < 4) return;
        if (!element.hasPointerCapture?.(e.pointerId)) element.setPointerCapture?.(e.pointerId);
        element.classList.add("vl-dragging");
        this.pan(dx, dy);
      }
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      element.addEventListener(end, (e) => {
        fingers.delete(/** @type {PointerEvent} */ (e).pointerId);
        element.classList.remove("vl-dragging");
      });
    }
    element.addEventListener("click", (e) => {
      if (travelled < 4) this.panel.open(this.idAt(e.target));
    });
    element.addEventListener("focusin", (e) => {
      const id = this.idAt(e.target);
      if (id) this.reveal(id);
    });
    element.addEventListener("scroll", () => { element.scrollLeft = element.scrollTop = 0; }); // a focus must not scroll it
  }

  /** @param {any} target @returns {string | null} */
  idAt(target) {
    return target?.closest?.(".node")?.getAttribute("data-id") ?? null;
  }

  /**
   * Show a scene; nodes that it shares with the last one travel to their new places, new ones come `inTurn` or at once.
   * @param {Scene | null} scene @param {boolean} [inTurn]
   */
  show(scene, inTurn = true) {
    if (scene === this.scene) return;
    const old = { scene: this.scene, nodes: this.nodes, offset: this.offset, x: this.x, y: this.y, scale: this.scale };
    this.rest();
    this.moment = NOTHING;
    this.nodes = new Map();
    this.edges = new Map();
    this.scene = scene;
    const parsed = scene?.svg ? new DOMParser().parseFromString(scene.svg, "text/html").body.firstElementChild : null; // faster than as XML
    if (!scene || !parsed || parsed.nodeName !== "svg") {
      this.canvas.replaceChildren();
      this.svg = this.over = null;
      return;
    }
    const svg = /** @type {any} */ (document.adoptNode(parsed));
    for (const attribute of ["style", "width", "height"]) svg.removeAttribute(attribute);
    svg.setAttribute("role", "group"); // its nodes can be reached: it is more than one image
    svg.setAttribute("width", scene.width);
    svg.setAttribute("height", scene.height);
    svg.querySelectorAll(":scope > title, :scope > desc").forEach((/** @type {any} */ e) => { e.id = `${e.id}-${this.key}`; });
    const [title] = (svg.getAttribute("aria-labelledby") ?? "").split(" ");
    svg.setAttribute("aria-labelledby", `${title}-${this.key}`);
    const style = svg.querySelector("style"), rules = (style?.textContent ?? "") + OVERLAY;
    if (this.sheet.textContent !== rules) this.sheet.textContent = rules;
    style?.remove();
    const inner = svg.querySelector(":scope > g") ?? svg;
    const shift = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(inner.getAttribute("transform") ?? "");
    this.offset = shift ? [Number(shift[1]), Number(shift[2])] : [0, 0];
    const byId = new Map(scene.nodes.map((node) => [node.id, node]));
    for (const g of inner.querySelectorAll(".node")) {
      const node = byId.get(g.getAttribute("data-id"));
      if (!node) continue;
      const grad = g.querySelector("text.grad");
      const part = { g, node, grad, final: grad?.textContent ?? "", badge: null };
      this.nodes.set(node.id, part);
      g.setAttribute("tabindex", "0");
      g.setAttribute("role", "button");
      this.name(part);
    }
    /** @type {Map<string, number[]>} */
    const beside = new Map(); // edges between the same two nodes: their labels must not cover each other
    scene.edges.forEach(({ source, target }, i) => {
      const key = `${source} ${target}`;
      beside.set(key, [...(beside.get(key) ?? []), i]);
    });
    for (const g of inner.querySelectorAll(".link")) {
      const position = Number(g.getAttribute("data-edge") ?? -1), path = g.querySelector("path.edge");
      const edge = scene.edges[position];
      if (!edge || !path) continue;
      const twins = beside.get(`${edge.source} ${edge.target}`) ?? [position];
      const side = twins.length > 1 ? twins.indexOf(position) - (twins.length - 1) / 2 : 0;
      this.edges.set(position, { g, at: middle(path.getAttribute("d")), side, label: null });
    }
    this.labels = draw("g", {});
    this.badges = draw("g", {});
    this.over = draw("g", { class: "vl-over" }, this.labels, this.badges);
    inner.append(this.over);
    this.svg = svg;
    const focused = this.idAt(document.activeElement);
    const held = focused !== null && this.canvas.contains(document.activeElement);
    this.canvas.replaceChildren(svg);
    if (held) this.nodes.get(focused)?.g.focus({ preventScroll: true });
    if (this.moved && scene.nodes.some((node) => old.nodes.has(node.id))) this.place();
    else this.fit(true);
    this.travel(old, inTurn);
  }

  /**
   * @param {{ scene: Scene | null, nodes: Map<string, NodePart>, offset: number[], x: number, y: number, scale: number }} old
   * @param {boolean} inTurn
   */
  travel(old, inTurn) {
    const now = Date.now(), pause = now - this.shownAt;
    this.shownAt = now;
    const scene = this.scene;
    // In a loop, scenes follow each other too fast for anything to travel, and hundreds of nodes take too long to.
    if (!scene || still() || pause < 400 || scene.nodes.length > 300 || typeof this.svg.animate !== "function") return;
    const shared = scene.nodes.flatMap((node) => {
      const before = old.nodes.get(node.id)?.node;
      return before ? [{ node, dx: before.x - node.x, dy: before.y - node.y }] : [];
    });
    // Of many nodes most move alike, as one more comes at the end: then the picture moves as one, and only what moves
    // within it by itself.
    const [alikeX, alikeY] = shared.length > MANY ? mostCommon(shared.map(({ dx, dy }) => [dx, dy])) : [0, 0];
    const alone = new Map(shared.filter(({ dx, dy }) => dx !== alikeX || dy !== alikeY).map((it) => [it.node.id, it]));
    if (shared.length > MANY) {
      const from = `translate(${old.x + old.scale * alikeX}px,${old.y + old.scale * alikeY}px) scale(${old.scale})`;
      this.move(this.canvas, [{ transform: from }, { transform: this.canvas.style.transform }], { duration: 280, easing: "cubic-bezier(.2,.7,.2,1)" });
    }
    const fresh = scene.nodes.filter((node) => !old.nodes.has(node.id));
    if (fresh.length + alone.size > MANY) return; // each is a layer of its own for the browser
    const delay = inTurn ? Math.min(70, 700 / Math.max(fresh.length, 1)) : 0;
    const late = new Map(fresh.map((node, i) => [node.id, i * delay]));
    for (const [id, { g }] of this.nodes) {
      const wait = late.get(id), moved = alone.get(id);
      if (wait !== undefined) {
        this.move(g, [{ opacity: 0 }, { opacity: 1 }], { duration: 220, delay: old.scene ? wait + 120 : wait });
      } else if (moved) {
        const from = `translate(${moved.dx - alikeX}px,${moved.dy - alikeY}px)`;
        this.move(g, [{ transform: from }, { transform: "none" }], { duration: 280, easing: "cubic-bezier(.2,.7,.2,1)" });
      }
    }
    for (const [position, { g }] of this.edges) {
      const { source, target } = scene.edges[position];
      const waits = [source, target].flatMap((id) => late.get(id) ?? (alone.has(id) ? 0 : []));
      if (!waits.length) continue; // both ends were there, and stay
      this.move(g, [{ opacity: 0 }, { opacity: 1 }], { duration: 240, delay: Math.max(...waits) + (old.scene ? 160 : 60) });
    }
    const gone = [...old.nodes].filter(([id]) => !this.nodes.has(id));
    if (gone.length && gone.length <= 100) {
      const shift = [old.offset[0] - this.offset[0], old.offset[1] - this.offset[1]];
      const ghosts = draw("g", { class: "vl-ghost", transform: `translate(${shift})`, "aria-hidden": "true" });
      for (const [, { g }] of gone) {
        g.removeAttribute("tabindex");
        g.removeAttribute("data-id");
        g.setAttribute("class", g.getAttribute("class").replace(/\bnode\b/, "vl-gone"));
        ghosts.append(g);
      }
      this.over.before(ghosts);
      const motion = this.move(ghosts, [{ opacity: 0.8 }, { opacity: 0 }], { duration: 320, fill: "forwards" });
      motion.finished.then(() => ghosts.remove(), () => ghosts.remove());
    }
  }

  /** @param {any} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} options @returns {Animation} */
  move(element, frames, options) {
    const motion = element.animate(frames, { fill: "backwards", ...options });
    motion.finished.catch(() => {});
    this.motions.push(motion);
    return motion;
  }

  /** End every motion where it leads. */
  rest() {
    for (const motion of this.motions) motion.cancel();
    this.motions = [];
  }

  /** What a screen reader says at a node. @param {NodePart} part @param {NodeState} [state] */
  name(part, state) {
    const { node } = part, lang = this.panel.lang();
    const said = [called(node, lang), word(`kind_${node.kind}`, lang)];
    if (node.value) said.push(node.value);
    else if (node.shape) said.push(node.shape);
    if (state) said.push(stateText(state, lang, true));
    part.g.setAttribute("aria-label", said.filter(Boolean).join(lang === "zh" ? "，" : ", "));
  }

  /** Everything again: the language has changed. */
  retell() {
    const moment = this.moment;
    this.moment = NOTHING;
    for (const part of this.nodes.values()) {
      part.badge?.remove();
      part.badge = null;
      this.name(part);
    }
    this.paint(moment, this.playing);
  }

  playing = false;

  /** Paint a step over the picture, touching only what differs from the step before. @param {Moment} moment @param {boolean} playing */
  paint(moment, playing) {
    if (!this.svg) return;
    const old = this.moment;
    this.moment = moment;
    this.playing = playing;
    this.svg.classList.toggle("vl-pass", playing);
    each(old.nodes, moment.nodes, sameState, (id, state) => this.dress(id, state));
    each(old.edges, moment.edges, (a, b) => a.text === b.text && a.fresh === b.fresh, (at, written) => this.write(at, written));
    each(old.grads, moment.grads, (a, b) => a === b, (id, text) => {
      const part = this.nodes.get(id);
      if (part?.grad) part.grad.textContent = text === undefined ? part.final : `grad ${text}`;
    });
    this.circle(this.ring, moment.now, 7);
    this.circle(this.receiver, moment.receiver, 5);
    this.ring.classList.toggle("failed", moment.now !== null && moment.nodes.get(moment.now)?.status === "failed");
  }

  /** @param {string} id @param {NodeState | undefined} state */
  dress(id, state) {
    const part = this.nodes.get(id);
    if (!part) return;
    if (state) part.g.setAttribute("data-state", state.status);
    else part.g.removeAttribute("data-state");
    this.name(part, state);
    const text = state ? stateText(state, this.panel.lang(), false) : "";
    if (!text) {
      if (part.badge) part.badge.style.display = "none";
      return;
    }
    if (!part.badge) {
      part.badge = draw("g", { "aria-hidden": "true" }, draw("rect", { height: 16, rx: 8 }), draw("text", { "text-anchor": "middle" }));
      this.badges.append(part.badge);
    }
    const [x, y] = this.corner(part.node), wide = textWidth(text, 10) + 12;
    const [rect, label] = part.badge.children;
    part.badge.setAttribute("class", `vl-badge ${state?.status}`);
    part.badge.style.display = "";
    put(rect, { x: x - 6, y: y - 9, width: wide });
    put(label, { x: x - 6 + wide / 2, y: y + 2.5 });
    label.textContent = text;
  }

  /** @param {number} position @param {{ text: string, fresh: boolean } | undefined} written */
  write(position, written) {
    const part = this.edges.get(position);
    if (!part) return;
    part.g.classList.toggle("vl-flowed", Boolean(written));
    part.g.classList.toggle("vl-fresh", Boolean(written?.fresh));
    if (!written) {
      part.label?.setAttribute("class", "vl-label");
      if (part.label) part.label.style.display = "none";
      return;
    }
    if (!part.label) {
      part.label = draw("g", {}, draw("rect", { height: 17, rx: 4 }), draw("text", { "text-anchor": "middle" }));
      this.labels.append(part.label);
    }
    const up = this.scene?.direction === "up", text = (up ? "↓ " : "← ") + clip(written.text, 20);
    const wide = textWidth(text, 11) + 8, [rect, label] = part.label.children;
    const x = part.at[0] + (up ? part.side * (wide + 2) : 0), y = part.at[1] + (up ? 0 : part.side * 19);
    part.label.setAttribute("class", `vl-label${written.fresh ? " fresh" : ""}`);
    part.label.style.display = "";
    put(rect, { x: x - wide / 2, y: y - 8.5, width: wide });
    put(label, { x, y: y + 4 });
    label.textContent = text;
  }

  /** @param {any} ring @param {string | null} id @param {number} room */
  circle(ring, id, room) {
    const node = id === null ? undefined : this.nodes.get(id)?.node;
    if (!node) return ring.remove();
    const wide = node.width + 2 * room, high = node.height + 2 * room;
    const [x, y] = [node.x - this.offset[0] - wide / 2, node.y - this.offset[1] - high / 2];
    ring.setAttribute("d", `M${x + 8} ${y}h${wide - 16}a8 8 0 0 1 8 8v${high - 16}a8 8 0 0 1 -8 8h${16 - wide}a8 8 0 0 1 -8 -8v${16 - high}a8 8 0 0 1 8 -8z`);
    if (ring.parentNode !== this.over) this.over.prepend(ring);
  }

  /** Top left of a node, where the picture's own parts are placed. @param {SceneNode} node @returns {[number, number]} */
  corner(node) {
    return [node.x - node.width / 2 - this.offset[0], node.y - node.height / 2 - this.offset[1]];
  }

  /** Names that now stand for another tensor: an arrow from the old to the new. @param {Scene} scene */
  showMoved(scene) {
    this.over?.querySelectorAll(".vl-moved").forEach((/** @type {any} */ e) => e.remove());
    for (const { name, from, to } of scene.moved) {
      const a = from === null ? undefined : this.nodes.get(from)?.node, b = this.nodes.get(to)?.node;
      const g = draw("g", { class: "vl-moved" });
      const [ox, oy] = this.offset;
      if (b) {
        const text = draw("text", { x: b.x - ox, y: b.y - oy + b.height / 2 + 14, "text-anchor": "middle" });
        text.textContent = `↳ ${name}`;
        g.append(text);
      }
      if (a && b) {
        const [x0, y0, x1, y1] = [a.x - ox, a.y - oy - a.height / 2, b.x - ox, b.y - oy - b.height / 2];
        const top = Math.max(-20, Math.min(y0, y1) - 26 - Math.abs(x1 - x0) * 0.06); // inside the picture's margin
        g.append(draw("path", { d: `M${x0} ${y0}C${x0} ${top} ${x1} ${top} ${x1} ${y1 - 3}` }));
        g.append(draw("path", { class: "vl-tip", d: `M${x1} ${y1}l-4 -8h8z` }));
      }
      this.over?.append(g);
    }
  }

  /** @param {Set<string> | null} hits */
  mark(hits) {
    if (!hits && !this.svg?.classList.contains("vl-searching")) return;
    this.svg?.classList.toggle("vl-searching", hits !== null);
    for (const [id, { g }] of this.nodes) g.classList.toggle("vl-hit", Boolean(hits?.has(id)));
  }

  // -- moving about

  measure() {
    this.room = [this.element.clientWidth, this.element.clientHeight];
  }

  place() {
    this.canvas.style.transform = `translate(${this.x}px,${this.y}px) scale(${this.scale})`;
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.moved = true;
    this.place();
  }

  /** @param {number} factor @param {number} [px] @param {number} [py] */
  zoom(factor, px = this.room[0] / 2, py = this.room[1] / 2) {
    const next = Math.min(6, Math.max(0.03, this.scale * factor));
    this.x = px - ((px - this.x) * next) / this.scale;
    this.y = py - ((py - this.y) * next) / this.scale;
    this.scale = next;
    this.moved = true;
    this.place();
  }

  /** All of it, in the middle; `readable`: of a large graph rather the node that runs, or the result, large enough to read. @param {boolean} [readable] */
  fit(readable = false) {
    const [wide, high] = this.room, scene = this.scene;
    if (!scene || !wide || !high) return;
    this.moved = false;
    this.scale = Math.min(1.25, wide / scene.width, high / scene.height);
    if (readable && this.scale < 0.4) {
      this.scale = 0.6;
      const now = this.moment.now ?? scene.roots[0];
      const root = scene.nodes.find((node) => node.id === now) ?? scene.nodes[scene.nodes.length - 1];
      if (root) return this.centre(root);
    }
    this.x = (wide - scene.width * this.scale) / 2;
    this.y = (high - scene.height * this.scale) / 2;
    this.place();
  }

  /** A node in the middle, as near as it can be without an empty margin beside a graph that is larger than the room. @param {SceneNode} node */
  centre(node) {
    const [wide, high] = this.room, scene = this.scene;
    if (!scene) return;
    this.x = within(wide / 2 - node.x * this.scale, wide, scene.width * this.scale);
    this.y = within(high / 2 - node.y * this.scale, high, scene.height * this.scale);
    this.place();
  }

  /** Bring a node into view if it is not. @param {string} id */
  reveal(id) {
    const node = this.nodes.get(id)?.node;
    if (!node) return;
    const [wide, high] = this.room;
    const x = this.x + node.x * this.scale, y = this.y + node.y * this.scale;
    const halfX = (node.width / 2) * this.scale, halfY = (node.height / 2) * this.scale;
    if (x - halfX < 0 || y - halfY < 0 || x + halfX > wide || y + halfY > high) this.centre(node);
  }

  /** The picture as it stands, in the colours of this page, as a text of its own. @returns {string} */
  source() {
    const copy = this.svg.cloneNode(true), rules = draw("style");
    rules.textContent = this.sheet.textContent;
    copy.prepend(rules);
    copy.setAttribute("xmlns", SVG);
    copy.querySelectorAll("[tabindex]").forEach((/** @type {any} */ e) => { e.removeAttribute("tabindex"); e.removeAttribute("role"); });
    const style = getComputedStyle(this.svg);
    const names = new Set((rules.textContent ?? "").match(/--v(?:iz|l)-[\w-]+/g) ?? []);
    const colours = [...names].map((name) => `${name}:${style.getPropertyValue(name).trim()}`).filter((rule) => !rule.endsWith(":"));
    copy.setAttribute("style", colours.join(";"));
    return new XMLSerializer().serializeToString(copy);
  }
}

/** Where a picture of this size starts in the room: in its middle if it fits, else at `at` or where it still fills the room. @param {number} at @param {number} room @param {number} size */
function within(at, room, size) {
  return size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at));
}

/** @param {any} element @param {Record<string, number>} attributes */
function put(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value.toFixed(1));
}

/** @param {NodeState} a @param {NodeState} b */
const sameState = (a, b) => a.status === b.status && a.waits === b.waits && a.got === b.got && a.order === b.order && a.fired === b.fired;

/**
 * Calls `change(key, value)` for what is new or different in `after`, and `change(key)` for what is no longer there.
 * @template K, V @param {Map<K, V>} before @param {Map<K, V>} after @param {(a: V, b: V) => boolean} same
 * @param {(key: K, value: V | undefined) => void} change
 */
export function each(before, after, same, change) {
  for (const key of before.keys()) if (!after.has(key)) change(key, undefined);
  for (const [key, value] of after) {
    const old = before.get(key);
    if (old === undefined || !same(old, value)) change(key, value);
  }
}

/** A node's state in words: on its badge, or in `full` for a screen reader. @param {NodeState} state @param {Lang} lang @param {boolean} full */
export function stateText(state, lang, full) {
  switch (state.status) {
    case "now": return (full ? "" : "▶ ") + word("now", lang) + (state.of > 1 ? ` ${state.fired}/${state.of}` : "");
    case "part": return word("partOf", lang, { k: state.fired, n: state.of });
    case "failed": return (full ? "" : "✕ ") + word("failed", lang);
    case "ready": return word("ready", lang);
    case "done": return full ? word("doneWord", lang, { n: state.order }) : `✓ ${state.order}`;
    // Almost every node waits for one gradient; on the picture that is worth saying only where there were more.
    default: return state.waits > 1 || state.got || (full && state.waits) ? word("waits", lang, { n: state.waits }) : "";
  }
}

// ---------------------------------------------------------------------------------------------------------------- saving

const KEYS = ["scene", "trace", "losses", "step", "view", "language", "speed", "height"];

/**
 * A model without a kernel: for the saved page, and for tests.
 * @param {Record<string, any>} state @returns {Model & { sent: any[], tell(event: string, ...said: any[]): void }}
 */
export function standIn(state) {
  const data = { ...state };
  /** @type {Map<string, Set<(...args: any[]) => void>>} */
  const listeners = new Map();
  /** @type {any[]} */
  const sent = [];
  /** @param {string} event @param {any[]} said */
  const tell = (event, ...said) => { for (const callback of [...(listeners.get(event) ?? [])]) callback(...said); };
  return {
    sent,
    get: (key) => data[key],
    set(key, value) {
      if (Object.is(data[key], value)) return;
      data[key] = value;
      tell(`change:${key}`);
    },
    tell,
    save_changes() {},
    send: (content) => { sent.push(content); },
    on(event, callback) {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event)?.add(callback);
    },
    off: (event, callback) => { listeners.get(event)?.delete(callback); },
  };
}

/**
 * A page that shows the panel as it is and still plays the pass; it asks the network for nothing.
 * @param {Model} model @param {string} title @param {Lang} lang @returns {string}
 */
export function page(model, title, lang) {
  const inside = (/** @type {string} */ text, /** @type {string} */ tag) => text.replace(new RegExp(`</(?=${tag})`, "gi"), "<\\/");
  const code = String(model.get("_esm")).replace(/^export default \{ render \};$/m, "globalThis.vizLive = { render, standIn };").replace(/^export (?=function|const|class)/gm, "");
  const state = Object.fromEntries(KEYS.map((key) => [key, model.get(key)]));
  const json = JSON.stringify({ ...state, following: null }).replace(/</g, "\\u003c");
  const safe = title.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${safe}</title>
<style>:root{color-scheme:light dark}body{margin:12px}</style>
<style id="look">${inside(String(model.get("_css")), "style")}</style></head>
<body><div id="panel"></div>
<script type="application/json" id="state">${json}</` + `script>
<script type="module" id="code">${inside(code, "script")}</` + `script>
<script type="module">
const { render, standIn } = globalThis.vizLive;
const textOf = (id) => document.getElementById(id).textContent;
render({ model: standIn({ ...JSON.parse(textOf("state")), _esm: textOf("code"), _css: textOf("look") }), el: document.getElementById("panel") });
</` + `script></body></html>
`;
}

/** @param {string} name @param {string | Blob} content @param {string} [type] */
function download(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** @param {string} source @param {number} width @param {number} height @returns {Promise<Blob>} */
async function toPng(source, width, height) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(source);
  await image.decode();
  const scale = Math.min(2, 16_000 / Math.max(width, height)); // browsers refuse larger ones
  const canvas = make("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((/** @type {Blob | null} */ blob) => (blob ? resolve(blob) : reject(new Error("PNG")))));
}

/** @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // not allowed here, as in frames of other origins
    const area = make("textarea", { class: "vl-unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// ------------------------------------------------------------------------------------------------------------- the panel

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const PATIENCE = 2500; // ms: as long an idle kernel may take to answer

/**
 * The panel in `el`. Returns what takes it away again.
 * @param {{ model: Model, el: HTMLElement }} context @returns {() => void}
 */
function render({ model, el }) {
  // -- what changes without the kernel
  /** @type {Lang} */
  let lang = "en";
  /** @type {string | null} */
  let opened = null; // the node whose card is open
  /** @type {any} */
  let marked = null; // its shape in the picture
  let playing = 0; // a timer
  let setting = false; // a change of the model that comes from here
  let waiting = 0; // since when the kernel owes an answer
  let unfolded = false;
  /** @type {string[]} */
  let hits = [];
  let hit = -1;
  let gone = false;
  let asked = 0; // a timer: the kernel is to say whether it still has this panel
  let unanswered = false;
  let spoken = "";
  const born = { scene: model.get("kernel"), trace: model.get("kernel") }; // the kernels that made what is shown

  // -- texts that follow the language
  /** @type {(() => void)[]} */
  const texts = [];
  /** @param {() => void} tell */
  const retell = (tell) => { texts.push(tell); };
  /** @param {string} key @param {Record<string, any>} [values] */
  const w = (key, values) => word(key, lang, values);

  /** @param {keyof typeof ICONS} name @param {string} key @param {() => void} act @param {string} [kind] */
  function button(name, key, act, kind = "") {
    const element = make("button", { type: "button", class: `vl-button ${kind}` }, icon(name));
    retell(() => { element.title = w(key); element.setAttribute("aria-label", w(key)); });
    element.addEventListener("click", act);
    return element;
  }
  /** @param {string} tag @param {string} key @param {Record<string, any>} [attributes] */
  function spoke(tag, key, attributes) {
    const element = make(tag, attributes);
    retell(() => { element.textContent = w(key); });
    return element;
  }
  /** @param {any} element @param {string} key */
  function labelled(element, key) {
    retell(() => element.setAttribute("aria-label", w(key)));
    return element;
  }

  // -- the parts
  const stage = new Stage({ lang: () => lang, open: (id) => openCard(id) });
  labelled(stage.element, "stage");
  const message = make("div", { class: "vl-message", hidden: true });
  const note = make("div", { class: "vl-note", hidden: true });
  stage.element.append(message, note);

  const liveTab = make("button", { type: "button", class: "vl-tab" }, spoke("span", "live"));
  const passTab = make("button", { type: "button", class: "vl-tab" }, spoke("span", "pass"));
  const passMark = make("span", { class: "vl-new", hidden: true }, "●");
  passTab.append(passMark);
  retell(() => { liveTab.title = w("liveHint"); passTab.title = w("passHint"); });
  liveTab.addEventListener("click", () => put({ view: "live" }));
  passTab.addEventListener("click", () => put({ view: "pass" }));

  const status = make("span", { class: "vl-status" });
  const search = make("input", { type: "search", class: "vl-input", autocomplete: "off", spellcheck: "false" });
  retell(() => { search.placeholder = w("search"); search.title = w("searchHint"); search.setAttribute("aria-label", w("searchHint")); });
  const found = make("output", { class: "vl-found" });
  const loss = make("div", { class: "vl-loss", hidden: true });
  const foldButton = button("fold", "fold", () => ask({ type: "fold" }));
  const saveButton = button("save", "save", () => menu(saveMenu.hidden));
  saveButton.setAttribute("aria-haspopup", "menu");
  const saveMenu = make("div", { class: "vl-menu", role: "menu", hidden: true });
  for (const [key, kind] of [["saveSvg", "svg"], ["savePng", "png"], ["saveHtml", "html"]]) {
    const item = spoke("button", key, { type: "button", role: "menuitem", class: "vl-item", "data-save": kind });
    item.addEventListener("click", () => { menu(false); save(kind); });
    saveMenu.append(item);
  }
  const language = make("button", { type: "button", class: "vl-button vl-language" });
  retell(() => {
    language.replaceChildren(make("span", { class: lang === "zh" ? "on" : "" }, "中"), make("span", {}, "/"), make("span", { class: lang === "en" ? "on" : "" }, "EN"));
    language.title = lang === "zh" ? "Switch to English" : "切换到中文";
    language.setAttribute("aria-label", language.title);
  });
  language.addEventListener("click", () => put({ language: lang === "zh" ? "en" : "zh" }));

  const head = make("div", { class: "vl-head" },
    make("div", { class: "vl-brand" }, icon("graph"), spoke("strong", "title")),
    labelled(make("div", { class: "vl-tabs", role: "group" }, liveTab, passTab), "views"),
    status, make("span", { class: "vl-space" }), loss,
    make("label", { class: "vl-search" }, icon("search"), search, found),
    labelled(make("div", { class: "vl-tools", role: "group" },
      button("minus", "zoomOut", () => stage.zoom(0.8)),
      button("fit", "fit", () => stage.fit()),
      button("plus", "zoomIn", () => stage.zoom(1.25)),
      foldButton, make("span", { class: "vl-holder" }, saveButton, saveMenu), language), "tools"));

  const card = make("section", { class: "vl-card", hidden: true });
  const steps = make("section", { class: "vl-steps", hidden: true });
  const side = make("div", { class: "vl-side" }, card, steps);
  const body = make("div", { class: "vl-body" }, stage.element, side);

  const playButton = button("play", "play", () => toggle(), "vl-play");
  const slider = make("input", { type: "range", class: "vl-slider", min: 0, max: 0, step: 1 });
  labelled(slider, "slider");
  slider.addEventListener("input", () => { pause(); go(Number(slider.value)); });
  const count = make("span", { class: "vl-count" });
  const speed = make("select", { class: "vl-speed" });
  labelled(speed, "speed");
  speed.addEventListener("change", () => put({ speed: Number(speed.value) }));
  const player = labelled(make("div", { class: "vl-player", role: "group" },
    button("first", "first", () => { pause(); go(0); }),
    button("back", "back", () => { pause(); go(at() - 1); }),
    playButton,
    button("forward", "forward", () => { pause(); go(at() + 1); }),
    button("last", "last", () => { pause(); go(Infinity); }),
    slider, count, speed), "player");

  const say = make("div", { class: "vl-unseen", role: "status", "aria-live": "polite" });
  const root = make("div", { class: "viz-live", role: "region", tabindex: "0", "data-lm-suppress-shortcuts": "true" }, head, body, player, say);
  retell(() => { root.lang = lang === "zh" ? "zh-CN" : "en"; root.setAttribute("aria-label", w("title")); root.setAttribute("aria-description", w("keys")); });

  // -- the model
  const trace = () => /** @type {Trace | null} */ (model.get("trace") ?? null);
  const scene = () => /** @type {Scene | null} */ (model.get("scene") ?? null);
  const inPass = () => model.get("view") === "pass";
  const shown = () => (inPass() ? (trace()?.scene ?? null) : scene());
  const at = () => Math.min(Math.max(model.get("step") || 0, 0), trace()?.steps.length ?? 0);

  /** @param {Record<string, any>} changes */
  function put(changes) {
    setting = true;
    try {
      for (const [key, value] of Object.entries(changes)) model.set(key, value);
    } finally {
      setting = false;
    }
    // At once: ipywidgets keeps back what the kernel cannot take yet, and knows by that which echoes are out of date.
    try { model.save_changes(); } catch { /* the kernel is gone; the panel goes on */ }
  }
  /** Ask the kernel, which answers with a new scene when it is free. @param {any} content */
  function ask(content) {
    unfolded = content.type === "unfold";
    waiting = Date.now();
    try { model.send(content); } catch { waiting = 0; }
    tellStatus();
  }

  /**
   * Ask the kernel whether it has anything newer than what is shown: a message may have been lost, and a panel in a
   * notebook that was opened again may show what a kernel of long ago made.
   */
  function check() {
    if (asked || gone) return;
    try { model.send({ type: "check", scene: scene()?.serial ?? 0, trace: trace()?.serial ?? 0 }); } catch { /* no answer will come */ }
    asked = window.setTimeout(() => {
      asked = 0;
      unanswered = true;
      if (kernel?.status === "idle") gone = true; // a busy one answers late
      tellStatus();
    }, PATIENCE);
  }
  /** The kernel has said something. */
  function answered() {
    window.clearTimeout(asked);
    asked = 0;
    unanswered = gone = false;
    waiting = 0;
  }

  // -- stepping
  /** @param {number} step */
  function go(step) {
    const pass = trace();
    if (!pass) return;
    put({ view: "pass", step: Math.min(Math.max(step, 0), pass.steps.length) });
  }
  function toggle() {
    if (playing) return pause();
    const pass = trace();
    if (!pass) return;
    if (at() >= pass.steps.length) go(0);
    else go(at());
    tick();
    tellPlayer();
  }
  function tick() {
    playing = window.setTimeout(() => {
      go(at() + 1);
      if (at() < (trace()?.steps.length ?? 0)) tick();
      else pause();
    }, 1000 / (model.get("speed") || 1));
  }
  function pause() {
    if (!playing) return;
    window.clearTimeout(playing);
    playing = 0;
    tellPlayer();
    announce();
  }

  // -- what is shown
  function showAll() {
    const wrong = problem(model.get("version"), scene(), trace());
    if (wrong) {
      pause();
      stage.show(null);
      announceNothing();
      tell(w(wrong[0], { n: wrong[1] }), "", "");
      side.hidden = true;
      return;
    }
    const now = shown();
    stage.show(now, !inPass());
    if (opened !== null && !stage.nodes.has(opened)) opened = null;
    if (!now) tell(w(inPass() ? "noPass" : "empty"), w(inPass() ? "noPassHint" : "emptyHint"), inPass() ? "loss.backward()" : "w = torch.tensor(2., requires_grad=True)");
    else if (!stage.svg) tell(now.note?.[lang] || w("empty"), "", "");
    else message.hidden = true;
    if (now && !inPass()) stage.showMoved(now);
    find(false);
    tellNote();
    tellStatus();
    showStep();
  }
  function announceNothing() { spoken = say.textContent = ""; }

  /** @param {string} headline @param {string} hint @param {string} code */
  function tell(headline, hint, code) {
    message.hidden = false;
    message.replaceChildren(icon("graph"), make("strong", {}, headline));
    if (hint) message.append(make("span", {}, hint));
    if (code) message.append(make("code", {}, code));
  }

  function showStep() {
    const pass = trace();
    const stepping = inPass() && pass !== null && stage.svg !== null;
    stage.paint(stepping ? momentAt(pass, at()) : NOTHING, stepping);
    if (stage.moment.now !== null) stage.reveal(stage.moment.now);
    steps.hidden = !stepping;
    if (stepping) steps.replaceChildren(...explain(pass, at(), lang).map(block));
    showCard();
    tellPlayer();
    if (stepping) announce();
  }

  /** A block of the step's explanation. @param {Block} b */
  function block(b) {
    const rows = b.rows.filter((row) => row.text);
    if (b.kind === "call") {
      return make("div", { class: "vl-call" }, make("code", {}, b.title), ...rows.map((row) => make("span", {}, row.text)));
    }
    if (b.kind === "head") {
      return make("div", { class: "vl-step" }, at() ? make("span", { class: "vl-kicker" }, w("stepOf", { k: at(), n: trace()?.steps.length ?? 0 })) : null,
        make("h3", {}, b.title), ...rows.map((row) => make("p", {}, row.text)));
    }
    const lines = rows.map((row) => {
      const line = make("div", { class: "vl-row" }, row.note ? make("span", { class: "vl-dim" }, row.note) : null);
      const code = make("code", {}, row.text);
      if (b.kind === "rules") line.append(code, ...(row.detail ? [make("code", { class: "vl-filled" }, `= ${row.detail}`)] : []));
      else if (b.kind === "pending") line.prepend(code);
      else line.append(code, ...(row.detail && row.detail !== "()" ? [make("span", { class: "vl-dim" }, row.detail)] : []));
      return line;
    });
    return make("div", { class: `vl-block vl-${b.kind}` }, b.title ? make("h4", {}, b.title) : null, ...lines);
  }

  function announce() {
    const pass = trace();
    if (!pass || !inPass()) return;
    if (playing && (model.get("speed") || 1) > 2) return; // faster than anyone can be read to
    const text = sentence(pass, at(), lang);
    slider.setAttribute("aria-valuetext", text);
    if (text !== spoken) spoken = say.textContent = text;
  }

  function tellPlayer() {
    const pass = trace(), n = pass?.steps.length ?? 0, k = at();
    player.hidden = !pass;
    player.classList.toggle("vl-quiet", !inPass());
    slider.max = String(n);
    if (Number(slider.value) !== k) slider.value = String(k);
    slider.style.setProperty("--done", `${n ? (100 * k) / n : 0}%`);
    count.textContent = `${k} / ${n}`;
    const name = playing ? "pause" : "play";
    if (playButton.dataset.icon !== name) {
      playButton.dataset.icon = name;
      playButton.replaceChildren(icon(name));
    }
    playButton.title = w(name);
    playButton.setAttribute("aria-label", w(name));
    const [first, back, , forward, last] = player.children;
    first.disabled = back.disabled = inPass() && k === 0;
    forward.disabled = last.disabled = inPass() && k === n;
  }

  function tellSpeed() {
    const chosen = model.get("speed") || 1;
    const offered = [...new Set([...SPEEDS, chosen])].sort((a, b) => a - b);
    speed.replaceChildren(...offered.map((n) => make("option", { value: n, selected: n === chosen }, w("perSecond", { n }))));
    speed.value = String(chosen);
  }

  function tellTabs() {
    liveTab.setAttribute("aria-pressed", String(!inPass()));
    passTab.setAttribute("aria-pressed", String(inPass()));
    if (inPass()) passMark.hidden = true;
  }

  function tellStatus() {
    const now = shown(), old = isOld();
    const cell = now?.cell ? w("inCell", { n: now.cell }) : "";
    /** @type {[string, string]} */
    let [state, text] = ["following", [w("following"), cell].filter(Boolean).join(" · ")];
    if (model.get("following") === null) [state, text] = ["saved", cell]; // a saved page follows nothing
    else if (old) [state, text] = ["old", `⚠ ${w("old")}`];
    else if (unanswered && kernel?.status === "busy") [state, text] = ["waiting", w("waitingKernel")];
    else if (unanswered) [state, text] = ["old", `⚠ ${w("unanswered")}`];
    else if (waiting) [state, text] = ["waiting", w("waitingKernel")];
    else if (model.get("following") === false) [state, text] = ["stopped", `■ ${w("stopped")}`];
    else if (scene()?.busy && !inPass()) [state, text] = ["busy", [cell, w("running")].filter(Boolean).join(" · ")];
    status.dataset.state = state;
    if (status.textContent !== text) status.textContent = text;
    status.title = text;
    root.classList.toggle("vl-old", old);
    foldButton.hidden = !(unfolded || shown()?.nodes.some((node) => node.kind === "folded"));
  }

  /** The state is from a kernel that is no longer there. */
  function isOld() {
    if (gone) return true;
    const kernel = model.get("kernel");
    return kernel !== undefined && (inPass() ? born.trace : born.scene) !== kernel && shown() !== null;
  }

  function tellNote() {
    const now = shown();
    const said = (inPass() ? [] : (now?.moved ?? []).map((m) => w("moved", { n: m.name })));
    if (now?.note?.[lang] && stage.svg) said.push(now.note[lang]);
    note.hidden = !said.length;
    note.replaceChildren(...said.map((text) => make("p", {}, text)));
  }

  function tellLoss() {
    const box = [84, 22], drawn = curve(model.get("losses") ?? [], box[0], box[1]);
    loss.hidden = !drawn;
    if (!drawn) return;
    const { d, end, count: n, first, last, low } = drawn;
    const label = w("lossSay", { n, a: brief(first), b: brief(last), c: brief(low) });
    const picture = draw("svg", { viewBox: `-3 -3 ${box[0] + 6} ${box[1] + 6}`, role: "img", "aria-label": label, class: "vl-spark" },
      draw("path", { d }), draw("circle", { cx: end[0], cy: end[1], r: 2.4 }));
    loss.replaceChildren(picture, make("span", { class: "vl-dim" }, w("loss")), make("code", {}, brief(last)));
    loss.title = label;
  }

  // -- cards
  /** @param {string | null} id */
  function openCard(id) {
    if (id === opened && id !== null) return;
    opened = id;
    showCard();
  }
  function closeCard() {
    const id = opened;
    opened = null;
    showCard();
    if (id !== null) stage.nodes.get(id)?.g.focus({ preventScroll: true });
  }
  function showCard() {
    const part = opened === null ? undefined : stage.nodes.get(opened);
    card.hidden = !part;
    const bare = card.hidden && steps.hidden;
    if (side.hidden !== bare) {
      side.hidden = bare;
      stage.measure();
      if (!stage.moved) stage.fit(true);
    }
    marked?.classList.remove("vl-open");
    marked = part?.g ?? null;
    if (!part) return card.replaceChildren();
    marked.classList.add("vl-open");
    const { node } = part, moment = stage.moment;
    const list = make("dl", {});
    /** @param {string} key @param {(string | null)[]} values @param {string} [tag] */
    const row = (key, values, tag = "code") => {
      const known = values.filter((v) => v !== null && v !== "");
      if (known.length) list.append(make("dt", {}, w(key)), make("dd", {}, ...known.map((v) => make(tag, {}, v))));
    };
    row("cName", node.names.filter((name) => name !== node.label));
    row("cFormula", node.formula);
    row("cValue", [node.value]);
    row("cShape", [node.shape]);
    row("cDtype", [node.dtype]);
    row("cGrad", [moment.grads.get(node.id) ?? node.grad]);
    const stepping = inPass() && trace() !== null, freed = moment.freed.get(node.id);
    const slips = node.saved.map((s) => {
      const state = stepping && s.state === "freed" && !freed?.has(s.slot) ? "kept" : freed?.has(s.slot) ? "freed" : s.state;
      return make("div", { class: `vl-slip ${state}` }, make("code", {}, state === "freed" || !s.text ? s.slot : `${s.slot} = ${s.text}`), make("span", {}, w(state)));
    });
    if (slips.length) list.append(make("dt", {}, w("cSaved")), make("dd", {}, ...slips));
    row("cHooks", node.hooks);
    row("cModule", [node.module]);
    row("cSource", [node.source]);
    if (node.expression) {
      const copy = make("button", { type: "button", class: "vl-button", title: w("copy"), "aria-label": `${w("copy")}: ${node.expression}` }, icon("copy"));
      copy.addEventListener("click", () => copyText(node.expression).then(() => { spoken = say.textContent = copy.title = w("copied"); copy.classList.add("vl-done"); }));
      list.append(make("dt", {}, w("cPython")), make("dd", { class: "vl-copy" }, make("code", {}, node.expression), copy));
    }
    const close = make("button", { type: "button", class: "vl-button", title: w("close"), "aria-label": w("close") }, icon("close"));
    close.addEventListener("click", closeCard);
    const kind = w(`kind_${node.kind}`) + (node.count > 1 ? ` · ${w("holds", { n: node.count })}` : "");
    card.setAttribute("aria-label", called(node, lang));
    card.replaceChildren(make("header", {}, make("span", { class: `vl-swatch ${node.kind}` }), make("div", {}, make("h3", {}, called(node, lang)), make("p", { class: "vl-dim" }, kind)), close), list);
    if (node.kind === "folded") {
      const open = make("button", { type: "button", class: "vl-wide" }, w("open"));
      open.addEventListener("click", () => ask({ type: "unfold", id: node.id }));
      card.append(open);
    }
  }

  // -- finding
  /** @param {boolean} [jump] */
  function find(jump = true) {
    const now = shown();
    hits = now ? findNodes(now.nodes, search.value) : [];
    hit = -1;
    stage.mark(search.value.trim() ? new Set(hits) : null);
    found.textContent = search.value.trim() ? String(hits.length) : "";
    if (jump && hits.length) next(1);
  }
  /** @param {number} by */
  function next(by) {
    if (!hits.length) return;
    hit = (hit + by + hits.length) % hits.length;
    found.textContent = `${hit + 1}/${hits.length}`;
    const node = stage.nodes.get(hits[hit])?.node;
    if (!node) return;
    if (stage.scale < 0.6) stage.scale = 0.8;
    stage.centre(node);
    stage.moved = true;
    openCard(node.id);
  }
  search.addEventListener("input", () => find());
  search.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key === "Enter") next(e.shiftKey ? -1 : 1);
  });

  // -- saving
  /** @param {boolean} open */
  function menu(open) {
    saveMenu.hidden = !open;
    saveButton.setAttribute("aria-expanded", String(open));
    if (open) saveMenu.firstElementChild?.focus();
  }
  saveMenu.parentElement.addEventListener("focusout", (/** @type {FocusEvent} */ e) => {
    if (!saveMenu.parentElement.contains(/** @type {Node} */ (e.relatedTarget))) menu(false);
  });
  /** @param {string} kind */
  async function save(kind) {
    const now = shown();
    if (kind === "html") return download("graph.html", page(model, w("title"), lang), "text/html;charset=utf-8");
    if (!now || !stage.svg) return;
    const source = stage.source();
    if (kind === "svg") download("graph.svg", source, "image/svg+xml");
    else download("graph.png", await toPng(source, now.width, now.height));
  }

  // -- the keyboard
  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    e.stopPropagation(); // the notebook's own keys are not meant
    const target = /** @type {any} */ (e.target), typing = target.matches("input, select, textarea");
    if (e.key === "Escape") return escape(e);
    if (typing) return;
    const pressed = target.closest("button");
    if (target.closest(".vl-menu") && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      e.preventDefault();
      const items = [...saveMenu.children], i = items.indexOf(target) + (e.key === "ArrowDown" ? 1 : -1);
      return items[(i + items.length) % items.length].focus();
    }
    if (pressed && (e.key === " " || e.key === "Enter")) return;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowRight: () => { pause(); go(inPass() ? at() + 1 : at()); },
      ArrowLeft: () => { pause(); go(inPass() ? at() - 1 : at()); },
      Home: () => { pause(); go(0); },
      End: () => { pause(); go(Infinity); },
      " ": toggle,
      Enter: () => { const id = stage.idAt(target); if (id) openCard(id); },
      "/": () => search.focus(),
      "+": () => stage.zoom(1.25),
      "=": () => stage.zoom(1.25),
      "-": () => stage.zoom(0.8),
      0: () => stage.fit(),
    };
    const act = acts[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
  /** @param {KeyboardEvent} e */
  function escape(e) {
    e.preventDefault();
    if (!saveMenu.hidden) { menu(false); saveButton.focus(); }
    else if (search.value && e.target === search) { search.value = ""; find(); }
    else if (opened !== null) closeCard();
    else root.focus({ preventScroll: true });
  }

  // -- what the kernel, or another view of this model, changes
  function chooseLanguage() {
    lang = pickLanguage(model.get("language"), document.documentElement.lang, navigator.language);
    for (const tellOne of texts) tellOne();
    tellSpeed();
    tellLoss();
    announceNothing();
    stage.retell();
    showAll();
  }
  function chooseHeight() {
    root.style.setProperty("--height", `${Math.max(Number(model.get("height")) || 420, 160)}px`);
  }
  /** @type {Record<string, () => void>} */
  const changes = {
    scene: () => {
      const before = new Set(stage.nodes.keys()), now = scene();
      born.scene = model.get("kernel");
      answered();
      if (inPass()) return tellStatus();
      showAll();
      if (!now || now.busy || !Array.isArray(now.nodes)) return;
      const fresh = now.nodes.filter((node) => !before.has(node.id) && node.kind !== "accumulate").map((node) => called(node, lang));
      const said = [w("sceneSay", { n: now.nodes.length }), ...(before.size && fresh.length ? [w("newSay", { n: fresh.slice(0, 6).join(", ") })] : []), ...(now.moved ?? []).map((m) => w("moved", { n: m.name }))];
      spoken = say.textContent = said.join(lang === "zh" ? "" : " ");
    },
    trace: () => {
      const now = trace();
      born.trace = model.get("kernel");
      answered();
      pause();
      if (inPass()) return showAll();
      tellPlayer();
      passMark.hidden = !now;
      if (now && !scene()?.busy && Array.isArray(now.steps)) spoken = say.textContent = w("passSay", { n: now.steps.length });
    },
    losses: tellLoss,
    step: () => {
      if (playing && !setting) pause(); // another view has taken over
      if (inPass() && stage.svg) showStep();
      else tellPlayer();
    },
    view: () => { if (!inPass()) pause(); tellTabs(); showAll(); },
    language: chooseLanguage,
    speed: tellSpeed,
    following: tellStatus,
    kernel: tellStatus,
    version: showAll,
    height: chooseHeight,
  };
  const guarded = Object.entries(changes).map(([key, change]) => /** @type {[string, (content?: any) => void]} */ ([`change:${key}`, change]));
  const died = () => { gone = true; tellStatus(); };
  guarded.push(["comm_live_update", died], ["comm:close", died]); // a restart; a closed panel
  guarded.push(["msg:custom", (content) => { if (content?.type === "here") { answered(); tellStatus(); } }]);
  for (const [event, act] of guarded) model.on(event, act);

  el.append(root);
  // A kernel that crashed or was shut down says so only here, and only in JupyterLab; and when a cell has ended.
  const kernel = model.widget_manager?.kernel;
  const heard = (/** @type {any} */ _, /** @type {string} */ state) => {
    if (["autorestarting", "dead", "terminating"].includes(state)) died();
  };
  const ended = (/** @type {any} */ _, /** @type {any} */ said) => {
    if (said.header.msg_type !== "status" || said.content.execution_state !== "idle" || said.parent_header.msg_type !== "execute_request") return;
    window.clearTimeout(soon);
    soon = window.setTimeout(check, 300); // what the cell has sent has then arrived
  };
  let soon = 0;
  kernel?.statusChanged?.connect(heard);
  kernel?.disposed?.connect(died);
  kernel?.iopubMessage?.connect(ended);

  chooseHeight();
  stage.measure();
  tellTabs();
  chooseLanguage();
  if (model.widget_manager) check(); // a saved page has no kernel to ask
  const sizer = typeof ResizeObserver === "function" ? new ResizeObserver(() => { stage.measure(); if (!stage.moved) stage.fit(true); }) : null;
  sizer?.observe(stage.element);

  return () => {
    pause();
    window.clearTimeout(soon);
    window.clearTimeout(asked);
    for (const [event, act] of guarded) model.off(event, act);
    kernel?.statusChanged?.disconnect(heard);
    kernel?.disposed?.disconnect(died);
    kernel?.iopubMessage?.disconnect(ended);
    sizer?.disconnect();
    stage.rest();
    root.remove();
  };
}

export default { render };
