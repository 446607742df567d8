// The editor of text files: line numbers, Ctrl+S, and a question before unsaved text is lost. Without it the form works.

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
    numbers.textContent = Array.from({ length: now }, (_, index) => index + 1).join('\n');
  };
  const follow = () => {
    numbers.scrollTop = text.scrollTop;
  };
  // After a refusal or a preview the text differs from the file from the start.
  const saved = form.dataset.unsaved === undefined ? text.value : null;
  let sending = false;
  text.addEventListener('input', count);
  text.addEventListener('scroll', follow);
  form.addEventListener('submit', () => {
    sending = true;
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
  follow();
}

for (const form of document.querySelectorAll('form[data-editor]')) edit(form);
