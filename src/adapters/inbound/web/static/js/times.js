// Times in the reader's time zone, in the one way in which the web UI writes them, with UTC on hover. Other scripts
// use `droverTimes`.

const DATE = { day: 'numeric', month: 'short', year: 'numeric' };
const CLOCK = { hour: '2-digit', minute: '2-digit' };
const SECONDS = { ...CLOCK, second: '2-digit' };
const ZONE = { timeZoneName: 'short' };
const EXACT = { weekday: 'short', ...DATE, ...SECONDS, ...ZONE };

function format(parts) {
  const formatter = new Intl.DateTimeFormat('en-GB', parts);
  return (at) => formatter.format(at).replace('Sept', 'Sep');
}

const minute = format({ ...DATE, ...CLOCK, ...ZONE });
const start = format({ ...DATE, ...CLOCK });
const day = format(DATE);
const shortDay = format({ day: 'numeric', month: 'short' });
const clock = format(CLOCK);
const weekClock = format({ weekday: 'short', ...CLOCK });
const dayClock = format({ day: 'numeric', month: 'short', ...CLOCK });
const second = format(SECONDS);
const exact = format(EXACT);
const exactUtc = format({ ...EXACT, timeZone: 'UTC' });
const secondUtc = format({ ...SECONDS, timeZone: 'UTC' });
const zone = minute(Date.now()).split(' ').at(-1);
// For what the service draws by the clock.
document.cookie = `drover-zone=${Intl.DateTimeFormat().resolvedOptions().timeZone};path=/;max-age=31536000;samesite=lax`;

const DAY_MS = 86_400_000;
const UNITS = [
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const IN_TEXT = new RegExp(
  `\\b(\\d{1,2}) (${MONTHS.join('|')}) (\\d{4})(?:, (\\d\\d):(\\d\\d))? UTC\\b`,
  'g',
);

/** A day of the service goes from midnight to midnight in UTC. */
const daySpan = (from) =>
  new Date(from).getTimezoneOffset() === 0 ? day(from) : `${start(from)} to ${minute(from + DAY_MS)}`;

/** A text with its times in UTC converted. */
const local = (text) =>
  text.replace(IN_TEXT, (_, date, month, year, hour, minutes) => {
    const at = Date.UTC(
      Number(year),
      MONTHS.indexOf(month),
      Number(date),
      Number(hour ?? 0),
      Number(minutes ?? 0),
    );
    return hour === undefined ? daySpan(at) : minute(at);
  });

function span(ms) {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? UNITS.at(-1);
  return `${Math.floor(ms / size)} ${unit}`;
}

/** How long something that runs has taken, in two units, as `elapsed` on the server. */
function tick() {
  for (const each of document.querySelectorAll('[data-since]')) {
    const ms = Math.max(0, Date.now() - each.dataset.since);
    const at = UNITS.findIndex(([, least]) => ms >= least);
    const [unit, size] = UNITS.at(at);
    const [smaller, least] = UNITS[at + 1] ?? [];
    const rest = String(Math.floor((ms % size) / least)).padStart(unit === 'd' ? 1 : 2, '0');
    const text = smaller && at >= 0 ? `${span(ms)} ${rest} ${smaller}` : span(ms);
    if (each.textContent !== text) each.textContent = text;
  }
}

function convertElement(time, now) {
  const at = Date.parse(time.dateTime);
  if (Number.isNaN(at)) return;
  const past = now - at;
  const far = past >= 0 ? `${span(past)} ago` : `in ${span(-past)}`;
  const { local: shown, ago } = time.dataset;
  const text =
    shown !== undefined
      ? ({ day, short: shortDay, clock: dayClock, time: clock, week: weekClock }[shown] ?? minute)(at)
      : ago !== undefined && past >= 0
        ? far
        : null;
  if (text !== null && time.textContent !== text) time.textContent = text;
  time.title = `${exact(at)}; ${exactUtc(at)}; ${far}`;
}

function convertTitles(element) {
  for (const name of ['title', 'aria-label']) {
    const text = element.getAttribute(name);
    if (text?.includes('UTC')) element.setAttribute(name, local(text));
  }
  for (const each of element.tagName === 'OPTION' ? [element] : element.querySelectorAll('title')) {
    if (each.textContent.includes('UTC')) each.textContent = local(each.textContent);
  }
}

/** Lines of logs: once each, as there are thousands. Their stamps have no date. */
function convertLogs() {
  for (const time of document.querySelectorAll('time[data-clock]')) {
    const at = Date.parse(time.dateTime);
    const isDated = time.dataset.clock === 'day';
    delete time.dataset.clock;
    if (Number.isNaN(at)) continue;
    time.textContent = isDated ? `${shortDay(at)}, ${second(at)}` : second(at);
    time.title = `${secondUtc(at)} UTC`;
  }
}

function convertAll() {
  const now = Date.now();
  for (const time of document.querySelectorAll('time[datetime]:not(.log time, .peek time)')) {
    convertElement(time, now);
  }
  for (const element of document.querySelectorAll('[data-times]')) convertTitles(element);
}

globalThis.droverTimes = { minute, second, time: clock, day: shortDay, zone, local, convertLogs };

document.title = local(document.title);
for (const place of document.querySelectorAll('[data-zone]')) place.textContent = zone;
convertLogs();
convertAll();
setInterval(convertAll, 15_000);
setInterval(tick, 1000);
document.addEventListener('htmx:after:swap', () => {
  convertLogs();
  convertAll();
});
