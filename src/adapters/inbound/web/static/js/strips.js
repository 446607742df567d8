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
  const next = { ArrowLeft: 'previousElementSibling', ArrowRight: 'nextElementSibling' }[event.key];
  const other = next && cell?.[next];
  if (!other) return;
  event.preventDefault();
  other.focus();
});
