interface CrumbsProps {
  /** The first crumb's label: the file root, or the root of a snapshot. */
  readonly root: string;
  /** The page that shows a directory, without its query. */
  readonly path: string;
  readonly names: readonly string[];
  /** What is shown at the end: it is no directory. */
  readonly leaf?: string;
  /** Other parameters of the page. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** The current place in a tree, with links to its parents. */
export function Crumbs({ root, path, names, leaf, keep = {} }: CrumbsProps) {
  const to = (p: string): string => withPlace(path, p, keep);
  const between = (index: number): string => (root === '/' && index === 0 ? '' : ' / ');
  return (
    <nav class="crumbs mono" aria-label="Path">
      <a href={to('')} aria-current={names.length === 0 && leaf === undefined ? 'page' : undefined}>
        {root}
      </a>
      {names.map((name, index) => (
        <span key={names.slice(0, index + 1).join('/')}>
          <span class="quiet">{between(index)}</span>
          <a
            href={to(names.slice(0, index + 1).join('/'))}
            aria-current={index === names.length - 1 && leaf === undefined ? 'page' : undefined}
          >
            {name}
          </a>
        </span>
      ))}
      {leaf === undefined ? null : (
        <>
          <span class="quiet">{between(names.length)}</span>
          <span aria-current="page">{leaf}</span>
        </>
      )}
    </nav>
  );
}

/** The address of a page about a place in a tree. */
export function withPlace(path: string, p: string, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...(p === '' ? {} : { p }), ...more });
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A place below another. */
export const below = (directory: string, name: string): string =>
  directory === '' ? name : `${directory}/${name}`;
