import { readConfig } from '../../src/adapters/bootstrap/config.ts';
import { openCore } from '../../src/adapters/bootstrap/core.ts';
import { ShellHostFacts } from '../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';
import { SystemRandomness } from '../../src/adapters/outbound/system/system-randomness.ts';
import { IssueToken } from '../../src/application/access/issue-token.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import type { Scope } from '../../src/domain/access/scope.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import type { Settings } from './drover-process.ts';
import { addManyServers, chunksUpTo } from './many-servers.ts';
import { SimulatedHosts } from './simulated-hosts.ts';
import type { SimulatedHost } from './simulated-sshd.ts';

export interface LoadFleet {
  readonly readers: readonly string[];
  readonly starters: readonly string[];
}

export interface LoadFleetOptions {
  readonly servers: number;
  /** The host of all servers. */
  readonly host: SimulatedHost;
  readonly readers: number;
  readonly starters: number;
  /** Further data. */
  readonly seed?: (database: Database) => Promise<void>;
}

/**
 * Fills the database of a service, before it is started: servers that all are one simulated host, an inventory and two
 * services of each, and a token for each agent. `settings` are those of the service.
 */
export async function prepareLoadFleet(
  settings: Settings,
  { servers, host, readers, starters, seed }: LoadFleetOptions,
): Promise<LoadFleet> {
  const core = await openCore(
    readConfig(settings, () => ''),
    new RecordingLogger(),
  );
  try {
    const { database } = core.parts;
    await addManyServers(core, servers, () => host);
    await addFindings(database, servers);
    await seed?.(database);
    const issue = async (count: number, scopes: readonly Scope[]): Promise<readonly string[]> => {
      const secrets: string[] = [];
      for (let n = 1; n <= count; n += 1) {
        const asked = { name: `mcp-${scopes.at(-1)}-${n}`, scopes };
        const { secret } = await core.get(IssueToken).execute(Actor.operator('test'), asked);
        secrets.push(secret);
      }
      return secrets;
    };
    return { readers: await issue(readers, ['read']), starters: await issue(starters, ['read', 'jobs']) };
  } finally {
    await core.close();
  }
}

async function addFindings({ knex }: Database, servers: number): Promise<void> {
  const at = Date.now();
  const inventory = JSON.stringify({ ...(await recordedFacts()), at });
  for (const ids of chunksUpTo(servers)) {
    await knex('server_inventories').insert(ids.map((server_id) => ({ server_id, at, inventory })));
    await knex('services').insert(
      ids.flatMap((id) => [serviceRow(id, 'nginx', at), serviceRow(id, 'app', at)]),
    );
  }
}

async function recordedFacts(): Promise<object> {
  const none = { connect: 0, facts: 0, check: 0, both: 0, state: 0, backup: 0, isDead: false };
  const remote = await new SimulatedHosts(() => none).connect({
    kind: 'local',
    serverId: 1,
    serverName: 'recorded',
    become: 'none',
  });
  const { signal } = new AbortController();
  return new ShellHostFacts({ randomness: new SystemRandomness() }).gather(remote, { signal });
}

const serviceRow = (server_id: number, label: string, checked_at: number): object => ({
  server_id,
  kind: 'container',
  label,
  severity: 2,
  message: 'Up 3 weeks (healthy)',
  project: 'shop',
  container: `shop-${label}-1`,
  search_text: `${label}\nshop\nshop-${label}-1`,
  checked_at,
});
