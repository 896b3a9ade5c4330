// Read by the page before viser's own script: drawing without a graphics card.
//
// Software draws on the processors that also run the page and the machine, and the longer the more pixels a frame has. So
// where there is no graphics card, or where the address says `plain`, lines are not smoothed, a picture that changes has
// as many pixels as it can at this rate, and one at rest has more than the window: which smooths it after all.
(() => {
  "use strict";
  const STILL = 1.5; // pixels drawn per pixel of the window, along each side
  const MOVING = [0.4, 0.5, 0.6, 0.75, 1]; // with fewer a frame takes hardly less time, as the page around it stays
  const BEGIN = 0.6; // before any frame is timed
  const SLOW = 27; // [ms] for a frame, beyond which fewer pixels are drawn
  const FRAMES = 12; // which are judged together
  const PATIENCE = 240; // frames until a number of pixels that was too slow is tried again
  const REST = 400; // [ms] without a frame, after which the next one is taken for a still; viser draws one a second
  const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
  const STRAY = 2; // frames soon after a still which do not make a motion yet

  function isDrawnBySoftware() {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (gl === null) return false;
    const unmasked = gl.getExtension("WEBGL_debug_renderer_info");
    const name = gl.getParameter(unmasked === null ? gl.RENDERER : unmasked.UNMASKED_RENDERER_WEBGL);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return SOFTWARE.test(name);
  }

  // Viser's page warns of software for good, over the scene; how this page draws then is decided here.
  function keepQuiet() {
    const { getParameter } = WebGL2RenderingContext.prototype;
    WebGL2RenderingContext.prototype.getParameter = function (name) {
      const found = getParameter.call(this, name);
      return typeof found === "string" && SOFTWARE.test(found) ? "drawn plainly" : found;
    };
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
    let step = MOVING.indexOf(BEGIN);
    let most = MOVING.length - 1; // the highest step that has not been too slow lately
    let since = 0; // frames since one was
    let gaps = []; // between the page's last frames
    let lastTick = 0;
    let isTiming = false;
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

    // The page's own frames are timed while the picture moves, not the pictures: those may be as rare as what moves it.
    function time(now) {
      gaps.push(now - lastTick);
      lastTick = now;
      if (gaps.length >= FRAMES) judge(gaps.reduce((a, b) => a + b) / gaps.length);
      isTiming = now - lastFrame < REST;
      if (isTiming) requestAnimationFrame(time);
    }

    // Number of pixels of a picture in motion, from the mean time that a frame took.
    function judge(mean) {
      gaps = [];
      since = mean > SLOW ? 0 : since + FRAMES;
      if (since > PATIENCE) [most, since] = [MOVING.length - 1, 0];
      if (mean > SLOW) most = step = Math.max(step - 1, 0);
      else step = Math.min(step + 1, most);
    }

    function inMotion(now) {
      if (!isTiming) [gaps, lastTick, isTiming] = [[], now, Boolean(requestAnimationFrame(time))];
      return MOVING[step];
    }

    function beginFrame() {
      const now = document.timeline.currentTime;
      const gap = now - lastFrame;
      if (gap > 0) soon = gap > REST ? 0 : soon + 1;
      const wanted = isAsked ? null : gap === 0 ? drawn : soon <= STRAY ? STILL : inMotion(now);
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
    widenLines(gl, () => (drawn === null ? 1 : drawn));
    gl.clear = (mask) => {
      if (isOnCanvas && mask & gl.COLOR_BUFFER_BIT) beginFrame();
      original.clear.call(gl, mask);
    };
  }

  // Lines of three.js have a width in pixels of the window. With fewer pixels they would fall to dots: none is narrower
  // than a pixel that is drawn.
  function widenLines(gl, scale) {
    const { getUniformLocation, uniform1f, useProgram } = gl;
    const lines = new WeakMap(); // by their programs
    let current = null;

    function send(line) {
      if (line?.width === undefined) return;
      uniform1f.call(gl, line.place, Math.max(line.width, 1 / scale()));
    }
    gl.getUniformLocation = (program, name) => {
      const place = getUniformLocation.call(gl, program, name);
      if (name === "linewidth" && place !== null) lines.set(program, { place });
      return place;
    };
    gl.uniform1f = (place, value) => {
      const line = lines.get(current);
      if (line === undefined || line.place !== place) return uniform1f.call(gl, place, value);
      line.width = value;
      send(line);
    };
    gl.useProgram = (program) => {
      useProgram.call(gl, program);
      current = program;
      send(lines.get(program)); // which three.js does not send again where only the number of pixels is another
    };
  }

  const isAsked = new URLSearchParams(location.search).has("plain");
  if (!isAsked && !isDrawnBySoftware()) return;
  if (!isAsked) fetch("?plain"); // tells the server
  keepQuiet();

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
