// Draws the charts of a server's metrics; the table below them needs no script.
(() => {
  const place = document.getElementById('charts');
  if (!place) return;
  let drawnFrom = place.dataset.charts;
  let { times, until, markers, charts } = JSON.parse(drawnFrom);
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
  const resolved = (paint) => {
    const probe = document.createElement('span');
    probe.className = 'probe';
    probe.style.color = paint;
    place.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };

  const drawMarkers = (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = resolved('var(--warn-solid)');
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

  /** Where it becomes too much. */
  const drawLimit = (plot, limit) => {
    const { ctx, bbox, scales } = plot;
    if (limit === null || limit > scales.y.max) return;
    const y = plot.valToPos(limit, 'y', true);
    ctx.save();
    ctx.strokeStyle = resolved('var(--bad-solid)');
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  };

  /** The legend has the latest values as long as the pointer is elsewhere, and then no time. */
  const showLatest = (plot) => {
    const isLatest = plot.cursor.idx === null || plot.cursor.idx === undefined;
    plot.root.parentElement.classList.toggle('latest', isLatest);
    if (isLatest) plot.setLegend({ idx: times.length - 1 });
  };

  /** The range of values. A limit is in it unless all values are far below. */
  const rangeOf = (unit, limit) => (_, __, max) => {
    if (unit === '%') return [0, 100];
    const top = limit !== null && max > limit / 4 ? Math.max(max, limit) : max;
    return [0, top > 0 ? top * 1.1 : 1];
  };

  const draw = () => {
    for (const plot of drawn) plot.destroy();
    place.replaceChildren();
    const colors = ['--accent', '--bad-solid', '--good-solid', '--warn-solid', '--run-solid'];
    const strokes = colors.map((name) => resolved(`var(${name})`));
    const fills = colors.map((name) => resolved(`color-mix(in srgb, var(${name}) 12%, transparent)`));
    const { fontFamily } = getComputedStyle(place);
    const axis = {
      stroke: resolved('var(--text-3)'),
      font: `12px ${fontFamily}`,
      grid: { stroke: resolved('var(--border)'), width: 1 },
      ticks: { show: false },
    };
    drawn = charts
      .filter(({ series }) => series.some(({ values }) => values.some((value) => value !== null)))
      .map(({ title, unit, limit, series }) => {
        const card = document.createElement('section');
        card.className = 'card chart';
        const head = document.createElement('header');
        const heading = document.createElement('h2');
        heading.textContent = title;
        head.append(heading);
        card.append(head);
        card.classList.toggle('lone', series.length === 1);
        place.append(card);
        const options = {
          width: card.clientWidth - 24,
          height: HEIGHT,
          padding: [8, 24, 0, 0],
          // Up to now, so that missing samples show.
          scales: {
            x: {
              range: (_, first, last) => [Math.min(first, until - 3600), last < times.at(-1) ? last : until],
            },
            y: { range: rangeOf(unit, limit) },
          },
          legend: { mount: (_, legend) => head.append(legend) },
          axes: [
            {
              ...axis,
              size: 28,
              space: 80,
              values: (_, ticks, __, ___, step) => ticks.map((tick) => clock(tick, step)),
            },
            {
              ...axis,
              size: 52,
              space: 28,
              values: (_, ticks) => ticks.map((tick) => `${tick}${unit && ` ${unit}`}`),
            },
          ],
          series: [
            { value: (_, at) => (at === null || at === undefined ? '–' : minute(at * 1000)) },
            ...series.map(({ label }, index) => ({
              label,
              stroke: strokes[index % strokes.length],
              fill: fills[index % fills.length],
              // A sample alone has no line.
              points: { show: times.length < 3 },
              width: 1.5,
              spanGaps: false,
              value: (_, value) =>
                value === null || value === undefined ? '–' : `${value}${unit && ` ${unit}`}`,
            })),
          ],
          hooks: {
            draw: [drawMarkers, (plot) => drawLimit(plot, limit)],
            ready: [showLatest],
            setCursor: [showLatest],
          },
          cursor: { sync: { key: 'metrics' } },
        };
        return new uPlot(options, [times, ...series.map(({ values }) => values)], card);
      });
    if (markers.length > 0) {
      const note = document.createElement('p');
      note.className = 'quiet';
      const shown = markers.slice(0, 5).map(({ at, label }) => `${label}, ${minute(at * 1000)}`);
      note.textContent = `Vertical dashed lines: jobs that changed the server (${shown.join('; ')}${markers.length > 5 ? '; …' : ''}).`;
      place.append(note);
    }
  };

  if (color('--accent') !== '') draw();
  // The page around it is refreshed; the charts are drawn again when there is a new sample.
  document.addEventListener('htmx:after:swap', () => {
    if (place.dataset.charts === drawnFrom) return;
    drawnFrom = place.dataset.charts;
    ({ times, until, markers, charts } = JSON.parse(drawnFrom));
    draw();
  });
  new ResizeObserver(() => {
    for (const plot of drawn) {
      const width = plot.root.parentElement.clientWidth - 24;
      if (width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }).observe(place);
})();
