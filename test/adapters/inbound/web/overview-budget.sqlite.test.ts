import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedServers } from '../../../../bench/metrics/seed.ts';
import { STATIC_FILES } from '../../../../src/adapters/bootstrap/version.ts';
import { overviewRoutes } from '../../../../src/adapters/inbound/web/pages/fleet/overview.tsx';
import { renderPage } from '../../../../src/adapters/inbound/web/render.tsx';
import type { SignedInVisit } from '../../../../src/adapters/inbound/web/route.ts';
import { loadStaticFiles } from '../../../../src/adapters/inbound/web/static-files.ts';
import { SqlInventoryStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-inventory-store.ts';
import { SqlJobStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-job-store.ts';
import { SqlNotificationStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-notification-store.ts';
import { SqlServerStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-server-store.ts';
import { GetFleetDays } from '../../../../src/application/fleet/fleet-days.ts';
import { GetOverview } from '../../../../src/application/fleet/get-overview.ts';
import { GetSummary } from '../../../../src/application/fleet/get-summary.ts';
import { ListServers } from '../../../../src/application/fleet/list-servers.ts';
import { GetJobDays } from '../../../../src/application/jobs/job-days.ts';
import { accountsScene } from '../../../support/accounts-scene.ts';
import { sqliteDatabase, type TestDatabase } from '../../../support/databases.ts';
import { neededBy } from '../../../support/first-view.ts';

/** Of the first view of a large fleet with all resources, as browsers request it and as it is. */
const MAX_COMPRESSED_BYTES = 90_000;
const MAX_BYTES = 225_000;
const MAX_STATEMENTS = 24;

let sql: TestDatabase;
beforeAll(async () => {
  sql = await sqliteDatabase();
});
afterAll(() => sql.drop());

/** One of everything that the overview shows. */
async function fleetOf(servers: number): Promise<void> {
  await seedServers(sql.database, servers);
  const { knex } = sql.database;
  await knex('servers')
    .whereRaw('id % 50 = 0')
    .update({ contact_failed_since: 1, contact_error: 'host_timeout' });
  await knex('servers').whereRaw('id % 97 = 0').update({ inventory_at: null });
}

/** The page as it goes over the wire, and the statements that it took. */
async function firstView(): Promise<{ readonly html: string; readonly statements: number }> {
  const { database } = sql;
  const scene = accountsScene();
  await scene.setUp();
  const stores = {
    servers: new SqlServerStore(database),
    jobs: new SqlJobStore(database),
    notifications: new SqlNotificationStore(database),
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    backupStaleHours: 36,
  };
  const getOverview = new GetOverview({ ...stores, getSummary: new GetSummary(stores) });
  const [route] = overviewRoutes({
    getOverview,
    getJobDays: new GetJobDays(stores),
    getFleetDays: new GetFleetDays({ ...stores, inventories: new SqlInventoryStore(database) }),
    listSchedules: { execute: async (_actor, page) => ({ ...page, items: [], total: 0 }) },
    listServers: new ListServers(stores),
    listFleetBackups: { execute: () => Promise.reject(new Error('only on the first run')) },
    settings: { backupStaleHours: 36 },
  });
  const visitor = await scene.visit();
  let statements = 0;
  const count = (): void => {
    statements += 1;
  };
  database.knex.on('query', count);
  // All that this page asks of a visit.
  const reply = await route?.handle({ visitor, now: Date.now() } as SignedInVisit);
  database.knex.removeListener('query', count);
  if (reply?.kind !== 'page') throw new Error('it is a page');
  return {
    html: renderPage(reply, {
      user: visitor.user,
      files: loadStaticFiles(STATIC_FILES),
      theme: 'automatic',
      density: 'comfortable',
      path: '/',
      counts: { servers: 10_000, approvals: 1, alerts: 1, jobs: 1 },
      isDemo: false,
      toast: null,
    }),
    statements,
  };
}

/** All resources of the page. */
function bytesLoaded(html: string, encoding: 'br' | 'identity'): number {
  const { mounts } = loadStaticFiles(STATIC_FILES);
  const paths = neededBy(html);
  for (const type of ['.css', '.js', '.svg', '.woff2'])
    expect(paths).toContainEqual(expect.stringContaining(type));
  return mounts
    .filter(({ path }) => paths.includes(path))
    .reduce((sum, mount) => {
      const ctx = { method: 'GET', get: () => encoding, set: () => undefined, body: Buffer.alloc(0) };
      void mount.handle(ctx as never);
      return sum + ctx.body.length;
    }, 0);
}

it('costs no additional queries and hardly more bytes for ten times as many servers', async () => {
  await fleetOf(1_000);
  const small = await firstView();
  await fleetOf(10_000);
  const large = await firstView();
  expect(large.html).toContain('All 10,000 servers');
  for (const need of ['unreachable', 'stale_backup', 'security_updates', 'reboot', 'unchecked']) {
    expect(large.html).toContain(`id="attention-${need}"`);
  }
  expect(large.statements).toBe(small.statements);
  expect(large.statements).toBeLessThanOrEqual(MAX_STATEMENTS);
  const page = Buffer.byteLength(large.html);
  expect(page).toBeLessThan(1.1 * Buffer.byteLength(small.html));
  expect(page + bytesLoaded(large.html, 'identity')).toBeLessThan(MAX_BYTES);
  const packed = gzipSync(large.html).length;
  expect(packed + bytesLoaded(large.html, 'br')).toBeLessThan(MAX_COMPRESSED_BYTES);
});
