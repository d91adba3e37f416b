// @ts-check
/* What the kernel owes the panel, and whether it is still the one that made what is shown. */

export const PATIENCE = 2500; // ms: as long an idle kernel may take to answer

export class Kernel {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.tell = () => {}; // the panel's: what is known of the kernel has changed
    this.gone = false;
    this.silent = false; // it was asked, and said nothing
    this.owing = false; // what the reader asked for is yet to come
    this.timer = 0;
    this.soon = 0;
    this.made = { scene: model.get("kernel"), trace: model.get("kernel") }; // the kernels that made what is shown
    this.here = (/** @type {any} */ said) => { if (said?.type === "here") this.answered(); };
    this.died = () => {
      this.gone = true;
      this.tell();
    };
    // A kernel that crashed or was shut down says so only here, and only in JupyterLab; and when a cell has ended.
    this.heard = (/** @type {any} */ _, /** @type {string} */ state) => {
      if (["autorestarting", "dead", "terminating"].includes(state)) this.died();
    };
    this.ended = (/** @type {any} */ _, /** @type {any} */ { header, content, parent_header }) => {
      if (header.msg_type !== "status" || content.execution_state !== "idle") return;
      if (parent_header.msg_type !== "execute_request") return;
      window.clearTimeout(this.soon);
      this.soon = window.setTimeout(() => this.check(), 300); // what the cell has sent has then arrived
    };
    const { kernel } = this;
    kernel?.statusChanged?.connect(this.heard);
    kernel?.disposed?.connect(this.died);
    kernel?.iopubMessage?.connect(this.ended);
    model.on("comm_live_update", this.died); // a restart
    model.on("comm:close", this.died); // a closed panel
    model.on("msg:custom", this.here);
    if (model.widget_manager) this.check(); // a saved page has no kernel to ask
  }

  /** JupyterLab's own connection. */
  get kernel() {
    return this.model.widget_manager?.kernel;
  }

  /** Asks the kernel, which answers with a new scene when it is free. @param {any} content */
  ask(content) {
    this.owing = true;
    try { this.model.send(content); } catch { this.owing = false; }
    this.tell();
  }

  /**
   * Asks the kernel whether it has anything newer than what is shown: a message may have been lost, and a panel in a
   * notebook that was opened again may show what a kernel of long ago made.
   */
  check() {
    if (this.timer || this.gone) return;
    const serial = (/** @type {string} */ key) => this.model.get(key)?.serial ?? 0;
    try { this.model.send({ type: "check", scene: serial("scene"), trace: serial("trace") }); } catch { /* no answer will come */ }
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.silent = true;
      if (this.kernel?.status === "idle") this.gone = true; // a busy one answers late
      this.tell();
    }, PATIENCE);
  }

  /** The kernel has said something, and has made this. @param {"scene" | "trace"} [made] */
  answered(made) {
    window.clearTimeout(this.timer);
    this.timer = 0;
    this.silent = this.gone = this.owing = false;
    if (made) this.made[made] = this.model.get("kernel");
    this.tell();
  }

  /** Whether what is shown is from a kernel that is no longer there. @param {"scene" | "trace"} shown */
  isOld(shown) {
    const now = this.model.get("kernel");
    return this.gone || (now !== undefined && this.made[shown] !== now && Boolean(this.model.get(shown)));
  }

  /** What there is to say of it: a state, and the word for it. @param {boolean} old @returns {[string, string] | null} */
  trouble(old) {
    if (old) return ["old", "old"];
    if (this.silent && this.kernel?.status !== "busy") return ["old", "unanswered"];
    return this.silent || this.owing ? ["waiting", "waitingKernel"] : null;
  }

  close() {
    window.clearTimeout(this.soon);
    window.clearTimeout(this.timer);
    const { kernel, model } = this;
    kernel?.statusChanged?.disconnect(this.heard);
    kernel?.disposed?.disconnect(this.died);
    kernel?.iopubMessage?.disconnect(this.ended);
    model.off("comm_live_update", this.died);
    model.off("comm:close", this.died);
    model.off("msg:custom", this.here);
  }
}
