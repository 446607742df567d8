// The frame of the pages: the search on Ctrl K, the theme, and what was just done.

const palette = document.getElementById('palette');

/** Ctrl K, and the field in the top bar. */
function offerPalette() {
  if (!palette) return;
  const field = palette.querySelector('input');
  const found = document.getElementById('found');
  // Enter before the results of the last letters are there: opened as soon as they are.
  let waiting = null;
  const open = (event) => {
    event.preventDefault();
    if (palette.open) {
      palette.close();
      return;
    }
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
  palette.addEventListener('close', () => {
    waiting = null;
  });
  const hits = () => [...found.querySelectorAll('a')];
  const choose = (hit) => {
    for (const each of hits()) each.setAttribute('aria-selected', String(each === hit));
    field.setAttribute('aria-activedescendant', hit?.id ?? '');
    hit?.scrollIntoView({ block: 'nearest' });
  };
  const chosen = () => hits().findIndex((each) => each.getAttribute('aria-selected') === 'true');
  const go = ({ newTab }) => {
    const hit = hits()[Math.max(0, chosen())];
    if (!hit) return;
    if (newTab) globalThis.open(hit.href, '_blank', 'noopener');
    else hit.click();
  };
  const isCurrent = () => found.querySelector('[data-found]')?.dataset.found === field.value.trim();
  field.addEventListener('keydown', (event) => {
    const all = hits();
    if (event.key === 'Enter') {
      event.preventDefault();
      const way = { newTab: event.ctrlKey || event.metaKey };
      if (isCurrent()) go(way);
      else waiting = way;
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || all.length === 0) return;
    event.preventDefault();
    choose(all[(chosen() + step + all.length) % all.length]);
  });
  found.addEventListener('pointermove', ({ target }) => {
    const hit = target.closest('a');
    if (hit && hit.getAttribute('aria-selected') !== 'true') choose(hit);
  });
  document.addEventListener('htmx:after:swap', () => {
    if (!palette.open) return;
    if (chosen() < 0) choose(hits()[0]);
    if (waiting === null || !isCurrent()) return;
    const way = waiting;
    waiting = null;
    go(way);
  });
}

const root = document.documentElement;

/** At once; the choice is kept by the form. */
function look(form, name, value) {
  root.dataset[name] = value;
  const body = new URLSearchParams({ [name]: value, back: '/settings' });
  return fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(() => {});
}

function offerLook(name, other) {
  const form = document.querySelector(`[data-${name}-form]`);
  form?.addEventListener('submit', (event) => {
    event.preventDefault();
    void look(form, name, other(root.dataset[name]));
  });
}

/** In the settings, the button is for browsers without scripts. */
function chooseLook() {
  const form = document.querySelector('[data-look]');
  if (!form) return;
  form.querySelector('button').hidden = true;
  const note = form.querySelector('output');
  form.addEventListener('change', ({ target }) => {
    void look(form, target.name, target.value).then((isSaved) => {
      if (isSaved) note.textContent = 'Saved.';
    });
  });
}

const isDark = (theme) =>
  theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);

/**
 * Disappears after some seconds, unless the pointer is over it; inserted as a new element, so that screen readers
 * announce it.
 */
function showToasts() {
  const region = document.getElementById('toasts');
  for (const toast of region?.querySelectorAll('.toast') ?? []) {
    toast.remove();
    setTimeout(() => region.append(toast), 50);
    const stays = toast.querySelector('form') ? 12000 : 6000;
    let gone = setTimeout(() => toast.remove(), stays);
    for (const on of ['pointerenter', 'focusin']) toast.addEventListener(on, () => clearTimeout(gone));
    toast.addEventListener('pointerleave', () => {
      gone = setTimeout(() => toast.remove(), 3000);
    });
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

/** In menus: the arrow keys, Home and End. A menu that the keyboard opens gets the focus. */
function moveInMenus() {
  const entriesOf = (menu) =>
    [...menu.querySelectorAll('a, button')].filter((each) => each.checkVisibility());
  document.addEventListener(
    'toggle',
    ({ target, newState }) => {
      const opener = document.activeElement;
      if (newState !== 'open' || !target.matches('.menu') || opener.popoverTargetElement !== target) return;
      if (opener.matches(':focus-visible')) entriesOf(target)[0]?.focus();
    },
    true,
  );
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    const menu = target.closest('.menu') ?? target.popoverTargetElement;
    if (!menu?.matches('.menu') || !target.matches('a, button')) return;
    const entries = entriesOf(menu);
    const at = entries.indexOf(target);
    const to = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: -1 }[key];
    const isOpen = menu.matches(':popover-open');
    if (to === undefined || (!isOpen && key !== 'ArrowDown')) return;
    event.preventDefault();
    if (isOpen) entries.at(to % entries.length)?.focus();
    else target.click();
  });
}

// Users can install the app: that requires a service worker, which browsers allow only over HTTPS and on localhost.
// Where they refuse it, such as after an ignored certificate error, the pages work as before.
navigator.serviceWorker?.register('/service-worker.js').catch(() => {});

// Of lists that a phone shows as one line, the current entry.
for (const each of document.querySelectorAll('main :is(.tabs, .list-nav) [aria-current]')) {
  const list = each.closest('.tabs, .list-nav');
  list.scrollLeft = each.offsetLeft - list.offsetLeft - (list.clientWidth - each.offsetWidth) / 2;
}

offerPalette();
offerLook('theme', (theme) => (isDark(theme) ? 'light' : 'dark'));
offerLook('density', (density) => (density === 'compact' ? 'comfortable' : 'compact'));
chooseLook();
showToasts();
showKeys();
moveInMenus();
