import { describe, expect, test } from 'vitest';
import { EnrolThisMachine } from '../../../src/application/fleet/enrol-this-machine.ts';
import { RemoveServer } from '../../../src/application/fleet/register-server.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { describeServer } from '../../../src/domain/fleet/server-description.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';

const enrol = (scene: ApplicationScene, machineName = 'my-machine') =>
  new EnrolThisMachine({
    ...scene,
    machineName,
    serviceData: {
      directory: '/var/lib/drover',
      excludes: [],
      writeDatabaseCopy: () => Promise.reject(new Error('no')),
    },
  });

describe('the first start', () => {
  test('takes the machine in as server 1, with its own data to back up and nothing else switched on', async () => {
    const scene = applicationScene();
    const server = await enrol(scene).execute();
    expect(server).toMatchObject({
      id: 1,
      name: 'my-machine',
      address: { connection: 'local' },
      features: { backup: true, os_patch: false, docker: false },
      jail: null,
      jailDeny: [],
      composeDirs: [],
      updateChecks: [],
    });
    expect(await scene.sources.ofServer(1)).toMatchObject([
      { name: 'drover', kind: 'service', paths: ['/var/lib/drover'] },
    ]);
  });

  test('of several processes at once enrols one machine', async () => {
    const scene = applicationScene();
    const enrolled = await Promise.all([1, 2, 3].map(() => enrol(scene).execute()));
    expect(enrolled.filter(Boolean).length).toBe(1);
    expect((await scene.servers.list({}, { limit: 10, offset: 0 })).total).toBe(1);
  });

  test('is the only one: a removed machine does not come back', async () => {
    const scene = applicationScene();
    await enrol(scene).execute();
    await new RemoveServer(scene).execute(Actor.operator('operator'), 1);
    expect(await enrol(scene).execute()).toBeNull();
  });

  test('completes a start that was interrupted', async () => {
    const scene = applicationScene();
    const cutOff = { ofServer: { value: () => Promise.reject(new Error('cut off')) } };
    const sources = Object.create(scene.sources, cutOff) as ApplicationScene['sources'];
    await expect(enrol({ ...scene, sources }).execute()).rejects.toThrow('cut off');
    expect(await enrol(scene).execute()).toMatchObject({ id: 1, name: 'my-machine' });
    expect((await scene.sources.ofServer(1)).length).toBe(1);
    expect((await scene.servers.list({}, { limit: 10, offset: 0 })).total).toBe(1);
  });

  test('takes another name where a host that was added before has its own', async () => {
    const scene = applicationScene();
    const other = describeServer({ name: 'my-machine', connection: 'ssh', hostname: '192.0.2.7' });
    await scene.servers.add(other, scene.clock.now(), () => ({}));
    expect(await enrol(scene).execute()).toMatchObject({
      name: 'my-machine-local',
      address: { connection: 'local' },
    });
  });

  test.each([
    ['host name.lan', 'host-name.lan'],
    ['-weird-', 'weird-'],
    ['ü', 'this-machine'],
    ['', 'this-machine'],
  ])('calls a machine named "%s" %s', async (machineName, name) => {
    expect(await enrol(applicationScene(), machineName).execute()).toMatchObject({ name });
  });
});
