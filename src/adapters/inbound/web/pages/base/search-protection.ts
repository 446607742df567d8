import type { ListWindows } from '../../../../../application/automation/list-windows.ts';
import type { ListFleetBackups } from '../../../../../application/backups/list-fleet-backups.ts';
import type { ListSnapshots } from '../../../../../application/backups/list-snapshots.ts';
import type { ManageRepositories } from '../../../../../application/backups/manage-repositories.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { ago } from '../../../../../domain/base/spans.ts';
import { repositoryPath } from '../backups/repositories.tsx';
import { mayOperate } from '../fleet/remedy.tsx';
import { type Hit, type HitGroup, ranked } from './search-ranking.ts';

export interface ProtectionSearchDeps {
  readonly listWindows: Pick<ListWindows, 'execute'>;
  readonly manageRepositories: Pick<ManageRepositories, 'list'>;
  readonly listFleetBackups: Pick<ListFleetBackups, 'execute'>;
  readonly listSnapshots: Pick<ListSnapshots, 'execute'>;
}

const MAX_HITS = 6;
const MAX_SEARCHED = 200;
/** Servers whose snapshots are searched, for each word, and the newest snapshots of each. */
const MAX_SERVERS = 3;
const MAX_SNAPSHOTS = 30;
const MAX_WORDS = 4;
/** `snap`, and as far as it was typed. */
const SNAPSHOT = /^snap(?:s(?:h(?:o(?:ts?)?)?)?)?$/i;

/** Maintenance windows and repositories by their names, and snapshots by source and server: "snapshot web-01". */
export async function protectionHits(
  deps: ProtectionSearchDeps,
  actor: Actor,
  q: string,
  now: Instant,
): Promise<readonly HitGroup[]> {
  const isAdministrator = actor.role === 'administrator';
  const [windows, repositories, snapshots] = await Promise.all([
    deps.listWindows.execute(actor, { limit: MAX_SEARCHED, offset: 0 }),
    isAdministrator ? deps.manageRepositories.list(actor) : [],
    snapshotHits(deps, actor, q, now),
  ]);
  const mayEdit = mayOperate(actor, 'all servers');
  return [
    ranked(
      q,
      'Maintenance windows',
      windows.items.map(({ window: { id, name } }) => ({
        href: mayEdit ? `/windows/${id}/edit` : '/windows',
        icon: 'wrench',
        label: name,
      })),
      MAX_HITS,
    ),
    ranked(
      q,
      'Repositories',
      repositories.map((repository) => ({
        href: repositoryPath(repository),
        icon: 'database-backup',
        label: repository.name,
      })),
      MAX_HITS,
    ),
    ranked(q, 'Snapshots', snapshots, MAX_HITS),
  ];
}

/** Newest first. One word alone means more than snapshots, unless it is the word itself. */
async function snapshotHits(
  { listFleetBackups, listSnapshots }: ProtectionSearchDeps,
  actor: Actor,
  q: string,
  now: Instant,
): Promise<readonly Hit[]> {
  const words = q.split(/\s+/);
  const names = words.filter((word) => !SNAPSHOT.test(word)).slice(0, MAX_WORDS);
  if (words.length === names.length && names.length < 2) return [];
  const order = { by: 'last_success', descending: true } as const;
  const window = { only: undefined, order, limit: MAX_SERVERS, offset: 0 };
  const found = await Promise.all(
    (names.length === 0 ? [''] : names).map((name) =>
      listFleetBackups.execute(actor, { ...window, q: name }),
    ),
  );
  const servers = new Map(
    found.flatMap(({ items }) => items.map(({ serverId, serverName }) => [serverId, serverName] as const)),
  );
  const snapshots = await Promise.all(
    [...servers].map(async ([id, server]) => {
      const { items } = await listSnapshots.execute(actor, id, { limit: MAX_SNAPSHOTS, offset: 0 });
      return items.map((snapshot) => ({ snapshot, server }));
    }),
  );
  return snapshots
    .flat()
    .toSorted((one, other) => other.snapshot.finishedAt - one.snapshot.finishedAt)
    .map(({ snapshot: { id, sourceName, finishedAt }, server }) => ({
      href: `/snapshots/${id}`,
      icon: 'history',
      label: `${sourceName} on ${server}`,
      aside: ago(finishedAt, now),
      keywords: 'snapshots',
    }));
}
