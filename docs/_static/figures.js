// Draws figures as they come in sight; drawAllFigures() draws the rest, as the check of the site does.
const frames = [...document.querySelectorAll(".figure-frame")];

async function draw(frame) {
  const source = frame.querySelector("script");
  if (!source) return;
  const figure = JSON.parse(source.textContent);
  source.remove();
  figure.layout.autosize = true;
  delete figure.layout.width;
  await Plotly.newPlot(frame, { ...figure, config: { responsive: true, displaylogo: false } });
}

const observer = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)),
  { rootMargin: "300px" },
);
frames.forEach((frame) => observer.observe(frame));
window.drawAllFigures = async () => {
  for (const frame of frames) await draw(frame);
};
