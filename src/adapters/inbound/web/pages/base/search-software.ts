import type { ListPackages } from '../../../../../application/fleet/list-packages.ts';
import type { ListServices } from '../../../../../application/fleet/list-services.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { isCveId } from '../../../../../domain/fleet/vulnerability.ts';
import { type Hit, type HitGroup, ranked } from './search-ranking.ts';

export interface SoftwareSearchDeps {
  readonly listPackages: Pick<ListPackages, 'execute'>;
  readonly listServices: Pick<ListServices, 'execute'>;
}

/** Fewer letters are in most names. */
const MIN_LENGTH = 3;
const MAX_SEARCHED = 40;
/** Of each kind: servers and actions matter more. */
const MAX_HITS = 4;

/** What runs on servers: containers, packages, and CVEs by their id. */
export async function softwareHits(
  { listPackages, listServices }: SoftwareSearchDeps,
  actor: Actor,
  q: string,
): Promise<readonly HitGroup[]> {
  if (isCveId(q)) return [{ label: 'Vulnerabilities', hits: [cveHit(q.toUpperCase())], score: 0 }];
  if (q.length < MIN_LENGTH) return [];
  const window = { limit: MAX_SEARCHED, offset: 0 };
  const [packages, services] = await Promise.all([
    listPackages.execute(actor, { name: q, version: '', outdated: false, ...window }),
    listServices.execute(actor, { q, ...window }),
  ]);
  const containers = services.items.flatMap(({ container, serverId, serverName }): readonly Hit[] =>
    container === null
      ? []
      : [
          {
            href: `/servers/${serverId}/containers#container-${container}`,
            icon: 'container',
            label: container,
            aside: serverName,
          },
        ],
  );
  return [
    ranked(q, 'Containers', containers, MAX_HITS),
    ranked(
      q,
      'Packages',
      packages.items.map(({ name, versions, servers }) => ({
        href: `/packages?${new URLSearchParams({ q: name })}`,
        icon: 'package',
        label: name,
        aside: `${count(versions.length, 'version')} on ${count(servers, 'server')}`,
      })),
      MAX_HITS,
    ),
  ];
}

const cveHit = (id: string): Hit => ({
  href: `/packages?q=${id}`,
  icon: 'shield-check',
  label: id,
  aside: 'affected servers',
});
