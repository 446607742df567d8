// The editor of text files: line numbers, Ctrl+S, the place after saving, and a question before unsaved text is lost.
// Without it the form works.

function edit(form) {
  const text = form.querySelector('textarea');
  const numbers = document.createElement('pre');
  numbers.className = 'line-numbers';
  numbers.setAttribute('aria-hidden', 'true');
  text.before(numbers);
  text.parentElement.classList.add('numbered');
  let lines = 0;
  const count = () => {
    const now = text.value.split('\n').length;
    if (now === lines) return;
    lines = now;
    number();
  };
  const problem = document.getElementById('text-fault');
  let faulty = Number(/^Line (\d+):/.exec(problem.textContent)?.[1] ?? 0);
  const number = () => {
    const all = Array.from({ length: lines }, (_, index) => {
      if (index + 1 !== faulty) return `${index + 1}\n`;
      const mark = document.createElement('b');
      mark.textContent = faulty;
      return [mark, '\n'];
    });
    numbers.replaceChildren(...all.flat());
  };
  let checking = 0;
  const ask = async () => {
    const checked = text.value;
    const body = new URLSearchParams({ p: form.elements.p.value, text: checked });
    if (form.elements.name) body.set('name', form.elements.name.value);
    const answer = await fetch(form.action.replace(/[^/]*$/, 'check'), {
      method: 'POST',
      body,
      redirect: 'error',
    });
    if (!answer.ok || text.value !== checked) return;
    const { fault } = await answer.json();
    faulty = fault?.line ?? 0;
    problem.textContent = fault ? `Line ${fault.line}: ${fault.message}` : '';
    number();
  };
  /** What the programs that read the file could not read, some time after the last key. */
  const check = () => {
    clearTimeout(checking);
    checking = setTimeout(() => void ask().catch(() => {}), CHECK_AFTER_MS);
  };
  const follow = () => {
    numbers.scrollTop = text.scrollTop;
  };
  // After a refusal or a preview the text differs from the file from the start.
  const saved = form.dataset.unsaved === undefined ? text.value : null;
  const mark = form.querySelector('[data-unsaved-mark]');
  let sending = false;
  text.addEventListener('input', () => {
    count();
    mark.hidden = text.value === saved;
    if (CHECKED.test(form.elements.name?.value ?? form.elements.p.value)) check();
  });
  text.addEventListener('scroll', follow);
  form.addEventListener('submit', () => {
    sending = true;
    const { selectionStart, selectionEnd, scrollTop } = text;
    const place = { file: fileOf(form), selectionStart, selectionEnd, scrollTop, scrollY };
    sessionStorage.setItem(PLACE, JSON.stringify(place));
  });
  form.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    form.requestSubmit(form.querySelector('[data-save]'));
  });
  addEventListener('pageshow', () => {
    sending = false;
  });
  addEventListener('beforeunload', (event) => {
    if (!sending && text.value !== saved) event.preventDefault();
  });
  count();
  if (saved !== null) returnTo(form, text);
  follow();
}

const PLACE = 'editor-place';
const CHECKED = /\.(?:ya?ml|json)$/i;
const CHECK_AFTER_MS = 500;
const fileOf = (form) => `${location.pathname} ${form.elements.p.value}`;

/** After saving, the text is where it was. */
function returnTo(form, text) {
  const { file, selectionStart, selectionEnd, scrollTop, scrollY } = JSON.parse(
    sessionStorage.getItem(PLACE) ?? '{}',
  );
  sessionStorage.removeItem(PLACE);
  if (file !== fileOf(form)) return;
  text.focus({ preventScroll: true });
  text.setSelectionRange(selectionStart, selectionEnd);
  text.scrollTop = scrollTop;
  scrollTo(0, scrollY);
}

for (const form of document.querySelectorAll('form[data-editor]')) edit(form);
