// Draws the charts of a server's metrics; the table below them needs no script.
(() => {
  const place = document.getElementById('charts');
  if (!place) return;
  let drawnFrom = place.dataset.charts;
  let { times, markers, charts } = JSON.parse(drawnFrom);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const HEIGHT = 180;
  const { minute, day, time } = droverTimes;
  const clock = (seconds, step) => {
    const at = seconds * 1000;
    if (step >= 86_400) return day(at);
    return step >= 21_600 ? `${day(at)}, ${time(at)}` : time(at);
  };
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

  /** The legend has the latest values as long as the pointer is elsewhere. */
  const showLatest = (plot) => {
    if (plot.cursor.idx === null || plot.cursor.idx === undefined) plot.setLegend({ idx: times.length - 1 });
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
            {
              ...axis,
              space: 120,
              values: (_, ticks, __, ___, step) => ticks.map((tick) => clock(tick, step)),
            },
            { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => `${tick}${unit && ` ${unit}`}`) },
          ],
          series: [
            { value: (_, at) => (at === null || at === undefined ? '–' : minute(at * 1000)) },
            ...series.map(({ label }, index) => ({
              label,
              stroke: strokes[index % strokes.length],
              width: 1.5,
              spanGaps: false,
              value: (_, value) =>
                value === null || value === undefined ? '–' : `${value}${unit && ` ${unit}`}`,
            })),
          ],
          hooks: { draw: [drawMarkers], ready: [showLatest], setCursor: [showLatest] },
          cursor: { sync: { key: 'metrics' } },
        };
        return new uPlot(options, [times, ...series.map(({ values }) => values)], card);
      });
    if (markers.length > 0) {
      const note = document.createElement('p');
      note.className = 'quiet';
      const shown = markers.slice(0, 5).map(({ at, label }) => `${label}, ${minute(at * 1000)}`);
      note.textContent = `Dashed lines: jobs that changed the server (${shown.join('; ')}${markers.length > 5 ? '; …' : ''}).`;
      place.append(note);
    }
  };

  if (color('--accent') !== '') draw();
  // The page around it is refreshed; the charts are drawn again when there is a new sample.
  document.addEventListener('htmx:after:swap', () => {
    if (place.dataset.charts === drawnFrom) return;
    drawnFrom = place.dataset.charts;
    ({ times, markers, charts } = JSON.parse(drawnFrom));
    draw();
  });
  new ResizeObserver(() => {
    for (const plot of drawn) {
      const width = plot.root.parentElement.clientWidth - 24;
      if (width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }).observe(place);
})();
