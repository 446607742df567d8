import { placeOf } from '../navigation.ts';

/** The lists that share a place; a page about one thing in them has none of these. */
export function PlaceTabs({ path }: { readonly path: string }) {
  const tabs = placeOf(path)?.tabs ?? [];
  if (!tabs.some(({ href }) => href === path)) return null;
  return (
    <nav class="tabs" aria-label="Lists">
      {tabs.map(({ href, label }) => (
        <a key={href} href={href} aria-current={href === path ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
