import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/adapters/outbound/storage/sql/database.ts';
import { NO_FEATURES } from '../../../../src/domain/fleet/server.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../support/databases.ts';
import { freePort } from '../../../support/free-port.ts';
import { freshMariaDb } from '../../../support/mariadb.ts';
import { eventually } from '../../../support/processes.ts';
import { RestClient } from '../../../support/rest-client.ts';
import { Service } from '../../../support/service.ts';
import { sqlStores } from '../../../support/sql-stores.ts';
import { AT, newServer, noRecord } from '../../../support/stores-subject.ts';
import { TcpProxy } from '../../../support/tcp-proxy.ts';
import { idempotencyCrash } from './idempotency-crash.ts';

const WITHIN_MS = 60_000;

describeWith('mariadb', 'requests', () => idempotencyCrash('MariaDB', mariaDbDatabase));

describeWith('mariadb', 'a service to which the database cannot say that a job is there', () => {
  let maria: Awaited<ReturnType<typeof freshMariaDb>>;
  let wire: TcpProxy;
  let service: Service;
  let database: Database;
  let rest: RestClient;
  let path: string;

  beforeAll(async () => {
    maria = await freshMariaDb();
    wire = await TcpProxy.start(Number(new URL(maria.url).port));
    const url = new URL(maria.url);
    url.port = String(wire.port);
    service = await Service.start({ settings: { SERVICE_DATABASE_URL: url.href } });
    database = openDatabase({ url: maria.url, dataDir: '/nowhere' });
    rest = new RestClient(service.url, await service.token());
    // the host does not exist: its jobs end immediately
    const nowhere = newServer('nowhere', {
      features: { ...NO_FEATURES, os_patch: true },
      address: { hostname: '127.0.0.1', sshPort: await freePort() },
    });
    const { id } = await sqlStores(database).servers.add(nowhere, AT, noRecord);
    path = `/api/v1/servers/${id}/jobs`;
  });
  afterAll(async () => {
    await database?.close();
    await service?.remove();
    await wire?.stop();
    await maria?.drop();
  });

  const send = (key: string) =>
    rest.send('POST', path, JSON.stringify({ job_type: 'os_update_check' }), { 'Idempotency-Key': key });

  const jobs = (): Promise<{ id: number; status: string }[]> =>
    database.knex('jobs').orderBy('id').select('id', 'status');

  /** Until the job is written that the service cannot know of. */
  async function written(before: number): Promise<void> {
    await eventually(
      'the job is written',
      WITHIN_MS,
      async () => (await jobs()).length > before || undefined,
    );
  }

  async function expectTheSameJob(key: string, before: number): Promise<void> {
    const job = await eventually('the job has ended', WITHIN_MS, async () =>
      (await jobs()).find(({ status }, index) => index === before && status === 'failed'),
    );
    const again = await send(key);
    expect(again).toMatchObject({ status: 202, body: { job_id: job.id, status: 'pending' } });
    expect(await jobs()).toHaveLength(before + 1);
  }

  it('has started it once where it is killed before it hears of it', async () => {
    const mute = wire.muteAfter('insert into `jobs`', 'COMMIT');
    const lost = send('killed').catch(() => 'lost');
    await mute;
    await written(0);
    await service.kill9();
    expect(await lost).toBe('lost');
    await service.start();
    await expectTheSameJob('killed', 0);
  });

  it('has started it once where the connection breaks before it hears of it', async () => {
    const mute = wire.muteAfter('insert into `jobs`', 'COMMIT');
    const failed = send('broken');
    await mute;
    await written(1);
    wire.cut();
    expect(await failed).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    await expectTheSameJob('broken', 1);
  });
});
