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

  function clothed(figure, tone, width, height) {
    const layout = structuredClone(figure.layout);
    const data = structuredClone(figure.data);
    layout.font = { ...layout.font, color: INK[tone] };
    for (const key of Object.keys(layout)) {
      if (/^[xy]axis/.test(key)) Object.assign(layout[key], { gridcolor: LINE[tone], linecolor: LINE[tone], zerolinecolor: QUIET[tone] });
    }
    if (layout.scene) {
      for (const name of ["xaxis", "yaxis", "zaxis"]) {
        const axis = layout.scene[name];
        Object.assign(axis, { gridcolor: LINE[tone], linecolor: LINE[tone] });
        axis.title.font.color = axis.tickfont.color = QUIET[tone];
      }
      for (const tag of layout.scene.annotations || []) {
        tag.font.color = INK[tone];
        tag.bgcolor = TAG[tone];
      }
      for (const trace of data) {
        if (trace.textfont && trace.textfont.color === INK.light) trace.textfont.color = INK[tone];
      }
      // Scenes fit a window a third wider than high.
      const smaller = Math.min(1, width / (1.3 * height));
      for (const axis of ["x", "y", "z"]) layout.scene.aspectratio[axis] *= smaller;
    }
    layout.height = height;
    return { data, layout };
  }

  function draw(plot) {
    const figure = figures[plot.dataset.figure];
    const { data, layout } = clothed(figure, dark.matches ? "dark" : "light", plot.clientWidth, plot.clientHeight);
    return Plotly.react(plot, data, { ...layout, autosize: true }, config);
  }

  // Paper gets pictures: a printer neither turns a machine nor waits for a canvas.
  async function toPaper(plot) {
    const figure = figures[plot.dataset.figure];
    const width = plot.dataset.half ? 520 : 900;
    const height = figure.layout.height;
    const { data, layout } = clothed(figure, "light", width, height);
    const format = layout.scene ? "png" : "svg";
    const size = { format, width, height, scale: format === "png" ? 2 : 1 };
    const picture = plot.parentElement.querySelector(".paper");
    picture.src = await Plotly.toImage({ data, layout: { ...layout, autosize: false }, config }, size);
  }

  async function all(work, state) {
    for (const plot of plots) {
      await work(plot);
      await new Promise((resolve) => setTimeout(resolve));
    }
    document.documentElement.dataset.figures = state;
  }

  dark.addEventListener("change", () => all(draw, "drawn"));
  all(draw, "drawn").then(() => all(toPaper, "printable"));
})();
