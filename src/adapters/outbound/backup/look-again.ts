import { type ByteString, closedPaths } from './byte-string.ts';
import type { Planned } from './comparison.ts';
import { InOrder } from './host-fetch.ts';
import { claimed, look } from './host-survey.ts';
import type { SourceOrder } from './pull-order.ts';
import type { Surveyed } from './surveyed.ts';
import { wentAway } from './transfer-words.ts';

interface SecondLook {
  /** Fetched files that have changed since the listing. */
  readonly changed: readonly Planned[];
  /** Those that did not come, and whether the host has a file of that name. */
  readonly missing: readonly { readonly planned: Planned; readonly isThere: boolean }[];
  /** All came, and is as it was. */
  readonly isSteady: boolean;
}

/** The files' metadata after they were read; those with a sum have arrived. */
export async function lookAgain(
  order: SourceOrder,
  wanted: readonly Planned[],
  signal: AbortSignal,
): Promise<SecondLook> {
  const changed: Planned[] = [];
  const missing: { readonly planned: Planned; readonly isThere: boolean }[] = [];
  if (wanted.length === 0) return { changed, missing, isSteady: true };
  let isSteady = true;
  const judge = (each: Planned, entry: Surveyed | null): void => {
    if (entry === each.entry && each.sha256 !== undefined) return;
    isSteady = false;
    if (each.sha256 === undefined) missing.push({ planned: each, isThere: entry?.type === 'file' });
    else if (entry?.type === 'file' && entry.key !== each.entry.key) {
      each.entry = entry;
      changed.push(each);
    } else if (!entry) each.isSure = false;
  };
  const roots = order.roots.filter((root) => root !== '/').map((root) => root.slice(1) as ByteString);
  const asked = new InOrder([...roots, ...wanted.map(({ path }) => path)], (index) => {
    const each = wanted[index - roots.length];
    if (!each) throw wentAway(roots[index] ?? ('' as ByteString));
    judge(each, null);
  });
  await look(order.host, closedPaths(asked.paths, '/'), signal, (facts, path, target) => {
    const each = wanted[asked.take(path.slice(1) as ByteString) - roots.length];
    if (!each) return;
    if (each.entry.isToldBy(facts)) judge(each, each.entry);
    else judge(each, claimed(facts, path, target));
  });
  asked.finish();
  return { changed, missing, isSteady };
}
