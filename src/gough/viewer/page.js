// Read by the page before viser's own script: drawing without a graphics card.
//
// Software draws on the processors that also run the page and the machine, and takes about as long for a frame as it has
// pixels. So where there is no graphics card, or where the address says `plain`, lines are not smoothed, a picture that
// changes has fewer pixels than the window, and one that stands still has more: which smooths it after all.
(() => {
  "use strict";
  const STILL = 1.5; // pixels drawn per pixel of the window, along each side
  const MOVING = [0.25, 0.32, 0.4, 0.55, 0.75, 1]; // as many as allow well over 30 frames a second
  const [SLOW, QUICK] = [27, 20]; // [ms] for a frame, beyond which there shall be fewer pixels, or more
  const FRAMES = 8; // which are judged together
  const REST = 400; // [ms] without a frame, after which the next one is taken for a still; viser draws one a second
  const STRAY = 2; // frames soon after a still which do not make a motion yet

  function isDrawnBySoftware() {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (gl === null) return false;
    const unmasked = gl.getExtension("WEBGL_debug_renderer_info");
    const name = gl.getParameter(unmasked === null ? gl.RENDERER : unmasked.UNMASKED_RENDERER_WEBGL);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
  }

  // What draws into the canvas keeps the size it asked for; how many pixels the canvas has is decided here.
  function adapt(canvas, gl) {
    const size = { width: canvas.width, height: canvas.height };
    const boxes = { viewport: [0, 0, size.width, size.height], scissor: [0, 0, size.width, size.height] };
    const original = { viewport: gl.viewport, scissor: gl.scissor, clear: gl.clear, bindFramebuffer: gl.bindFramebuffer };
    const own = (name) => Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, name);
    let drawn = null; // pixels per pixel of the window; null for the size that was asked for
    let isAsked = false; // a new size is drawn once as it was asked for: pictures are taken that way
    let isOnCanvas = true;
    let lastFrame = -Infinity;
    let step = MOVING.indexOf(0.4);
    let gaps = [];
    let soon = 0; // frames since the last still

    function place(name) {
      const [x, y] = [gl.drawingBufferWidth / size.width, gl.drawingBufferHeight / size.height];
      const [left, low, width, height] = boxes[name];
      original[name].call(gl, ...[left * x, low * y, width * x, height * y].map(Math.round));
    }

    function resize() {
      const window = { width: canvas.clientWidth, height: canvas.clientHeight };
      for (const name of ["width", "height"]) {
        const pixels = drawn === null ? size[name] : window[name] * devicePixelRatio * drawn;
        own(name).set.call(canvas, Math.max(1, Math.round(pixels)));
      }
      if (isOnCanvas) Object.keys(boxes).forEach(place);
    }

    // How many pixels a picture in motion shall have, from the time that the last ones took.
    function inMotion(gap) {
      gaps.push(gap);
      if (gaps.length >= FRAMES) {
        const mean = gaps.reduce((a, b) => a + b) / gaps.length;
        gaps = [];
        if (mean > SLOW) step = Math.max(step - 1, 0);
        if (mean < QUICK) step = Math.min(step + 1, MOVING.length - 1);
      }
      return MOVING[step];
    }

    function beginFrame() {
      const now = document.timeline.currentTime;
      const gap = now - lastFrame;
      if (gap > 0) soon = gap > REST ? 0 : soon + 1;
      const wanted = isAsked ? null : gap === 0 ? drawn : soon <= STRAY ? STILL : inMotion(gap);
      isAsked = false;
      lastFrame = now;
      if (wanted === drawn) return;
      drawn = wanted;
      resize();
    }

    for (const name of ["width", "height"]) {
      Object.defineProperty(canvas, name, {
        get: () => size[name],
        set: (value) => {
          size[name] = value;
          isAsked = true;
          drawn = null;
          resize();
        },
      });
    }
    for (const name of ["viewport", "scissor"]) {
      gl[name] = (...box) => {
        if (!isOnCanvas) return original[name].apply(gl, box);
        boxes[name] = box;
        place(name);
      };
    }
    gl.bindFramebuffer = (target, buffer) => {
      original.bindFramebuffer.call(gl, target, buffer);
      if (target === gl.READ_FRAMEBUFFER) return;
      isOnCanvas = buffer === null;
      if (isOnCanvas) Object.keys(boxes).forEach(place);
    };
    gl.clear = (mask) => {
      if (isOnCanvas && mask & gl.COLOR_BUFFER_BIT) beginFrame();
      original.clear.call(gl, mask);
    };
  }

  const isPlain = new URLSearchParams(location.search).has("plain") || isDrawnBySoftware();
  window.goughIsPlain = isPlain; // read by the server when the window connects
  if (!isPlain) return;

  const getContext = HTMLCanvasElement.prototype.getContext;
  const adapted = new WeakSet();
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    const isScene = kind === "webgl2" && options?.antialias === true;
    const gl = getContext.call(this, kind, isScene ? { ...options, antialias: false } : options);
    if (isScene && gl !== null && !adapted.has(gl)) {
      adapted.add(gl);
      adapt(this, gl);
    }
    return gl;
  };
})();
