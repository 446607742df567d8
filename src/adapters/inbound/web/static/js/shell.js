// The frame of the pages: the search on Ctrl K, the theme, what was just done, and times on the clock of the reader.

const palette = document.getElementById('palette');

/** Ctrl K, and the field in the top bar. */
function offerPalette() {
  if (!palette) return;
  const field = palette.querySelector('input');
  const found = document.getElementById('found');
  const open = (event) => {
    event.preventDefault();
    if (palette.open) return;
    palette.showModal();
    field.select();
    field.dispatchEvent(new Event('palette-open'));
  };
  for (const opener of document.querySelectorAll('[data-palette]')) opener.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') open(event);
  });
  palette.addEventListener('click', (event) => {
    if (event.target === palette) palette.close();
  });
  const hits = () => [...found.querySelectorAll('a')];
  const choose = (hit) => {
    for (const each of hits()) each.setAttribute('aria-selected', String(each === hit));
    field.setAttribute('aria-activedescendant', hit?.id ?? '');
    hit?.scrollIntoView({ block: 'nearest' });
  };
  const chosen = () => hits().findIndex((each) => each.getAttribute('aria-selected') === 'true');
  field.addEventListener('keydown', (event) => {
    const all = hits();
    if (event.key === 'Enter' && all.length > 0) {
      event.preventDefault();
      all[Math.max(0, chosen())].click();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || all.length === 0) return;
    event.preventDefault();
    choose(all[(chosen() + step + all.length) % all.length]);
  });
  document.addEventListener('htmx:after:swap', () => {
    if (palette.open && chosen() < 0) choose(hits()[0]);
  });
}

/** At once; the choice is kept by the form. */
function offerTheme() {
  const form = document.querySelector('[data-theme-form]');
  if (!form) return;
  const root = document.documentElement;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const dark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    const theme = dark ? 'light' : 'dark';
    root.dataset.theme = theme;
    const body = new URLSearchParams({ theme, back: '/settings' });
    void fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(() => {});
  });
}

/**
 * Disappears after some seconds, unless the pointer is over it; inserted as a new element, so that screen readers
 * announce it.
 */
function showToasts() {
  const region = document.getElementById('toasts');
  for (const toast of region?.querySelectorAll('.toast') ?? []) {
    toast.remove();
    setTimeout(() => region.append(toast), 50);
    let gone = setTimeout(() => toast.remove(), 6000);
    toast.addEventListener('pointerenter', () => clearTimeout(gone));
    toast.addEventListener('pointerleave', () => {
      gone = setTimeout(() => toast.remove(), 3000);
    });
    toast.querySelector('button')?.addEventListener('click', () => toast.remove());
  }
}

const EXACT = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

function span(ms) {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? UNITS.at(-1);
  return `${Math.floor(ms / size)} ${unit}`;
}

/** How the service's clock differs from the browser's, in milliseconds. */
const off = Number(document.documentElement.dataset.now ?? Date.now()) - Date.now();

/** On the clock of the reader, and as long ago as it is by now. */
function tellTimes() {
  const now = Date.now() + off;
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    const past = now - at;
    const far = past >= 0 ? `${span(past)} ago` : `in ${span(-past)}`;
    time.title = `${EXACT.format(at)} (${far})`;
    if (time.dataset.ago !== undefined && past >= 0 && past < 60 * 86_400_000) {
      if (time.textContent !== far) time.textContent = far;
    }
  }
}

function showKeys() {
  const button = document.querySelector('[data-show-keys]');
  const keys = document.getElementById('keys');
  if (!button || !keys) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    button.closest('[popover]').hidePopover();
    keys.showModal();
  });
}

offerPalette();
offerTheme();
showToasts();
showKeys();
tellTimes();
setInterval(tellTimes, 15_000);
document.addEventListener('htmx:after:swap', tellTimes);
