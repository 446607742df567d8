import { beforeEach, describe, expect, it } from 'vitest';
import { RestEventBodies } from '../../../src/adapters/inbound/api/event-bodies.ts';
import { Authenticate } from '../../../src/application/access/authenticate.ts';
import { IssueToken } from '../../../src/application/access/issue-token.ts';
import { RevokeToken } from '../../../src/application/access/manage-tokens.ts';
import { DescribeToHomeAssistant } from '../../../src/application/events/describe-to-home-assistant.ts';
import { HomeAssistantCommands } from '../../../src/application/events/home-assistant-commands.ts';
import { ManageChannels } from '../../../src/application/events/manage-channels.ts';
import { PublishToHomeAssistant } from '../../../src/application/events/publish-to-home-assistant.ts';
import { ListServers } from '../../../src/application/fleet/list-servers.ts';
import { JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { DAY, MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { JOB_TYPES } from '../../../src/domain/jobs/job-types.ts';
import { FakeBroker } from '../../fakes/fake-broker.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { newJob } from '../../support/job-subject.ts';
import { AT } from '../../support/stores-subject.ts';

const NEVER = new AbortController().signal;
const OPERATOR = Actor.operator('cli:me');
const never = () => Promise.reject(new Error('not run here'));

/** A message from outside, as the broker passes it on. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
};

interface Component {
  readonly platform: string;
  readonly unique_id?: string;
  readonly value_template?: string;
  readonly command_topic?: string;
  readonly state_topic?: string;
}
interface Device {
  readonly device: { readonly identifiers: readonly string[]; readonly name: string };
  readonly state_topic: string;
  readonly components: Readonly<Record<string, Component>>;
}

describe('Home Assistant over MQTT', () => {
  let clock: FakeClock;
  let scene: ApplicationScene;
  let broker: FakeBroker;
  let channels: ManageChannels;
  let publisher: PublishToHomeAssistant;
  let web: number;
  beforeEach(async () => {
    clock = new FakeClock(AT);
    scene = applicationScene(clock);
    broker = new FakeBroker();
    channels = new ManageChannels({ ...scene, allowPrivate: true });
    publisher = publisherOf();
    web = (await scene.addServer('web', { backup: true, os_patch: true, docker: true })).id;
    await scene.addSource(web);
    await scene.servers.learn(web, {
      osPretty: 'Debian {{ 7 * 7 }}\u001b[31m',
      lastSeenAt: AT,
      osUpdatesCount: 12,
      securityUpdatesCount: 3,
      lastBackupAt: AT - 2 * DAY,
      diskTotalBytes: 1_000,
      diskUsedBytes: 421,
    });
  });

  /** Of one replica. */
  function publisherOf(): PublishToHomeAssistant {
    const runner = { types: JOB_TYPES, timeLimitMs: 60_000, plan: never, apply: never };
    const triggerJob = new TriggerJob({ ...scene, runners: new JobRunners([runner]) });
    const authenticate = new Authenticate({ ...scene, tokensDisabled: false });
    const listServers = new ListServers({ ...scene, backupStaleHours: 36 });
    const bodies = new RestEventBodies({ publicUrl: 'https://drover.example.org' });
    return new PublishToHomeAssistant({
      ...scene,
      broker,
      describeToHomeAssistant: new DescribeToHomeAssistant({
        ...scene,
        listServers,
        bodies,
        version: '1.2.3',
      }),
      homeAssistantCommands: new HomeAssistantCommands({ ...scene, triggerJob, authenticate }),
    });
  }
  const tokenOf = async (requireApproval: boolean, scopes = ['read', 'jobs']): Promise<string> => {
    const name = `hass-${requireApproval}-${scopes.join('-')}`;
    return (await new IssueToken(scene).execute(OPERATOR, { name, scopes, requireApproval })).secret;
  };
  const addChannel = (values: Record<string, string> = {}) =>
    channels.add(OPERATOR, {
      name: 'hass',
      kind: 'mqtt',
      values: { host: 'broker.example.org', security: 'none', ...values },
    });
  const look = () => publisher.execute(NEVER);
  const kept = (topic: string) => JSON.parse(broker.kept.get(topic) ?? 'null');
  const device = (id: string): Device => kept(`homeassistant/device/${id}/config`);
  const jobs = async () => (await scene.jobs.list({}, { limit: 100, offset: 0 })).items;
  const press = async (command: string, payload = 'PRESS', isRetained = false): Promise<void> => {
    broker.take(`drover/server/${web}/${command}/set`, payload, isRetained);
    await settled();
  };

  it('describes each server as a device whose entities read its state', async () => {
    await addChannel();
    await look();
    expect([...broker.kept.keys()].toSorted()).toEqual([
      'drover/server/1/state',
      'drover/state',
      'drover/status',
      'homeassistant/device/drover/config',
      'homeassistant/device/drover_server_1/config',
    ]);
    expect(broker.kept.get('drover/status')).toBe('online');
    // A device is there before its state, and available once both are.
    expect(broker.sent.at(-1)).toEqual({ topic: 'drover/status', payload: 'online' });
    expect(device('drover_server_1')).toMatchObject({
      device: {
        identifiers: ['drover_server_1'],
        name: 'web',
        model: 'Debian {{ 7 * 7 }}',
        via_device: 'drover',
        configuration_url: 'https://drover.example.org/servers/1',
      },
      origin: { name: 'Drover', sw_version: '1.2.3' },
      availability_topic: 'drover/status',
      state_topic: 'drover/server/1/state',
    });
    expect(kept('drover/server/1/state')).toMatchObject({
      reachable: 'ON',
      packages: {
        installed_version: 'installed',
        latest_version: '12 updates, 3 for security',
        in_progress: false,
      },
      containers: {},
      reboot_required: null,
      backup_overdue: 'ON',
      last_backup: new Date(AT - 2 * DAY).toISOString(),
      last_verified: null,
      job: 'none',
      disk: 42.1,
    });
    expect(kept('drover/state')).toMatchObject({ servers: 1, with_security_updates: 1, approvals: 0 });
  });

  it('has ids of its own for all entities, and constant templates that find what they read', async () => {
    await addChannel({ token: await tokenOf(true) });
    await look();
    const ids: string[] = [];
    for (const id of ['drover', 'drover_server_1']) {
      const { components, state_topic } = device(id);
      for (const [key, component] of Object.entries(components)) {
        ids.push(component.unique_id ?? '');
        const state = kept(component.state_topic ?? state_topic) ?? { text: '' };
        const [, read = ''] =
          /^\{\{ value_json\.([a-z_]+)(?: \| tojson)? \}\}$/.exec(component.value_template ?? '') ?? [];
        if (component.platform === 'button')
          expect(component.command_topic).toMatch(/^drover\/server\/1\/[a-z]+\/set$/);
        else expect(state, key).toHaveProperty(read);
      }
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^drover(_server_1)?_[a-z_]+$/.test(id))).toBe(true);
  });

  it('sends only what has changed', async () => {
    await addChannel();
    await look();
    broker.sent.length = 0;
    await look();
    expect(broker.sent).toEqual([{ topic: 'drover/status', payload: 'online' }]);
    await scene.servers.learn(web, { osUpdatesCount: 0, securityUpdatesCount: 0 });
    await clock.advance(15 * SECOND);
    broker.sent.length = 0;
    await look();
    expect(broker.sent.map(({ topic }) => topic)).toEqual([
      'drover/state',
      'drover/server/1/state',
      'drover/status',
    ]);
    expect(kept('drover/server/1/state').packages).toEqual({
      installed_version: 'up to date',
      latest_version: 'up to date',
      in_progress: false,
    });
  });

  it('removes entities of a feature that is switched off, and shows buttons only with a token', async () => {
    await addChannel();
    await look();
    expect(device('drover_server_1').components).toMatchObject({
      backup_now: { platform: 'button' },
      packages: { platform: 'update', title: 'Packages' },
    });
    expect(device('drover_server_1').components['backup_now']).not.toHaveProperty('unique_id');
    expect(device('drover_server_1').components['packages']).not.toHaveProperty('command_topic');
    await scene.servers.setFeatures(web, { docker: false }, AT, () => ({}));
    await look();
    // As its documentation says, an entity with nothing but a platform is removed.
    expect(device('drover_server_1').components['containers']).toEqual({ platform: 'update' });
  });

  it('shows only servers with the tag', async () => {
    await scene.servers.change(web, { tags: ['home'] }, AT, () => ({}));
    await scene.addServer('other');
    await addChannel({ tag: 'home' });
    await look();
    expect(kept('drover/state')).toMatchObject({ servers: 1 });
    expect([...broker.kept.keys()].filter((topic) => topic.startsWith('drover/server'))).toEqual([
      'drover/server/1/state',
    ]);
  });

  it('deletes a server that is gone, also one of a time before this process', async () => {
    const other = await scene.addServer('other');
    await addChannel();
    await look();
    expect(broker.kept.has(`drover/server/${other.id}/state`)).toBe(true);
    await scene.servers.remove(other.id, AT, {});
    // Another replica takes over, and knows of the server from the broker only.
    publisher = publisherOf();
    await look();
    expect([...broker.kept.keys()].filter((topic) => topic.includes(`server_${other.id}`))).toEqual([]);
    expect(broker.kept.has(`drover/server/${other.id}/state`)).toBe(false);
    expect(broker.kept.has(`drover/server/${web}/state`)).toBe(true);
    await scene.servers.remove(web, AT, {});
    await look();
    expect([...broker.kept.keys()].filter((topic) => topic.includes('server'))).toEqual([]);
  });

  it('leaves devices as unavailable when it stops or is disabled, and removes them when the channel is removed', async () => {
    await addChannel();
    await look();
    await publisher.close();
    expect(broker.kept.get('drover/status')).toBe('offline');
    publisher = publisherOf();
    await look();
    expect(broker.kept.get('drover/status')).toBe('online');
    await channels.setEnabled(OPERATOR, 'hass', false);
    await look();
    expect(broker.kept.get('drover/status')).toBe('offline');
    expect(broker.kept.has('drover/server/1/state')).toBe(true);
    await channels.setEnabled(OPERATOR, 'hass', true);
    await look();
    await channels.edit(OPERATOR, 'hass', { values: { topic: 'home' } });
    await look();
    expect([...broker.kept.keys()].filter((topic) => topic.startsWith('drover'))).toEqual([]);
    expect(broker.kept.get('home/status')).toBe('online');
    await channels.remove(OPERATOR, 'hass');
    await look();
    expect([...broker.kept.keys()]).toEqual([]);
  });

  it('connects again after a break, less and less often, and says so once', async () => {
    await addChannel();
    await look();
    broker.breakAll();
    expect(broker.kept.get('drover/status')).toBe('offline');
    broker.fault = 'The broker is busy.';
    const before = broker.connections;
    for (let at = 0; at < 60 * MINUTE; at += 15 * SECOND) {
      await look();
      await clock.advance(15 * SECOND);
    }
    expect(broker.connections - before).toBe(11);
    broker.fault = null;
    await clock.advance(10 * MINUTE);
    await look();
    expect(broker.kept.get('drover/status')).toBe('online');
    expect(scene.log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('tries a channel again at once that was edited since it failed', async () => {
    await addChannel();
    broker.fault = 'The broker refused the user name or password.';
    for (let time = 0; time < 5; time += 1) {
      await look();
      await clock.advance(10 * MINUTE);
    }
    await look();
    broker.fault = null;
    await look();
    expect(broker.kept.has('drover/status')).toBe(false);
    await channels.edit(OPERATOR, 'hass', { values: { login: 'drover', password: 'right' } });
    await look();
    expect(broker.kept.get('drover/status')).toBe('online');
  });

  it('shows a job that runs, however many wait behind it', async () => {
    await addChannel();
    const job = newJob(web, 'os_patch');
    const { id } = await scene.jobs.enqueue(job, () => ({}));
    scene.kept.change('jobs', id, { status: 'running', owner: 'a', started_at: AT, lease_until: AT });
    for (let each = 0; each < 101; each += 1) {
      const { id: other } = await scene.addServer(`other-${each}`);
      await scene.jobs.enqueue(newJob(other, 'os_patch'), () => ({}));
    }
    await look();
    expect(kept(`drover/server/${web}/state`)).toMatchObject({
      job: 'Update packages',
      packages: { in_progress: true },
    });
  });

  it('deletes a server of a time before after a failure, too', async () => {
    const other = await scene.addServer('other');
    await addChannel();
    await look();
    await scene.servers.remove(other.id, AT, {});
    publisher = publisherOf();
    broker.messageFault = 'The broker is busy.';
    await look();
    broker.messageFault = null;
    await clock.advance(15 * SECOND);
    await look();
    expect(broker.kept.has(`drover/server/${other.id}/state`)).toBe(false);
  });

  it('starts jobs with the rights of the token, which wait for approval', async () => {
    await addChannel({ token: await tokenOf(true) });
    await look();
    await press('backup');
    await press('packages');
    const asked = (await jobs()).filter(({ requestedBy }) => requestedBy === 'token:hass-true-read-jobs');
    expect(asked.map(({ jobType, status }) => [jobType, status])).toEqual([
      ['os_patch', 'awaiting_approval'],
      ['backup', 'awaiting_approval'],
    ]);
    expect(kept('drover/answer').text).toBe('Update packages: job 2 waits for approval.');
    await look();
    // For the reviewer, its dry run is pending.
    expect(kept('drover/server/1/state').job).toBe('Update packages (dry run): waits');
    expect(kept('drover/state').approvals).toBe(2);
  });

  it('obeys no message that the broker kept, no other payload, topic or server, and none without a token', async () => {
    await addChannel();
    await look();
    await press('backup');
    await channels.edit(OPERATOR, 'hass', { values: { token: await tokenOf(true) } });
    await press('backup', 'PRESS', true);
    await look();
    await settled();
    await press('backup', 'press');
    await press('host_reboot');
    broker.take('drover/server/99/backup/set', 'PRESS', false);
    broker.take('drover/server/0x1/backup/set', 'PRESS', false);
    await settled();
    expect(await jobs()).toEqual([]);
    expect(broker.kept.has('drover/answer')).toBe(false);
  });

  it('refuses a token that acts at once, is revoked, or may not, and says so', async () => {
    await expectRefusal(addChannel({ token: await tokenOf(false) }), 'invalid_input');
    await expectRefusal(addChannel({ token: await tokenOf(true, ['read']) }), 'invalid_input');
    await expectRefusal(addChannel({ token: 'drv_wrong' }), 'invalid_input');
    await addChannel({ token: await tokenOf(false), approval: 'any' });
    await look();
    await press('backup');
    expect((await jobs()).map(({ status }) => status)).toEqual(['pending']);
    await press('backup');
    expect(kept('drover/answer').text).toBe('Back up: refused (job_already_active).');
    await new RevokeToken(scene).execute(OPERATOR, 3);
    await press('check');
    expect(kept('drover/answer').text).toBe('Check for package updates: refused (unauthorized).');
    expect(await jobs()).toHaveLength(1);
  });

  it('works on twenty commands at once at most', async () => {
    await addChannel({ token: await tokenOf(true) });
    await look();
    for (let each = 0; each < 100; each += 1) broker.take(`drover/server/${web}/check/set`, 'PRESS', false);
    await settled();
    await publisher.close();
    expect(scene.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });
});
