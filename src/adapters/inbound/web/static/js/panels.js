// Tabs that show one part of a page at a time. Without it all parts are there, and the tabs are links to them.

const nav = document.querySelector('[data-panels]');

function open(panel) {
  for (const each of document.querySelectorAll('.panel')) each.toggleAttribute('data-idle', each !== panel);
  for (const tab of nav.querySelectorAll('a')) {
    if (tab.hash === `#${panel.id}`) tab.setAttribute('aria-current', 'true');
    else tab.removeAttribute('aria-current');
  }
}

/** The panel of what the address points to, such as a line of a log. */
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  const panel = target && target.closest('.panel');
  if (!panel) return;
  open(panel);
  if (panel !== target) target.scrollIntoView({ block: 'center' });
}

if (nav) {
  let chosen = false;
  nav.addEventListener('click', (event) => {
    const tab = event.target.closest('a');
    if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    chosen = true;
    history.replaceState(null, '', tab.hash);
    open(document.getElementById(tab.hash.slice(1)));
  });
  addEventListener('hashchange', openTarget);
  document.addEventListener('job:ended', () => {
    const after = document.getElementById(nav.dataset.panels);
    if (after && !chosen) open(after);
  });
  openTarget();
}
