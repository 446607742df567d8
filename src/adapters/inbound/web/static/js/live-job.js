// Keeps a job's page up to date while the job goes on, or the log of a container, and makes the log easier to read.

/** Lines that are kept on the page; older ones are in the whole log. */
const MAX_LINES = 5000;
const SLOWEST_RETRY_MS = 30_000;

const log = document.getElementById('log');

/** Follows by server-sent events from the last line that is there. */
function live() {
  const { events } = log.dataset;
  const connection = document.getElementById('log-connection');
  const toEnd = document.getElementById('log-follow');
  const pause = document.getElementById('log-pause');
  let { place } = log.dataset;
  let source = null;
  let retryMs = 1000;
  let waiting = 0;
  let unseen = 0;
  let over = false;
  let paused = false;
  let following = true;
  const shown = new Map();

  const say = (text) => {
    if (connection.textContent !== text) connection.textContent = text;
  };
  const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 32;
  const goToEnd = () => {
    log.scrollTop = log.scrollHeight;
    following = true;
    unseen = 0;
    toEnd.hidden = true;
  };
  const add = (html) => {
    const rows = document.createElement('template');
    rows.innerHTML = html;
    const { length } = rows.content.children;
    document.getElementById('log-empty').before(rows.content);
    document.getElementById('log-empty').hidden = true;
    const lines = log.getElementsByClassName('line');
    if (following) while (lines.length > MAX_LINES) lines[0].remove();
    droverTimes.convertLogs();
    log.dispatchEvent(new Event('grown'));
    if (following) {
      goToEnd();
      return;
    }
    unseen += length;
    toEnd.textContent = `Go to the end: ${unseen} more`;
    toEnd.hidden = false;
  };
  const put = (parts) => {
    for (const [id, html] of Object.entries(parts)) {
      if (shown.get(id) === html) continue;
      const next = document.createElement('template');
      next.innerHTML = html;
      const there = document.getElementById(id);
      if (!there) continue;
      const arrived = next.content.firstElementChild;
      // Unchanged elements stay: a button must not vanish while it is being pressed.
      if (there.innerHTML !== arrived.innerHTML || there.className !== arrived.className)
        there.replaceWith(arrived);
      shown.set(id, html);
    }
    // As after what htmx brings: tables that are new are made ready for small screens.
    document.dispatchEvent(new Event('htmx:after:swap'));
  };
  const signedOut = () => {
    over = true;
    clearTimeout(waiting);
    source?.close();
    say('You are signed out. Reload to sign in.');
  };
  /** A refusal means a needed sign-in or a temporary error: only the page itself shows which. */
  const askWhy = async () => {
    const page = await fetch(log.dataset.page, { redirect: 'manual' });
    if (page.type === 'opaqueredirect') signedOut();
  };
  const later = () => {
    if (source?.readyState === EventSource.CLOSED) void askWhy().catch(() => {});
    source?.close();
    source = null;
    say('Connection lost. Reconnecting …');
    clearTimeout(waiting);
    waiting = setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, SLOWEST_RETRY_MS);
  };
  function connect() {
    if (over || paused || document.hidden) return;
    source = new EventSource(`${events}?after=${encodeURIComponent(place)}`);
    source.addEventListener('open', () => {
      retryMs = 1000;
      say('Live');
    });
    source.addEventListener('log', (event) => {
      place = event.lastEventId;
      add(JSON.parse(event.data).html);
    });
    source.addEventListener('state', (event) => put(JSON.parse(event.data).parts));
    source.addEventListener('over', (event) => {
      const { why } = JSON.parse(event.data);
      if (why === 'failed') return;
      if (why === 'signed_out') {
        signedOut();
        return;
      }
      over = true;
      source.close();
      if (why === 'ended') document.dispatchEvent(new Event('job:ended'));
      say(why === 'ended' ? 'Finished' : 'Live updates moved to another tab. Reload to continue here.');
    });
    source.addEventListener('error', later);
  }
  if (pause) pause.hidden = false;
  pause?.addEventListener('click', () => {
    if (over) return;
    paused = !paused;
    pause.textContent = paused ? 'Resume' : 'Pause';
    source?.close();
    source = null;
    clearTimeout(waiting);
    if (!paused) connect();
    say(paused ? 'Paused' : 'Connecting …');
  });
  log.addEventListener('scroll', () => {
    following = atEnd();
    if (following) goToEnd();
  });
  toEnd.addEventListener('click', () => {
    goToEnd();
    log.focus();
  });
  document.addEventListener('visibilitychange', () => {
    if (over || paused) return;
    if (document.hidden) {
      source?.close();
      source = null;
      clearTimeout(waiting);
    } else if (source === null) connect();
  });
  window.addEventListener('pagehide', () => source?.close());
  if (!location.hash.startsWith('#L')) goToEnd();
  else following = false;
  say('Connecting …');
  connect();
}

/** Shows only the lines with the words that are looked for. */
function search() {
  const field = document.getElementById('log-search');
  const found = document.getElementById('log-found');
  field.hidden = false;
  const look = () => {
    const wanted = field.value.trim().toLowerCase();
    let hits = 0;
    const lines = log.getElementsByClassName('line');
    for (const line of lines) {
      const hit = wanted === '' || line.lastElementChild.textContent.toLowerCase().includes(wanted);
      line.classList.toggle('miss', !hit);
      if (hit) hits += 1;
    }
    found.textContent = wanted === '' ? '' : `${hits} of ${lines.length} lines`;
  };
  field.addEventListener('input', look);
  if (field.value !== '') look();
  field.form?.addEventListener('change', ({ target }) => {
    if (target !== field) target.form.requestSubmit();
  });
  log.addEventListener('grown', () => {
    if (field.value !== '') look();
  });
  log.addEventListener('click', (event) => {
    // From a line that was found to where it stands among the others.
    if (field.value === '' || !event.target.closest('.line > a')) return;
    field.value = '';
    look();
    event.target.closest('.line').scrollIntoView({ block: 'center' });
  });
}

/** The lines that report errors, and the first of them. */
function showErrors() {
  const link = document.getElementById('log-errors');
  const show = () => {
    const errors = log.querySelectorAll('.line.error');
    link.hidden = errors.length === 0;
    if (errors.length === 0) return;
    link.href = `#${errors[0].id}`;
    link.textContent = errors.length === 1 ? '1 error' : `${errors.length} errors`;
    document.getElementById('log-errors-first').parentElement.hidden = false;
  };
  log.addEventListener('grown', show);
}

/** The lines as they are shown, without their numbers. */
function offerCopy() {
  const button = document.getElementById('log-copy');
  const words = button.lastElementChild;
  button.hidden = false;
  button.addEventListener('click', () => {
    const lines = [...log.querySelectorAll('.line:not(.miss)')].map((line) =>
      [...line.querySelectorAll(':scope > time, :scope > span')]
        .map((each) => each.innerText)
        .join(' ')
        .trim(),
    );
    void navigator.clipboard.writeText(`${lines.join('\n')}\n`).then(() => {
      words.textContent = 'Copied';
      setTimeout(() => {
        words.textContent = 'Copy';
      }, 2000);
    });
  });
}

/** A link to a line leads there also where that is on another part of the log. */
function goToLine() {
  const [, number] = /^#L([1-9]\d{0,8})$/.exec(location.hash) ?? [];
  if (number === undefined || document.getElementById(`L${number}`)) return;
  const last = Number(log.querySelector('.line:last-of-type > a')?.textContent ?? 0);
  const from = String(Math.max(1, Number(number) - 20));
  const asked = new URLSearchParams(location.search).get('from');
  if (Number(number) > last || asked === from) return;
  location.replace(`${log.dataset.page}?from=${from}${location.hash}`);
}

if (log) {
  search();
  showErrors();
  offerCopy();
  goToLine();
  window.addEventListener('hashchange', goToLine);
  if (log.dataset.events) live();
}
