// Parts of a page that stay up to date, and the keys. Without it, pages show the state at the time of the request.

const connection = document.getElementById('connection');
const sign = document.querySelector('[data-live-sign]');
let lostAt = null;

/** Whether the page is up to date. */
function tellLive() {
  if (!sign) return;
  sign.hidden = !document.querySelector('[data-live], #log[data-events]');
  sign.firstElementChild.className = `dot ${lostAt ? 'bad' : 'good'}`;
  sign.lastElementChild.textContent = lostAt ? 'Offline' : 'Live';
}

function lost(words) {
  if (!connection || lostAt) return;
  lostAt = new Date();
  connection.textContent =
    words ?? `Connection lost at ${droverTimes.second(lostAt)}. This page may be out of date. Reconnecting …`;
  connection.hidden = false;
  tellLive();
}

function healed() {
  if (!lostAt) return;
  lostAt = null;
  connection.hidden = true;
  connection.textContent = '';
  tellLive();
}

tellLive();

let isTyped = false;

// A form that you are filling in stays as it is while the page around it is refreshed.
document.addEventListener('input', ({ target }) => {
  isTyped = true;
  target.closest?.('[data-live] form')?.setAttribute('hx-morph-skip', '');
});

const isLive = (event) => event.target.closest?.('[data-live]');

document.addEventListener('htmx:error', (event) => {
  if (isLive(event)) lost();
});

// Only a part of the page replaces one: an error leaves the content. Signed-out users are redirected to the sign-in,
// unless they would lose what they typed.
document.addEventListener('htmx:before:response', (event) => {
  const { raw } = event.detail.ctx.response;
  if (raw.redirected && (isLive(event) || raw.url.includes('/sign-in'))) {
    event.preventDefault();
    if (isTyped) lost('You are signed out. Sign in in another tab.');
    else location.reload();
  } else if (raw.ok) healed();
  else if (isLive(event)) {
    event.preventDefault();
    lost();
  }
});

/** At once, not when its time has come: what has been out of sight or without a network may be old. */
function refresh() {
  if (document.visibilityState !== 'visible') return;
  for (const part of document.querySelectorAll('[data-live]')) part.dispatchEvent(new Event('refresh'));
}
document.addEventListener('visibilitychange', refresh);
addEventListener('online', refresh);
addEventListener('offline', () => {
  if (document.querySelector('[data-live]')) lost();
});

const keys = document.getElementById('keys');
/** `g` was pressed: the next key says where to go. */
let going = false;

/** The button that Enter in its form's note presses. */
let decision = null;

function press(event) {
  const way = document.querySelector(`[data-key="${event.key}"]`);
  const note = way?.form?.elements.note;
  if (!note) {
    way?.click();
    return;
  }
  event.preventDefault();
  decision = way;
  note.placeholder = note.labels[0].textContent = way.dataset.ask;
  note.focus();
}
document.addEventListener('keydown', ({ key, target }) => {
  if (key === 'Enter' && target === decision?.form?.elements.note) decision.click();
});

document.addEventListener('keydown', (event) => {
  if (!keys || keys.open || event.ctrlKey || event.metaKey || event.altKey) return;
  // A dialog that was just closed may still hold the focus.
  const typing = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (typing && !typing.closest('dialog:not([open])')) return;
  if (event.key === '?') {
    event.preventDefault();
    keys.showModal();
  } else if (event.key === '/') {
    event.preventDefault();
    const search = document.querySelector('[data-search]');
    if (search) search.focus();
    else document.querySelector('[data-palette]')?.click();
  } else if (going) {
    const way = keys.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (way) location.assign(way.href);
  } else if (/^[a-z]$/i.test(event.key)) {
    press(event);
  }
  going = event.key === 'g';
});

let changes = null;

/** The numbers of the navigation as soon as they change, and with them what else is on the page. */
function followCounts() {
  changes?.close();
  changes = null;
  if (!keys || document.hidden) return;
  let isNew = false;
  changes = new EventSource('/live/events');
  changes.addEventListener('counts', ({ data }) => {
    for (const [name, [text, title]] of Object.entries(JSON.parse(data))) {
      for (const each of document.querySelectorAll(`[data-count="${name}"]`)) {
        each.textContent = text;
        each.parentElement.title = title;
      }
    }
    if (isNew) refresh();
    isNew = true;
  });
  changes.addEventListener('over', () => changes.close());
}
document.addEventListener('visibilitychange', followCounts);
followCounts();
