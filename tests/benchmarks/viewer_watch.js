// Runs before the page: notes when each canvas is drawn and when frames of the socket come, and nothing else.
(() => {
  const seen = { draws: [], frames: [], opened: [], firstPicture: null };
  window.__bench = seen;
  const names = new WeakMap();
  const nameOf = (canvas) => {
    if (!names.has(canvas)) {
      const map = canvas.closest(".map");
      const place = map ? [...map.querySelectorAll(":scope > canvas")].indexOf(canvas) : -1;
      names.set(canvas, canvas.dataset.id ?? ["under", "over", "pulses", "mini"][place] ?? "other");
    }
    return names.get(canvas);
  };
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    const name = nameOf(this.canvas);
    if (name === "pulses" || name === "over" || name === "layer2-node") {
      seen.draws.push([name, performance.now()]);
      if (seen.firstPicture === null && name === "layer2-node" && window.__mnemoscene?.drawn().nodes > 0) seen.firstPicture = performance.now();
    }
    return clear.apply(this, box);
  };
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...given) {
      super(...given);
      this.addEventListener("open", () => seen.opened.push(performance.now()));
      this.addEventListener("message", ({ data }) => {
        const t = /"t":"(\w+)"/.exec(data.slice(0, 200))?.[1] ?? "";
        const patch = t === "graph_patch" ? JSON.parse(data) : null;
        seen.frames.push({ t, at: performance.now(), to: patch?.to ?? null, ops: patch?.ops.length ?? 0, bytes: data.length });
      });
    }
  };
})();
