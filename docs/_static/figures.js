// Draws figures as they come in sight; figuresDrawn(true) draws the rest, too. The check of the site waits for it.
const frames = [...document.querySelectorAll(".figure-frame")];
const drawings = [];
const NARROW = 1.15; // width over height below which the sides of a scene would be cut off

async function draw(frame) {
  const source = frame.querySelector("script");
  if (!source) return;
  const figure = JSON.parse(source.textContent);
  source.remove();
  figure.layout.autosize = true;
  delete figure.layout.width;
  // Scenes are made for figures wider than high; on a phone they are drawn smaller.
  const smaller = Math.min(1, frame.clientWidth / (NARROW * (figure.layout.height || 420)));
  for (const name of Object.keys(figure.layout).filter((key) => key.startsWith("scene"))) {
    const ratio = figure.layout[name].aspectratio;
    if (ratio) for (const axis of ["x", "y", "z"]) ratio[axis] *= smaller;
  }
  await Plotly.newPlot(frame, { ...figure, config: { responsive: true, displaylogo: false } });
}

const inSight = new Promise((done) => {
  const observer = new IntersectionObserver(
    (entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach((entry) => drawings.push(draw(entry.target)));
      done();
    },
    { rootMargin: "300px" },
  );
  frames.forEach((frame) => observer.observe(frame));
});
window.figuresDrawn = async (all = false) => {
  await inSight;
  if (all) frames.forEach((frame) => drawings.push(draw(frame)));
  await Promise.all(drawings);
  return drawings.length;
};
