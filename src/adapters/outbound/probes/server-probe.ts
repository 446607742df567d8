import type { Clock } from '../../../application/ports/base/clock.ts';
import type { ServerStore } from '../../../application/ports/fleet/server-store.ts';
import type { Probe } from '../../../application/ports/service/probe.ts';
import { DAY, HOUR, type Instant } from '../../../domain/base/instant.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';
import { count } from '../../../domain/base/spans.ts';
import type { Finding } from '../../../domain/fleet/finding.ts';
import type { Server } from '../../../domain/fleet/server.ts';

type Parts = Omit<Finding, 'verdict'>;

export const ok = (name: string, detail: string): Finding => ({ name, verdict: 'ok', detail, remedy: null });
export const warn = (parts: Parts): Finding => ({ ...parts, verdict: 'warn' });
export const fail = (parts: Parts): Finding => ({ ...parts, verdict: 'fail' });

const SILENT_AFTER_MS = DAY;
const PAGE = 100;
const MAX_NAMED = 10;

/** When each server was last in touch. */
export const serversProbe = (servers: Pick<ServerStore, 'list'>, clock: Clock): Probe => ({
  name: 'servers',
  look: async () => {
    const now = clock.now();
    const { silent, total } = await silentServers(servers, now);
    const [first] = silent;
    if (first === undefined)
      return ok('servers', `${count(total, 'server')}, all contacted during the last day.`);
    const named = silent.slice(0, MAX_NAMED).map((server) => `${server.name} (${contact(server, now)})`);
    const more = silent.length > named.length ? ` and ${silent.length - named.length} more` : '';
    return warn({
      name: 'servers',
      detail: `${silent.length} of ${count(total, 'server')} were not contacted during the last day: ${named.join(', ')}${more}.`,
      remedy: shellCommand`drover server check ${first.name}`,
    });
  },
});

async function silentServers(
  servers: Pick<ServerStore, 'list'>,
  now: Instant,
): Promise<{ readonly silent: readonly Server[]; readonly total: number }> {
  const silent: Server[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { items, total } = await servers.list({}, { limit: PAGE, offset });
    silent.push(
      ...items.filter(({ facts }) => facts.lastSeenAt === null || now - facts.lastSeenAt > SILENT_AFTER_MS),
    );
    if (offset + PAGE >= total) return { silent, total };
  }
}

function contact({ facts }: Server, now: Instant): string {
  return facts.lastSeenAt === null ? 'never' : `${Math.floor((now - facts.lastSeenAt) / HOUR)} h ago`;
}
