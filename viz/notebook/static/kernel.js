// @ts-check
/* What the kernel owes the panel, and whether it is still the one that made what is shown. */

export const PATIENCE = 2500; // ms: as long an idle kernel may take to answer
const DEAD = ["autorestarting", "dead", "terminating"];

export class Kernel {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.tell = () => {}; // the panel's: what is known of the kernel has changed
    /** @type {"" | "waiting" | "unanswered" | "gone"} */
    this.state = ""; // waiting: what the reader asked for is yet to come
    this.timer = this.soon = 0;
    this.made = { scene: model.get("kernel"), trace: model.get("kernel") }; // the kernels that made what is shown
    const { kernel } = this, died = () => this.become("gone");
    // A kernel that crashed or was shut down says so only here, and only in JupyterLab; and when a cell has ended.
    /** @type {[any, (sender: any, said: any) => void][]} */
    this.signals = [
      [kernel?.statusChanged, (_, state) => { if (DEAD.includes(state)) died(); }],
      [kernel?.disposed, died],
      [kernel?.iopubMessage, (_, message) => this.ended(message)],
    ];
    /** @type {Record<string, (said: any) => void>} */
    this.events = {
      comm_live_update: died, // a restart
      "comm:close": died, // a closed panel
      "msg:custom": (said) => { if (said?.type === "here") this.answered(); },
    };
    for (const [signal, hear] of this.signals) signal?.connect(hear);
    for (const [event, hear] of Object.entries(this.events)) model.on(event, hear);
    if (model.widget_manager) this.check(); // a saved page has no kernel to ask
  }

  /** JupyterLab's own connection. */
  get kernel() {
    return this.model.widget_manager?.kernel;
  }

  /** @param {Kernel["state"]} state */
  become(state) {
    this.state = state;
    this.tell();
  }

  /** Asks the kernel, which answers with a new scene when it is free. @param {any} content */
  ask(content) {
    try { this.model.send(content); } catch { return; }
    this.become("waiting");
  }

  /** Where a cell has ended, the kernel is asked as soon as what the cell has sent has arrived. @param {any} message */
  ended({ header, content, parent_header }) {
    if (header.msg_type !== "status" || content.execution_state !== "idle") return;
    if (parent_header.msg_type !== "execute_request") return;
    window.clearTimeout(this.soon);
    this.soon = window.setTimeout(() => this.check(), 300);
  }

  /**
   * Asks the kernel whether it has anything newer than what is shown: a message may have been lost, and a panel in a
   * notebook that was opened again may show what a kernel of long ago made.
   */
  check() {
    if (this.timer || this.state === "gone") return;
    const serial = (/** @type {string} */ key) => this.model.get(key)?.serial ?? 0;
    try { this.model.send({ type: "check", scene: serial("scene"), trace: serial("trace") }); } catch { /* no answer will come */ }
    this.timer = window.setTimeout(() => {
      const status = this.kernel?.status; // a busy one answers late
      this.timer = 0;
      this.become(status === "idle" ? "gone" : status === "busy" ? "waiting" : "unanswered");
    }, PATIENCE);
  }

  /** The kernel has said something, and has made this. @param {"scene" | "trace"} [made] */
  answered(made) {
    window.clearTimeout(this.timer);
    this.timer = 0;
    if (made) this.made[made] = this.model.get("kernel");
    this.become("");
  }

  /** Whether what is shown is from a kernel that is no longer there. @param {"scene" | "trace"} shown */
  isOld(shown) {
    const now = this.model.get("kernel");
    return this.state === "gone" || (now !== undefined && this.made[shown] !== now && Boolean(this.model.get(shown)));
  }

  close() {
    window.clearTimeout(this.soon);
    window.clearTimeout(this.timer);
    for (const [signal, hear] of this.signals) signal?.disconnect(hear);
    for (const [event, hear] of Object.entries(this.events)) this.model.off(event, hear);
  }
}
