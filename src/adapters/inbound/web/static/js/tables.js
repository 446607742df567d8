// The box in the head of a table, and how many rows are selected. Without it the boxes of the rows work.

const boxesOf = (form) =>
  [...form.elements].filter((each) => each.name === 'ids' && each.type === 'checkbox');

function showSelection() {
  for (const all of document.querySelectorAll('[data-select-all]')) {
    const form = document.getElementById(all.dataset.selectAll);
    if (!form) continue;
    const boxes = boxesOf(form);
    const ticked = boxes.filter((each) => each.checked).length;
    all.hidden = false;
    all.checked = ticked > 0 && ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
    const label = form.querySelector('[data-selected]');
    const noun = label?.dataset.selected ?? '';
    if (label) label.textContent = `${ticked} ${ticked === 1 ? noun.replace(/s$/, '') : noun} selected`;
  }
}

document.addEventListener('change', ({ target }) => {
  const form = document.getElementById(target.dataset?.selectAll ?? '');
  if (form) for (const box of boxesOf(form)) box.checked = target.checked;
  showSelection();
});
document.addEventListener('reset', () => setTimeout(showSelection));
document.addEventListener('htmx:after:swap', showSelection);
showSelection();
