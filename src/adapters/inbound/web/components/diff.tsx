const CLASSES: Readonly<Record<string, string>> = { '+': 'added', '-': 'gone', '@': 'place' };

/** More lines make a page slow. */
const MAX_LINES = 2_000;

interface DiffProps {
  /** Lines of a unified diff. */
  readonly diff: string;
  readonly label: string;
  /** Where to see the lines beyond the limit. */
  readonly rest?: string;
}

/** A unified diff with colored lines. */
export function Diff({ diff, label, rest }: DiffProps) {
  const lines = diff.replace(/\n$/, '').split('\n');
  const more = lines.length - MAX_LINES;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <pre class="log diff" tabIndex={0} role="region" aria-label={label}>
      {lines.slice(0, MAX_LINES).map((line, index) => (
        <span key={index} class={CLASSES[line.charAt(0)]}>
          {line}
          {'\n'}
        </span>
      ))}
      {more > 0 ? `… ${more} more lines${rest === undefined ? '' : `: ${rest}`}` : null}
    </pre>
  );
}
