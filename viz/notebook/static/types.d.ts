/* What the panel's files speak of. The first part is live.schema.json, as types. */

type Lang = "en" | "zh";
type Words = { en: string; zh: string };
type Gradient = { short: string; full: string; shape: string; size: number | null } | null;
type Saved = { slot: string; state: "kept" | "freed" | "changed"; text: string };
type SceneNode = {
  id: string; kind: string; label: string; title: string; words: Words | null; names: string[]; x: number; y: number; width: number; height: number;
  formula: Record<Lang, string[]>; shape: string | null; dtype: string | null;
  value: string | null; grad: string | null; saved: Saved[]; hooks: string[]; source: string; module: string; count: number;
};
type SceneEdge = { source: string; target: string; kind: string; input_nr: number; output_nr: number };
/** The same picture laid out in the other direction; of each node x, y, width and height. */
type Way = { direction: "right" | "up" | "down"; svg: string; width: number; height: number; places: Record<string, number[]> };
type Scene = {
  serial: number; cell: number | null; busy: boolean; svg: string; width: number; height: number;
  direction: "right" | "up" | "down"; other: Way | null; nodes: SceneNode[]; edges: SceneEdge[]; roots: string[]; text: string;
  moved: { name: string; from: string | null; to: string }[]; note: Words; folded: Words; earlier: { names: string[]; open: boolean };
  code: { cell: number; lines: string[] }[];
};
type Step = {
  kind: "start" | "op" | "accumulate" | "error"; node: string | null; member?: { label: string; source: string };
  into?: Gradient[]; rules?: { rule: Words; filled: string }[];
  out?: { input_nr: number; target: string | null; gradient: Gradient; member?: string }[];
  pending?: Record<string, number>; freed?: string[]; leaf?: string | null; name?: string; before?: Gradient;
  added?: Gradient; after?: Gradient; error?: string; hint?: Words;
};
type Trace = {
  serial: number; scene: Scene; call: string; cell: number | null; line: string; retain_graph: boolean;
  pending: Record<string, number>; steps: Step[]; replayed: Words | null; leaves: Record<string, number[]>; ended: boolean;
};

/** What anywidget hands over; `standIn` makes one for a page without a kernel. */
type Model = {
  get(key: string): any; set(key: string, value: any): void; save_changes(): void; send(content: any): void;
  on(event: string, callback: (...args: any[]) => void): void;
  off(event: string, callback: (...args: any[]) => void): void; widget_manager?: any;
};

/** What is true at a step. A group fires once for each operation in it: `fired` times of `of`. */
type Status = "waiting" | "ready" | "now" | "part" | "done" | "failed";
type NodeState = { status: Status; waits: number; got: boolean; order: number; fired: number; of: number };
/** A gradient on an edge: it rests there where its target waits for another one. */
type Flow = { text: string; fresh: boolean; rests: boolean; wide: number };
type Moment = {
  nodes: Map<string, NodeState>; edges: Map<number, Flow>; grads: Map<string, string>;
  freed: Map<string, Set<string>>; now: string | null;
};
type Block = {
  kind: "call" | "head" | "into" | "rules" | "sum" | "out" | "freed" | "error" | "end"; title: string;
  rows: { text: string; detail?: string; note?: string; folded?: boolean; quiet?: boolean }[];
};

/** The panel's parts. */
type Panel = import("./panel.js").Panel;
type Kernel = import("./kernel.js").Kernel;
type Past = import("./history.js").Past;
type Stage = import("./stage.js").Stage;

/** The picture's parts. */
type NodePart = { g: any; node: SceneNode; grad: any; final: string };
type EdgePart = { g: any; path: any; label: any; spot: [number, number, number] | null; says: number[][] };
