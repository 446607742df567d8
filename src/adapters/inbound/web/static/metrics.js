// Draws the charts of a server's metrics; the table below them needs no script.
(() => {
  const place = document.getElementById('charts');
  if (!place) return;
  let drawnFrom = place.dataset.charts;
  let { times, until, gaps, markers, charts } = JSON.parse(drawnFrom);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const HEIGHT = 180;
  const { minute, day, time } = droverTimes;
  const clock = (seconds, step) => {
    const at = seconds * 1000;
    if (step >= 86_400) return day(at);
    return step >= 21_600 ? `${day(at)}, ${time(at)}` : time(at);
  };
  let drawn = [];
  /** Networks and disks are measured in powers of 1,000, and such steps are round. */
  const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
  const words = (value, unit) => {
    if (unit !== 'B/s') return `${value}${unit && ` ${unit}`}`;
    const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
    return `${Number((value / 1000 ** power).toPrecision(3))} ${UNITS[power]}/s`;
  };
  const WHOLE_STEPS = [0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((each) => each * 10 ** power));

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

  /** Behind the lines: times without values. */
  const shadeGaps = ({ ctx, bbox, valToPos }) => {
    ctx.save();
    ctx.fillStyle = resolved('var(--off-bg)');
    for (const [from, to] of gaps) {
      const left = Math.max(bbox.left, valToPos(from, 'x', true));
      const right = Math.min(bbox.left + bbox.width, valToPos(to, 'x', true));
      if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.restore();
  };

  const markText = ({ at, label }) => `${label}, ${minute(at * 1000)}`;

  /** Elements above the drawing: each has its job as a tooltip, and leads to it. */
  const putMarkers = ({ over, valToPos }) => {
    for (const mark of over.querySelectorAll('.mark')) mark.remove();
    for (const marker of markers) {
      const x = valToPos(marker.at, 'x');
      if (x < 0 || x > over.clientWidth) continue;
      const mark = document.createElement('a');
      mark.className = marker.isBad ? 'mark bad' : 'mark';
      mark.href = marker.href;
      mark.title = markText(marker);
      // The jobs are below the charts as well.
      mark.tabIndex = -1;
      mark.ariaHidden = 'true';
      mark.style.left = `${x}px`;
      over.append(mark);
    }
  };

  /** Where it becomes too much: the ground above, and its edge, behind the lines of values. */
  const drawLimit = (plot, limit) => {
    const { ctx, bbox, scales } = plot;
    if (limit === null || limit > scales.y.max) return;
    const y = plot.valToPos(limit, 'y', true);
    ctx.save();
    ctx.fillStyle = resolved('color-mix(in srgb, var(--bad-solid) 14%, transparent)');
    ctx.fillRect(bbox.left, bbox.top, bbox.width, y - bbox.top);
    ctx.fillStyle = resolved('color-mix(in srgb, var(--bad-solid) 60%, transparent)');
    ctx.fillRect(bbox.left, y, bbox.width, devicePixelRatio);
    ctx.restore();
  };

  /** A label that would be cut off at an end is left out. */
  const whole = (label, part, width) => {
    const room = (label.length * 3.5) / width;
    return part < room || part > 1 - room ? '' : label;
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
    const colors = ['--line-1', '--line-2', '--line-3', '--line-4'];
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
      .map(({ title, unit, limit, series, whole: inWhole }) => {
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
          padding: [8, 0, 0, 0],
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
              size: 20,
              space: 80,
              values: ({ scales: { x }, width }, ticks, __, ___, step) =>
                ticks.map((tick) => whole(clock(tick, step), (tick - x.min) / (x.max - x.min), width)),
            },
            {
              ...axis,
              // Beside the lines; of a wide page at the same place in all charts.
              size: (_, labels) =>
                innerWidth > 760 ? 60 : Math.max(0, ...(labels ?? []).map(({ length }) => length)) * 7 + 6,
              gap: 6,
              space: 28,
              ...(inWhole ? { incrs: WHOLE_STEPS } : {}),
              values: (_, ticks) => ticks.map((tick) => words(tick, unit)),
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
              value: (_, value) => (value === null || value === undefined ? '–' : words(value, unit)),
            })),
          ],
          hooks: {
            drawClear: [shadeGaps],
            drawAxes: [(plot) => drawLimit(plot, limit)],
            draw: [putMarkers],
            ready: [showLatest],
            setCursor: [showLatest],
          },
          cursor: { y: false, sync: { key: 'metrics' } },
        };
        return new uPlot(options, [times, ...series.map(({ values }) => values)], card);
      });
    const note = document.createElement('p');
    note.className = 'quiet';
    if (gaps.length > 0) note.append('Shaded: nothing was recorded. ');
    if (markers.length > 0) note.append('Vertical dashed lines: ');
    for (const [index, marker] of markers.slice(0, 5).entries()) {
      const link = document.createElement('a');
      link.href = marker.href;
      link.textContent = markText(marker);
      note.append(index > 0 ? '; ' : '', link);
    }
    if (markers.length > 0) note.append(markers.length > 5 ? '; …' : '.');
    if (note.hasChildNodes()) place.append(note);
  };

  if (color('--accent') !== '') draw();
  // The page around it is refreshed; the charts are drawn again when there is a new sample.
  document.addEventListener('htmx:after:swap', () => {
    if (place.dataset.charts === drawnFrom) return;
    drawnFrom = place.dataset.charts;
    ({ times, until, gaps, markers, charts } = JSON.parse(drawnFrom));
    draw();
  });
  new ResizeObserver(() => {
    for (const plot of drawn) {
      const width = plot.root.parentElement.clientWidth - 24;
      if (width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }).observe(place);
})();
