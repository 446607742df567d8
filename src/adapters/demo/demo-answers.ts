import type { ExclusionSurvey } from '../../application/ports/backups/exclusion-survey.ts';
import type { HostFacts } from '../../application/ports/fleet/host-facts.ts';
import type { HostStates } from '../../application/ports/fleet/host-states.ts';
import type { InventoryStore } from '../../application/ports/fleet/inventory-store.ts';
import { DAY, type Instant, MINUTE } from '../../domain/base/instant.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import { Chance } from './chance.ts';
import { activityAt } from './demo-activity.ts';
import { demoServerOf, onlyShown } from './demo-hosts.ts';

/** Of servers that a visitor added. */
const MODEL_SERVER = 1;

/** What a simulated host reports is what was stored of it, with a new load. */
export const demoFacts = (inventories: Pick<InventoryStore, 'find'>, now: () => Instant): HostFacts => ({
  gather: async (host): Promise<Omit<Inventory, 'at'>> => {
    const serverId = demoServerOf(host);
    const known = (await inventories.find(serverId)) ?? (await inventories.find(MODEL_SERVER));
    if (known === null) throw onlyShown();
    const { at: _, ...facts } = known;
    const chance = new Chance(serverId * 7_919 + Math.floor(now() / MINUTE));
    const activity = activityAt(serverId, known, now());
    const uptimeSeconds = known.uptimeSeconds + Math.round((now() - known.at) / 1000);
    return {
      ...facts,
      activity,
      uptimeSeconds,
      cpuLoad: facts.cpuLoad && Math.round(facts.cpuLoad * chance.between(85, 115)) / 100,
    };
  },
  question: () => {
    throw onlyShown();
  },
});

/** Nothing changed since the last reading. */
export const DEMO_STATES: HostStates = {
  read: async () => ({
    package: null,
    unit: null,
    mount: null,
    port: null,
    user: null,
    key: null,
    installed: null,
    fixes: null,
  }),
};

export const DEMO_SURVEY: ExclusionSurvey = {
  preview: async ({ source: { paths, excludes } }) => {
    const patterns = excludes.map((pattern, index) => {
      const chance = new Chance(pattern.length * 131 + index);
      const files = chance.between(3, 900);
      return { pattern, matches: chance.between(1, 3), files, bytes: files * chance.between(4_000, 90_000) };
    });
    const leftOut = patterns.reduce(
      (sum, { files, bytes }) => ({ files: sum.files + files, bytes: sum.bytes + bytes }),
      { files: 0, bytes: 0 },
    );
    const files = 9_000 * paths.length;
    return {
      kept: { files, bytes: files * 41_000 },
      leftOut,
      patterns,
      largest: [],
      unreadable: 0,
      isComplete: true,
    };
  },
};

const START = [
  'starting',
  'configuration loaded from /etc/app/app.yaml',
  'listening on 0.0.0.0:8080',
  'database connected, 14 migrations up to date',
];
const REQUESTS = [
  'GET /healthz 200 2 ms',
  'GET /api/v1/orders?limit=50 200 18 ms',
  'POST /api/v1/orders 201 31 ms',
  'GET /healthz 200 1 ms',
  'GET /static/app.js 304 1 ms',
  'cache: 1280 entries, hit rate 0.94',
  'POST /api/v1/login 401 6 ms',
  'GET /api/v1/orders/4711 200 9 ms',
  '\u001b[33mWARN\u001b[0m slow query: 1.4 s, orders_by_customer',
];
/** There is a new line this often. */
const LINE_EVERY_MS = 3_000;
const START_LINES = 80;

/** The end of a container's log, with times as engines write them; the same lines whenever it is read. */
export function demoLog(
  container: string,
  now: Instant,
  { lines, since }: { readonly lines: number; readonly since: string | null },
): string {
  const latest = Math.floor(now / LINE_EVERY_MS);
  const day = now - (now % DAY);
  const moments = [
    ...START.map((text, index) => ({ at: day + index * 900, text })),
    ...Array.from({ length: START_LINES }, (_, index) => latest - START_LINES + index + 1).map((tick) => ({
      at: tick * LINE_EVERY_MS,
      text: REQUESTS[new Chance(tick + container.length).between(0, REQUESTS.length - 1)] ?? '',
    })),
  ];
  const from = since === null ? 0 : Date.parse(since);
  return moments
    .filter(({ at }) => at >= from)
    .slice(-lines)
    .map(({ at, text }) => `${new Date(at).toISOString()} ${text}\n`)
    .join('');
}
