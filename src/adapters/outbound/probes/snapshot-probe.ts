import type { SnapshotStore } from '../../../application/ports/backups/snapshot-store.ts';
import type { SourceStore } from '../../../application/ports/backups/source-store.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { AuditLog } from '../../../application/ports/events/audit-log.ts';
import type { Probe } from '../../../application/ports/service/probe.ts';
import type { BackupSource } from '../../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../domain/backups/snapshot.ts';
import { count } from '../../../domain/base/count.ts';
import { DAY } from '../../../domain/base/instant.ts';
import { ok, warn } from './server-probe.ts';

const NAME = 'snapshots';
const PAGE = 200;
const SHOWN_MS = 7 * DAY;
/** Adopted and leftover trees that are named; the others are counted. */
const MAX_NAMED = 20;

interface Deps {
  readonly sources: Pick<SourceStore, 'history'>;
  readonly snapshots: Pick<SnapshotStore, 'known'>;
  /** The complete trees of a source in the store. */
  readonly published: (source: BackupSource) => Promise<readonly NewSnapshot[]>;
  readonly audit: Pick<AuditLog, 'list'>;
  /** The action of the entries for adopted trees. */
  readonly adopted: string;
  readonly clock: Clock;
}

/** What interrupted backups and removals left in the snapshot store, and what Drover has listed of that in the last week. */
export const snapshotTreesProbe = (deps: Deps): Probe => ({
  name: NAME,
  look: async () => {
    const { unlisted, doomed } = await leftIn(deps);
    const from = deps.clock.now() - SHOWN_MS;
    const { items, total } = await deps.audit.list(
      { action: deps.adopted, from },
      { limit: MAX_NAMED, offset: 0 },
    );
    const adopted = items.map(
      ({ object, detail }) => `${object} (${String(detail['source'])}/${String(detail['name'])})`,
    );
    const parts = [
      part('not listed yet', unlisted),
      part('removed from the list but still stored', doomed),
      part('listed after an interrupted backup in the last 7 days', adopted, total),
    ].filter((text) => text !== null);
    if (parts.length === 0) return ok(NAME, 'The snapshot store and the list agree.');
    const remedy =
      unlisted.length + doomed.length > 0
        ? 'wait: the service settles this when it starts and every 6 hours'
        : 'none needed; to check one of them, verify it';
    return warn({ name: NAME, detail: `Snapshots ${parts.join('; ')}.`, remedy });
  },
});

async function leftIn({
  sources,
  snapshots,
  published,
}: Deps): Promise<{ unlisted: string[]; doomed: string[] }> {
  const [unlisted, doomed]: [string[], string[]] = [[], []];
  for (let after = 0; ; ) {
    const page = await sources.history(after, PAGE);
    for (const source of page) {
      const trees = await published(source);
      if (trees.length === 0) continue;
      const { listed, removed } = await snapshots.known(source.id);
      for (const { name } of trees) {
        if (removed.has(name)) doomed.push(`${source.name}/${name}`);
        else if (!listed.has(name)) unlisted.push(`${source.name}/${name}`);
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { unlisted, doomed };
    after = last.id;
  }
}

function part(what: string, names: readonly string[], total = names.length): string | null {
  if (total === 0) return null;
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return `${what}: ${shown}${total > MAX_NAMED ? ` and ${count(total - MAX_NAMED, 'other')}` : ''}`;
}
