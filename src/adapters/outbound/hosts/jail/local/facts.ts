import type { Stats } from 'node:fs';
import type { EntryFacts, EntryKind } from '../../../../../domain/files/directory-entry.ts';

export const factsOf = (stats: Stats): EntryFacts => ({
  kind: kindOf(stats),
  size: stats.size,
  modifiedAt: Math.trunc(stats.mtimeMs),
});

function kindOf(stats: Stats): EntryKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'dir';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
