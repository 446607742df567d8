import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { MqttBroker } from '../../src/adapters/outbound/notifications/mqtt-broker.ts';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import type { BrokerConnection } from '../../src/application/ports/events/message-broker.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';
import { fakeHostKey } from '../fakes/fake-host-key.ts';
import { describeWith } from '../support/capabilities.ts';
import { BROKER_LOGIN, BROKER_PASSWORD, Mosquitto } from '../support/mosquitto.ts';
import { eventually } from '../support/processes.ts';
import { useService } from '../support/service.ts';
import { sqlStores } from '../support/sql-stores.ts';

const NEVER = new AbortController().signal;
/** The service looks every 15 seconds. */
const WITHIN_MS = 60_000;
const Token = z.object({ secret: z.string() });
const Jobs = z.object({
  jobs: z.array(z.object({ job_type: z.string(), status: z.string(), requested_by: z.string() })),
});

describeWith('mosquitto', 'Home Assistant through a real broker', () => {
  const service = useService();
  /** What the broker kept or sent last, by topic, as Home Assistant reads it. */
  const seen = new Map<string, string>();
  let mosquitto: Mosquitto;
  let home: BrokerConnection;
  let id: number;
  const listen = async (): Promise<void> => {
    seen.clear();
    home = await new MqttBroker({ allowPrivate: true }).connect(
      {
        host: '127.0.0.1',
        port: mosquitto.port,
        isEncrypted: false,
        login: BROKER_LOGIN,
        password: BROKER_PASSWORD,
        allowPrivate: true,
      },
      {
        clientId: 'home-assistant',
        topics: ['homeassistant/device/+/config', 'drover/#'],
        onMessage: ({ topic, payload }) => void seen.set(topic, payload),
      },
      NEVER,
    );
  };
  const reads = (topic: string, wanted: RegExp) =>
    eventually(
      `${topic} is ${wanted}`,
      WITHIN_MS,
      async () => wanted.test(seen.get(topic) ?? 'nothing') || undefined,
    );
  const cli = async (args: readonly string[], input = '') => {
    const { code, stderr, stdout } = await service().cli(args, { input });
    if (code !== 0) throw new Error(stderr + stdout);
  };

  beforeAll(async () => {
    mosquitto = await Mosquitto.start();
    await listen();
    const database = openDatabase({ url: null, dataDir: service().dataDir });
    const features = { backup: true, os_patch: true };
    const described = describeServer({ name: 'web', connection: 'ssh', hostname: 'web.invalid', features });
    // Nothing connects to it: the service has no key.
    const web = { ...described, address: { ...described.address, hostKey: fakeHostKey('web') } };
    ({ id } = await sqlStores(database).servers.add(web, Date.now(), () => ({})));
    await database.close();
    const created = ['token', 'create', '--name', 'hass', '--scopes', 'jobs', '--require-approval'];
    const { secret } = await service().ask(Token, created);
    const settings = [`host=127.0.0.1`, `port=${mosquitto.port}`, 'security=none', `login=${BROKER_LOGIN}`];
    await cli(
      [
        'channel',
        'add',
        'home',
        '--kind',
        'mqtt',
        '--allow-private',
        ...settings.flatMap((each) => ['--set', each]),
        '--set-file',
        'password=-',
      ],
      `${BROKER_PASSWORD}\n`,
    );
    await cli(['channel', 'edit', 'home', '--set-file', 'token=-'], `${secret}\n`);
  });
  afterAll(async () => {
    await home?.close();
    await mosquitto?.remove();
  });

  it('shows the machine, and a button starts a job that waits for approval', async () => {
    await cli(['channel', 'test', 'home']);
    await reads('drover/test', /A test/);
    // The service's own machine has been read to the end.
    await reads('homeassistant/device/drover_server_1/config', /"model"/);
    // Once it has connected with the token, and the devices are available again.
    await reads(`homeassistant/device/drover_server_${id}/config`, /backup\/set/);
    await reads('drover/status', /^online$/);
    expect(JSON.parse(seen.get(`drover/server/${id}/state`) ?? '')).toMatchObject({ job: 'none', alerts: 0 });
    await home.publish(`drover/server/${id}/check/set`, 'PRESS', false);
    await reads('drover/answer', /waits for approval/);
    const { jobs } = await service().ask(Jobs, ['job', 'list']);
    expect(jobs).toMatchObject([
      { job_type: 'os_update_check', status: 'awaiting_approval', requested_by: 'token:hass' },
    ]);
    expect([...seen.values()].join('')).not.toContain(BROKER_PASSWORD);
  });

  it('is unavailable once the service is killed, and back with it; nothing is asked twice', async () => {
    await service().kill9();
    await reads('drover/status', /^offline$/);
    await service().start();
    await reads('drover/status', /^online$/);
    const { jobs } = await service().ask(Jobs, ['job', 'list']);
    expect(jobs).toHaveLength(1);
  });

  it('says everything again to a broker that lost it', async () => {
    await mosquitto.kill();
    await mosquitto.run();
    await listen();
    await reads('drover/status', /^online$/);
    await reads(`drover/server/${id}/state`, /"job":/);
    await reads(`homeassistant/device/drover_server_${id}/config`, /Back up now/);
  });

  it('becomes unavailable when the service stops, and is gone with the channel', async () => {
    await service().stop();
    await reads('drover/status', /^offline$/);
    await service().start();
    await reads('drover/status', /^online$/);
    await cli(['channel', 'remove', 'home', '--yes']);
    await reads(`homeassistant/device/drover_server_${id}/config`, /^$/);
    await reads('homeassistant/device/drover/config', /^$/);
    await reads(`drover/server/${id}/state`, /^$/);
  });
});
