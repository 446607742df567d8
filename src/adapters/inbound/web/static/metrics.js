// Draws the charts of a server's metrics; the table below them needs no script.
(() => {
  const place = document.getElementById('charts');
  if (!place) return;
  const { times, markers, charts } = JSON.parse(place.dataset.charts);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const HEIGHT = 180;
  const DAY = { day: 'numeric', month: 'short' };
  const TIME = { hour: '2-digit', minute: '2-digit' };
  const clock = (seconds, step) =>
    new Date(seconds * 1000).toLocaleString(
      [],
      step >= 86_400 ? DAY : { ...(step >= 21_600 ? DAY : {}), ...TIME },
    );
  let drawn = [];

  // A custom property with light-dark() has to be resolved by an element.
  const resolved = (name) => {
    const probe = document.createElement('span');
    probe.className = 'probe';
    probe.style.color = `var(${name})`;
    place.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };

  const drawMarkers = (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = resolved('--warn-solid');
    ctx.setLineDash([4, 4]);
    for (const { at } of markers) {
      const x = plot.valToPos(at, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  };

  const draw = () => {
    for (const plot of drawn) plot.destroy();
    place.replaceChildren();
    const strokes = ['--accent', '--bad-solid', '--good-solid', '--warn-solid', '--run-solid'].map(resolved);
    const axis = { stroke: resolved('--text-3'), grid: { stroke: resolved('--border'), width: 1 } };
    drawn = charts
      .filter(({ series }) => series.some(({ values }) => values.some((value) => value !== null)))
      .map(({ title, unit, series }) => {
        const card = document.createElement('section');
        card.className = 'card chart';
        const heading = document.createElement('h2');
        heading.textContent = title;
        card.append(heading);
        place.append(card);
        const options = {
          width: card.clientWidth - 24,
          height: HEIGHT,
          scales: unit === '%' ? { y: { range: [0, 100] } } : { y: { range: (_, __, max) => [0, max || 1] } },
          axes: [
            { ...axis, values: (_, ticks, __, ___, step) => ticks.map((tick) => clock(tick, step)) },
            { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => `${tick}${unit && ` ${unit}`}`) },
          ],
          series: [
            {},
            ...series.map(({ label }, index) => ({
              label,
              stroke: strokes[index % strokes.length],
              width: 1.5,
              spanGaps: false,
              value: (_, value) =>
                value === null || value === undefined ? '–' : `${value}${unit && ` ${unit}`}`,
            })),
          ],
          hooks: { draw: [drawMarkers] },
          cursor: { sync: { key: 'metrics' } },
        };
        return new uPlot(options, [times, ...series.map(({ values }) => values)], card);
      });
    if (markers.length > 0) {
      const note = document.createElement('p');
      note.className = 'quiet';
      const shown = markers
        .slice(0, 5)
        .map(({ at, label }) => `${label}, ${new Date(at * 1000).toLocaleString()}`);
      note.textContent = `Dashed lines: jobs that changed the server (${shown.join('; ')}${markers.length > 5 ? '; …' : ''}).`;
      place.append(note);
    }
  };

  if (color('--accent') !== '') draw();
  let waiting = 0;
  window.addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, 200);
  });
})();
