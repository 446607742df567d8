import { count } from '../../../../../domain/base/spans.ts';
import { Icon } from '../../components/icon.tsx';
import type { HitGroup } from './search-ranking.ts';

/** Links in lists; in the palette, whose field selects one of them, options. */
export function Hits({
  q,
  groups,
  inPalette = false,
}: {
  readonly q: string;
  readonly groups: readonly HitGroup[];
  readonly inPalette?: boolean;
}) {
  const total = groups.reduce((sum, { hits }) => sum + hits.length, 0);
  // The script waits for the results of what was typed last.
  const found = inPalette ? (
    <p class="hidden" role="status" data-found={q}>
      {total === 0 ? 'No results' : count(total, 'result')}
    </p>
  ) : null;
  if (total === 0) {
    return (
      <>
        {found}
        <p class="nothing">
          No results for <strong>{q}</strong>. Try the name of a server, <kbd>#227</kbd> for a job, or a
          server and what to do: <kbd>back up web-01</kbd>.
        </p>
      </>
    );
  }
  const plain = inPalette ? ({ role: 'presentation' } as const) : {};
  const sections = groups.map(({ label, hits }, group) => (
    <section key={label} role={inPalette ? 'group' : undefined} aria-label={inPalette ? label : undefined}>
      <h2 {...plain}>{label}</h2>
      <ul {...plain}>
        {hits.map(({ href, icon, label: text, aside }, at) => (
          <li key={href} {...plain}>
            <a href={href} id={`hit-${group}-${at}`} role={inPalette ? 'option' : undefined}>
              <Icon name={icon} />
              <span>{marked(text, q)}</span>
              {aside === undefined ? null : <small>{aside}</small>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  ));
  if (!inPalette) return <>{sections}</>;
  return (
    <>
      {found}
      <div role="listbox" aria-label="Results">
        {sections}
      </div>
    </>
  );
}

/** With the first place of the query marked. */
function marked(text: string, q: string) {
  const at = q === '' ? -1 : text.toLowerCase().indexOf(q.toLowerCase());
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + q.length)}</mark>
      {text.slice(at + q.length)}
    </>
  );
}
