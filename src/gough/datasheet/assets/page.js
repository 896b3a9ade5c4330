"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const plots = [...document.querySelectorAll(".plot")];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const INK = { light: "#1f2933", dark: "#e6eaef" };
  const QUIET = { light: "#64748b", dark: "#9aa7b6" };
  const LINE = { light: "#d5dbe3", dark: "#323b46" };
  const TAG = { light: "rgba(255, 255, 255, 0.86)", dark: "rgba(20, 24, 29, 0.86)" };
  const config = { responsive: true, displaylogo: false, scrollZoom: false, displayModeBar: matchMedia("(hover: none)").matches ? false : "hover", modeBarButtonsToRemove: ["lasso2d", "select2d"] };

  // A menu of the figure whose button turns it: here the button of the page does.
  const isTurn = (menu) => menu.name === "turn";
  const scenesOf = (layout) => Object.keys(layout).filter((key) => /^scene[0-9]*$/.test(key));

  function clothed(figure, tone, width, height) {
    const layout = structuredClone(figure.layout);
    const data = structuredClone(figure.data);
    layout.font = { ...layout.font, color: INK[tone] };
    for (const key of Object.keys(layout)) {
      if (/^[xy]axis/.test(key)) Object.assign(layout[key], { gridcolor: LINE[tone], linecolor: LINE[tone], zerolinecolor: QUIET[tone] });
    }
    for (const scene of scenesOf(layout).map((name) => layout[name])) {
      for (const name of ["xaxis", "yaxis", "zaxis"]) {
        const axis = scene[name];
        Object.assign(axis, { gridcolor: LINE[tone], linecolor: LINE[tone] });
        axis.title.font.color = axis.tickfont.color = QUIET[tone];
      }
      for (const tag of scene.annotations || []) {
        tag.font.color = INK[tone];
        tag.bgcolor = TAG[tone];
      }
      // Scenes fit a window a third wider than high.
      const [wide, high] = [scene.domain?.x ?? [0, 1], scene.domain?.y ?? [0, 1]].map(([low, top]) => top - low);
      const smaller = Math.min(1, (wide * width) / (1.3 * high * height));
      for (const axis of ["x", "y", "z"]) scene.aspectratio[axis] *= smaller;
    }
    for (const trace of layout.scene ? data : []) {
      if (trace.textfont && trace.textfont.color === INK.light) trace.textfont.color = INK[tone];
    }
    if (layout.updatemenus) layout.updatemenus = layout.updatemenus.filter((menu) => !isTurn(menu));
    layout.height = height;
    return { data, layout };
  }

  function draw(plot) {
    const figure = figures[plot.dataset.figure];
    const { data, layout } = clothed(figure, dark.matches ? "dark" : "light", plot.clientWidth, plot.clientHeight);
    if (!isLive(plot)) plot.replaceChildren();
    return Plotly.react(plot, { data, layout: { ...layout, autosize: true }, config, frames: figure.frames || [] });
  }

  const isNamed = ({ name, type, showlegend }) => name && (type === "mesh3d" ? showlegend : showlegend !== false);

  // Paper gets pictures: a printer neither turns a machine nor waits for a canvas.
  const pictureOf = (plot) => plot.parentElement.querySelector("img.paper");

  // Figures of several panels, which have more room on paper.
  const TALL = 400;
  // Size of what scenes show there, in that on the screen.
  const ON_PAPER = 0.86;

  // Few pixels, so that letters are large enough to read there: as on the sheet of the summary. Scenes with charts at
  // their side, and several scenes, take the whole width.
  function paperSize(plot, { data, layout }) {
    const half = Boolean(plot.dataset.half);
    if (!layout.scene) return half ? [440, Math.min(layout.height, 300)] : [800, Math.min(layout.height, 460)];
    if (layout.scene2 || layout.xaxis) return [760, layout.scene2 ? 440 : 340];
    const [width, height] = half ? [440, 215] : [680, 270];
    return [width, height + legendHeight(data, width)];
  }

  // Of rows of entries as wide as the longest name, in letters of 11 pixels.
  function legendHeight(data, width) {
    const names = data.filter(isNamed).map(({ name }) => name.length);
    const columns = Math.floor((width - 30) / (6 * Math.max(...names, 1) + 45));
    return names.length > 1 ? 19 * Math.ceil(names.length / Math.max(columns, 1)) : 0;
  }

  function onPaper(plot) {
    const figure = figures[plot.dataset.figure];
    const isSummary = Boolean(plot.closest(".sheet"));
    const [width, height] = isSummary ? [400, 320] : paperSize(plot, figure);
    const { data, layout } = clothed(figure, "light", width, height);
    // A legend that fills more than half of a figure would be cut there: paper does not scroll.
    if (isSummary && data.filter(isNamed).length > 16) layout.legend = { ...layout.legend, maxheight: 0.66, font: { ...layout.legend?.font, size: 7 } };
    // Letters are larger there than on a screen, and titles of axes need room at the lower edge.
    for (const name of scenesOf(layout)) {
      for (const axis of ["x", "y", "z"]) layout[name].aspectratio[axis] *= ON_PAPER;
    }
    if (layout.sliders) layout.margin = { ...layout.margin, b: 40 };
    delete layout.updatemenus; // nothing to press on paper
    delete layout.sliders;
    return { data, layout: { ...layout, width, autosize: false } };
  }

  async function toPaper(plot) {
    const { data, layout } = onPaper(plot);
    const format = layout.scene ? "png" : "svg";
    const size = { format, width: layout.width, height: layout.height, scale: format === "png" ? Math.max(2, 1200 / layout.width) : 1 };
    pictureOf(plot).classList.toggle("tall", layout.height > TALL);
    pictureOf(plot).src = await Plotly.toImage({ data, layout, config }, size);
    if (!isLive(plot)) standIn(plot);
  }

  // Who prints before a picture is ready gets it drawn in the same turn, of elements that need not be loaded: Plotly's
  // own SVG, and copies of the canvases.
  const SVG = "http://www.w3.org/2000/svg";

  function stamp(plot) {
    const { data, layout } = onPaper(plot);
    const { width, height } = layout;
    const bench = document.createElement("div");
    bench.style.cssText = `position: fixed; top: 0; left: -9999px; width: ${width}px; height: ${height}px`;
    document.body.append(bench);
    const sheet = document.createElementNS(SVG, "svg");
    for (const [name, value] of Object.entries({ class: height > TALL ? "paper stamp tall" : "paper stamp", viewBox: `0 0 ${width} ${height}`, width, height })) sheet.setAttribute(name, value);
    // What is drawn at once is all that is seen; Plotly goes on afterwards, and must find it.
    Plotly.newPlot(bench, data, layout, { ...config, staticPlot: true }).finally(() => {
      Plotly.purge(bench);
      bench.remove();
    });
    const scenes = scenesOf(bench._fullLayout).map((name) => canvasOf(bench._fullLayout, name));
    const [below, ...above] = [...bench.querySelectorAll(".main-svg")].map((part) => part.cloneNode(true));
    sheet.append(below, ...scenes, ...above);
    plot.after(sheet);
  }

  function canvasOf(layout, name) {
    const { _scene: scene, domain } = layout[name];
    const { l, t, w, h } = layout._size;
    const canvas = document.createElement("canvas");
    scene.toImage(); // draws now
    [canvas.width, canvas.height] = [scene.glplot.gl.drawingBufferWidth, scene.glplot.gl.drawingBufferHeight];
    canvas.getContext("2d").drawImage(scene.glplot.gl.canvas, 0, 0);
    canvas.style.cssText = "display: block; width: 100%; height: 100%";
    const frame = document.createElementNS(SVG, "foreignObject");
    const place = { x: l + w * domain.x[0], y: t + h * (1 - domain.y[1]), width: w * (domain.x[1] - domain.x[0]), height: h * (domain.y[1] - domain.y[0]) };
    for (const [name, value] of Object.entries(place)) frame.setAttribute(name, value);
    frame.append(canvas);
    return frame;
  }

  function stampMissing() {
    for (const plot of plots) {
      const picture = pictureOf(plot);
      if (picture.src && picture.complete) continue;
      try {
        stamp(plot);
      } catch (error) {
        console.warn(`figure ${plot.dataset.figure} is not on paper: ${error}`);
      }
    }
  }

  // Browsers keep some eight 3-D canvases alive on a phone: those farthest from the window make room.
  const LIVE = 6;
  const NEAR = 0.5;

  function distance(plot) {
    const box = plot.getBoundingClientRect();
    return Math.max(0, box.top - innerHeight, -box.bottom);
  }

  // What has no canvas shows its picture.
  function standIn(plot) {
    const picture = pictureOf(plot);
    if (!picture.src || dark.matches) return;
    const copy = new Image();
    copy.src = picture.src;
    copy.alt = picture.alt;
    plot.replaceChildren(copy);
  }

  const isLive = (plot) => plot.classList.contains("js-plotly-plot");

  function makeRoom() {
    const live = plots.filter((plot) => plot.matches(".scene") && isLive(plot));
    let room = LIVE;
    for (const plot of live.sort((a, b) => distance(a) - distance(b))) {
      room -= plot.querySelectorAll("canvas").length;
      if (room < 0 && distance(plot) > NEAR * innerHeight) putAway(plot);
    }
  }

  function putAway(plot) {
    const canvases = [...plot.querySelectorAll("canvas")];
    Plotly.purge(plot);
    plot.classList.remove("js-plotly-plot"); // which Plotly leaves, and isLive asks for
    standIn(plot);
    // Plotly leaves the canvas to the garbage collector, which may come too late.
    for (const canvas of canvases) canvas.getContext("webgl")?.getExtension("WEBGL_lose_context")?.loseContext();
  }

  const approach = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting && !isLive(target)) draw(target).then(makeRoom);
    }
  }, { rootMargin: `${100 * NEAR}%` });

  // The camera goes along the orbit of the figure's own button, between its frames too, until it is stopped or the figure
  // is taken in hand.
  const ROUND = 16000;
  let stop = () => {};

  function turn(button) {
    const wasTurning = button.getAttribute("aria-pressed") === "true";
    stop();
    if (wasTurning) return;
    const plot = button.closest("figure").querySelector(".plot");
    const { buttons: [{ args: [orbit] }] } = figures[plot.dataset.figure].layout.updatemenus.find(isTurn);
    const names = Object.keys(orbit[0].layout);
    const eyeOf = (k, name) => orbit[k % orbit.length].layout[name].camera.eye;
    const across = (a, b) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    const here = plot.layout[names[0]].camera.eye;
    // From where the camera is nearest to.
    let place = orbit.map((_, k) => across(eyeOf(k, names[0]), here)).reduce((least, gap, k, gaps) => (gap < gaps[least] ? k : least), 0);
    let before = performance.now();
    let request = 0;
    stop = () => {
      cancelAnimationFrame(request);
      plot.removeEventListener("pointerdown", stop, true);
      button.setAttribute("aria-pressed", "false");
      stop = () => {};
    };
    function step(now) {
      if (!isLive(plot)) return stop();
      place += (orbit.length * Math.min(now - before, 100)) / ROUND;
      before = now;
      const [k, part] = [Math.floor(place), place % 1];
      const eyes = names.map((name) => {
        const [a, b] = [eyeOf(k, name), eyeOf(k + 1, name)];
        return [`${name}.camera.eye`, { x: a.x + part * (b.x - a.x), y: a.y + part * (b.y - a.y), z: a.z + part * (b.z - a.z) }];
      });
      Plotly.relayout(plot, Object.fromEntries(eyes));
      request = requestAnimationFrame(step);
    }
    button.setAttribute("aria-pressed", "true");
    plot.addEventListener("pointerdown", stop, true);
    request = requestAnimationFrame(step);
  }

  for (const button of document.querySelectorAll(".turn")) {
    button.hidden = false;
    button.addEventListener("click", () => turn(button));
  }

  async function all(work, state, { chosen = plots, atOnce = 1 } = {}) {
    const waiting = [...chosen];
    async function turns() {
      while (waiting.length) {
        await work(waiting.shift());
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    await Promise.all(Array.from({ length: atOnce }, turns));
    document.documentElement.dataset.figures = state;
  }

  // Paper gets what is folded, and so does who follows a link to it.
  const folds = [...document.querySelectorAll("details:not(.definitions)")];
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = folds.filter((fold) => !fold.open);
    for (const fold of opened) fold.open = true;
    stampMissing();
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
    opened = [];
    for (const sheet of document.querySelectorAll(".stamp")) sheet.remove();
  });
  function unfold() {
    const fold = document.getElementById(location.hash.slice(1))?.querySelector(":scope > details.folded");
    if (fold) fold.open = true;
  }
  addEventListener("hashchange", unfold);
  for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => setTimeout(unfold));
  unfold();

  // Tables that are wider than the window say so.
  const tables = [...document.querySelectorAll(".wide")];
  function measure(table) {
    const rest = table.scrollWidth - table.clientWidth;
    table.classList.toggle("scrolls", rest > 1);
    table.classList.toggle("end", table.scrollLeft >= rest - 1);
  }
  const widths = new ResizeObserver((changed) => changed.forEach(({ target }) => measure(target)));
  for (const table of tables) {
    widths.observe(table);
    table.addEventListener("scroll", () => measure(table), { passive: true });
  }

  const shown = () => plots.filter((plot) => isLive(plot) || (plot.clientWidth && (!plot.matches(".scene") || distance(plot) < NEAR * innerHeight)));
  dark.addEventListener("change", () => all(draw, "drawn", { chosen: shown() }));
  all(draw, "drawn", { chosen: shown() }).then(() => {
    plots.filter((plot) => !isLive(plot) || plot.matches(".scene")).forEach((plot) => approach.observe(plot));
    return all(toPaper, "printable", { atOnce: 2 }); // Plotly waits half a second for every scene
  });
})();
