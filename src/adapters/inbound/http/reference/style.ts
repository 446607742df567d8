/** The reference's style sheet. Sizes follow a grid of 4 px; colours have a contrast of 4.5 or more in both themes. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1c2128;
  --quiet: #57606a;
  --ground: #ffffff;
  --panel: #f6f8fa;
  --line: #d8dee4;
  --accent: #0b5cad;
  --get: #0b5cad;
  --post: #1a6b3c;
  --patch: #8a4b00;
  --delete: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3;
    --quiet: #9aa4af;
    --ground: #0d1117;
    --panel: #161b22;
    --line: #30363d;
    --accent: #6cb6ff;
    --get: #6cb6ff;
    --post: #57c785;
    --patch: #e0a458;
    --delete: #ff8078;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 64px; }
body {
  margin: 0 auto;
  max-width: 1280px;
  display: grid;
  grid-template-columns: 264px minmax(0, 1fr);
  background: var(--ground);
  color: var(--text);
  font: 14px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
}
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 12px; z-index: 2; background: var(--ground); padding: 4px 8px; }
header {
  grid-column: 1 / -1;
  position: sticky;
  top: 0;
  z-index: 1;
  padding: 12px 24px;
  background: var(--ground);
  border-bottom: 1px solid var(--line);
}
.version { color: var(--quiet); }
nav {
  position: sticky;
  top: 49px;
  align-self: start;
  max-height: calc(100vh - 49px);
  overflow-y: auto;
  padding: 20px 16px 32px 24px;
  font-size: 13px;
}
nav > a { display: block; margin: 16px 0 4px; font-weight: 600; color: var(--text); }
nav > a:first-child { margin-top: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: 8px; align-items: baseline; padding: 3px 0; color: var(--quiet); }
nav li a:hover { color: var(--text); }
nav .method { flex: 0 0 44px; font-size: 10px; }
main { padding: 20px 24px 96px 32px; border-left: 1px solid var(--line); min-width: 0; }
h1 { margin: 0 0 4px; font-size: 26px; line-height: 1.25; }
h2 { margin: 56px 0 4px; font-size: 20px; line-height: 1.3; }
h3 { margin: 0 0 4px; font-size: 16px; line-height: 1.4; display: flex; gap: 12px; align-items: baseline; justify-content: space-between; }
h3 a { color: var(--text); }
p { margin: 8px 0; max-width: 76ch; }
.lead { color: var(--quiet); font-size: 16px; }
p code, td code, figcaption code { background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 0 4px; overflow-wrap: anywhere; }
.operation { margin: 20px 0; padding: 16px 20px; border: 1px solid var(--line); border-radius: 8px; }
.operation:target { border-color: var(--accent); }
.scope { font-size: 12px; font-weight: 400; color: var(--quiet); border: 1px solid var(--line); border-radius: 12px; padding: 0 10px; white-space: nowrap; }
.route { margin: 4px 0 12px; }
.route .method { margin-right: 4px; }
.route code { background: none; border: 0; padding: 0; font-size: 14px; overflow-wrap: anywhere; }
.method { font: 600 12px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: 0.02em; }
.get { color: var(--get); }
.post { color: var(--post); }
.patch, .put { color: var(--patch); }
.delete { color: var(--delete); }
table { width: 100%; border-collapse: collapse; margin: 12px 0; font-size: 13px; }
caption { text-align: left; font-weight: 600; padding: 4px 0; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-top: 1px solid var(--line); font-weight: 400; overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-size: 12px; border-top: 0; padding-bottom: 4px; }
tbody th code { background: none; border: 0; padding: 0; }
.fields { table-layout: fixed; }
.fields th:first-child { width: 27%; }
.fields :is(th, td):nth-last-child(2):not(:first-child) { width: 20%; color: var(--quiet); }
.fields :is(th, td):nth-last-child(3):not(:first-child) { width: 64px; color: var(--quiet); }
.required, .general { display: block; font-size: 11px; color: var(--quiet); }
.refusals { max-width: none; color: var(--quiet); }
.refusals a { display: inline-block; margin-right: 8px; font-size: 13px; }
.refusals code { background: none; border: 0; padding: 0; }
figure { margin: 12px 0; }
figcaption { font-size: 12px; color: var(--quiet); margin-bottom: 4px; }
pre { margin: 0; padding: 12px 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; line-height: 1.5; max-height: 480px; }
details { margin: 8px 0 0; border-top: 1px solid var(--line); padding-top: 8px; }
summary { cursor: pointer; color: var(--quiet); font-size: 13px; }
summary:hover { color: var(--text); }
summary b { color: var(--text); }
.shape { margin: 24px 0; }
.shape caption { font-size: 15px; }
@media (max-width: 880px) {
  body { display: block; }
  nav { position: static; max-height: none; border-bottom: 1px solid var(--line); padding: 16px; columns: 2; }
  nav > a:first-child { margin-top: 0; }
  main { border-left: 0; padding: 16px; }
  .operation { padding: 12px; }
  .fields thead { display: none; }
  .fields tr { display: block; padding: 8px 0; border-top: 1px solid var(--line); }
  .fields th, .fields td, .fields th:first-child, .fields td:nth-last-child(n):not(:first-child) { display: block; width: auto; border: 0; padding: 0; }
}
@media print {
  nav, .skip { display: none; }
  body { display: block; }
  header { position: static; }
}
`.trimStart();
