// Draws figures as they come in sight; figuresDrawn(true) draws the rest, too. The check of the site waits for it.
const frames = [...document.querySelectorAll(".figure-frame")];
const drawings = [];

async function draw(frame) {
  const source = frame.querySelector("script");
  if (!source) return;
  const figure = JSON.parse(source.textContent);
  source.remove();
  figure.layout.autosize = true;
  delete figure.layout.width;
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
