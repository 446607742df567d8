// Strips of days for the keyboard: arrow keys go from cell to cell, and the one with the focus shows its tooltip.

let tip = null;

document.addEventListener('focusin', ({ target }) => {
  tip?.remove();
  const words = target.closest?.('.heat a')?.textContent;
  if (!words) return;
  tip = document.body.appendChild(document.createElement('span'));
  tip.className = 'tip';
  tip.textContent = words;
  const { left, bottom } = target.getBoundingClientRect();
  tip.style.top = `${bottom + 4}px`;
  tip.style.left = `${Math.max(4, Math.min(left, innerWidth - tip.offsetWidth - 4))}px`;
});
document.addEventListener('focusout', () => tip?.remove());
document.addEventListener('keydown', (event) => {
  const cell = event.target.closest?.('.heat a');
  const cells = [...(cell?.parentNode.querySelectorAll('a') ?? [])];
  const other = cells[cells.indexOf(cell) + { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
  if (!other) return;
  event.preventDefault();
  other.focus();
});
