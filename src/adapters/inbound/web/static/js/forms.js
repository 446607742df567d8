// What the pages do in the browser beyond forms and links. Without it they work, too.

/** A one-time link's secret stands behind the #: into the form with it, and out of the address. */
function takeUpLink() {
  const form = document.querySelector('[data-link-form]');
  if (!form || location.hash.length < 2) return;
  const field = form.querySelector('input[name="link"]');
  field.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  form.requestSubmit();
}

/** A new token's secret is on the page by now: out of the address, so that neither history nor a screenshot keeps it. */
function hideSecret() {
  const query = new URLSearchParams(location.search);
  if (!query.has('token_secret')) return;
  query.delete('token_secret');
  query.delete('token_id');
  history.replaceState(null, '', query.size === 0 ? location.pathname : `${location.pathname}?${query}`);
}

/** Buttons that work with scripts only. */
const OFFERED = `:is([data-generate],[data-show]${navigator.clipboard ? ',[data-copy],[data-copy-text]' : ''})[hidden]`;

function offerButtons() {
  for (const button of document.querySelectorAll(OFFERED)) button.hidden = false;
}

/** What was typed into a password field can be read before it is sent. */
function revealSecret({ target }) {
  const button = target.closest('[data-show]');
  if (!button) return;
  const field = button.previousElementSibling;
  const isHidden = field.type === 'password';
  field.type = isHidden ? 'text' : 'password';
  button.textContent = isHidden ? 'Hide' : 'Show';
}

/** 160 random bits into the field that a button names; shown, as it is not known yet. */
function generate({ target }) {
  const button = target.closest('[data-generate]');
  if (!button) return;
  const field = document.getElementById(button.dataset.generate);
  const bytes = [...crypto.getRandomValues(new Uint8Array(20))];
  field.value = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  field.type = 'text';
}

/** The text of the element that a button names, or its own. */
function copy({ target }) {
  const button = target.closest('[data-copy], [data-copy-text]');
  if (!button) return;
  const text = button.dataset.copyText ?? document.getElementById(button.dataset.copy).textContent;
  const label = button.querySelector('span') ?? button;
  const words = label.textContent;
  void navigator.clipboard.writeText(text).then(() => {
    label.textContent = 'Copied';
    setTimeout(() => {
      if (words !== 'Copied') label.textContent = words;
    }, 2000);
  });
}

/** A time zone that was not chosen yet is the browser's, or has it as the example. */
function fillTimeZones() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const field of document.querySelectorAll('[data-time-zone]')) {
    if (timeZone) field[field.dataset.timeZone] = timeZone;
    delete field.dataset.timeZone;
  }
}

/** A search above a list of checkboxes, of which chosen ones stay in sight, or of links. It is not part of the form. */
function findBoxes() {
  for (const search of document.querySelectorAll('[data-find-boxes][hidden]')) {
    search.hidden = false;
    search.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      search.parentElement.querySelector('a:not([hidden])')?.click();
    });
    search.addEventListener('input', (event) => {
      // The form would be previewed again.
      event.stopPropagation();
      const wanted = search.value.trim().toLowerCase();
      for (const choice of search.parentElement.querySelectorAll(search.dataset.findBoxes)) {
        const isChosen = choice.querySelector('input')?.checked;
        const words = `${choice.textContent} ${choice.dataset.words ?? ''}`.toLowerCase();
        choice.hidden = !isChosen && !words.includes(wanted);
      }
    });
    search.addEventListener('change', (event) => event.stopPropagation());
  }
}

/** What cannot be undone waits for the name of its object, if a field asks for it. */
function guardByName() {
  for (const button of document.querySelectorAll('[data-needs-name]')) {
    const { confirm, confirmation, host_name, count } = button.form.elements;
    const field = confirmation ?? confirm ?? host_name ?? count;
    button.disabled = field.checkVisibility() && field.value.trim() !== button.dataset.needsName;
  }
}

let sent = null;

/** A double click sends a form once. */
function sendOnce(event) {
  if (event.target === sent) event.preventDefault();
  if (event.defaultPrevented || event.target.method !== 'post') return;
  sent = event.target;
  setTimeout(() => {
    sent = null;
  }, 3000);
}

/** Parts that come later have such fields, too. */
function offerAll() {
  offerButtons();
  fillTimeZones();
  findBoxes();
  guardByName();
}

takeUpLink();
hideSecret();
offerAll();
document.addEventListener('htmx:after:swap', offerAll);
document.addEventListener('submit', sendOnce);
document.addEventListener('input', guardByName);
document.addEventListener('toggle', guardByName, true);
document.addEventListener('click', copy);
document.addEventListener('click', generate);
document.addEventListener('click', revealSecret);
