import { beforeEach, describe, expect, it } from 'vitest';
import { type Read, RecordReads } from '../../../src/application/events/record-reads.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { SECOND } from '../../../src/domain/base/instant.ts';
import { requestJob } from '../../../src/domain/jobs/job.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const root = Actor.operator('root');
const PAGE: Read = { kind: 'server', id: 1, by: '/servers/:id', path: null };

let scene: ApplicationScene;
let reads: RecordReads;
beforeEach(() => {
  scene = applicationScene();
  reads = new RecordReads(scene);
});

const recorded = async () =>
  (await scene.audit.list({ action: 'read' }, { limit: 100, offset: 0 })).items.toReversed();

describe('Reads', () => {
  it('are not recorded unless an administrator switched that on, which is recorded itself', async () => {
    reads.note(tokenActor(), PAGE);
    await reads.flush();
    expect(await recorded()).toEqual([]);
    await expectRefusal(reads.set(tokenActor(), true), 'role_missing');
    await expectRefusal(reads.get(tokenActor()), 'role_missing');
    await reads.set(root, true);
    expect(scene.kept.audit.at(-1)).toMatchObject({ action: 'audit.record_reads', detail: { on: true } });
    reads.note(tokenActor(), PAGE);
    await reads.flush();
    expect(await recorded()).toHaveLength(1);
    await reads.set(root, false);
    reads.note(tokenActor(), PAGE);
    await reads.flush();
    expect(await recorded()).toHaveLength(1);
  });

  it('are one entry by caller, object and path until they are written, with the time of the first', async () => {
    await reads.set(root, true);
    const file: Read = { ...PAGE, by: 'read_file', path: 'app/compose.yaml' };
    const first = scene.clock.now();
    for (const read of [PAGE, PAGE, file]) reads.note(tokenActor(), read);
    reads.note(tokenActor({ id: 6, name: 'other' }), PAGE);
    await scene.clock.advance(SECOND);
    reads.note(tokenActor(), PAGE);
    await reads.flush();
    expect(await recorded()).toMatchObject([
      { at: first, actorName: 'agent', address: '203.0.113.7', object: 'server:1', detail: { times: 3 } },
      { object: 'server:1', detail: { by: 'read_file', path: 'app/compose.yaml' } },
      { actorName: 'other', detail: { by: '/servers/:id' } },
    ]);
    expect((await scene.audit.list({ serverId: 1, action: 'read' }, { limit: 9, offset: 0 })).total).toBe(3);
    await reads.flush();
    expect(await recorded()).toHaveLength(3);
  });

  it('are bounded: of more than can wait, the number is recorded, and long paths are cut', async () => {
    await reads.set(root, true);
    for (let id = 1; id <= 2_010; id += 1) reads.note(tokenActor(), { ...PAGE, id, path: 'x'.repeat(9_000) });
    await reads.flush();
    const { items, total } = await scene.audit.list({ action: 'read' }, { limit: 1, offset: 0 });
    expect(total).toBe(2_001);
    expect(items[0]).toMatchObject({ action: 'read.overflow', detail: { reads: 10 } });
    const [one] = await scene.audit.after({ action: 'read' }, 0, 1);
    expect(String(one?.detail['path'])).toHaveLength(500);
  });

  it('wait for the next time if they cannot be written, and name the server of a job', async () => {
    let isDown = true;
    const recordAll: typeof scene.audit.recordAll = (entries) =>
      isDown ? Promise.reject(new Error('no database')) : scene.audit.recordAll(entries);
    reads = new RecordReads({ ...scene, audit: { recordAll } });
    await scene.addServer('web', { os_patch: true });
    const { id } = await scene.jobs.enqueue(
      requestJob({
        server: { id: 1, name: 'web' },
        type: 'os_update_check',
        params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
        requestedBy: 'cli',
        scheduled: false,
        approval: null,
        at: scene.clock.now(),
      }),
      () => ({}),
    );
    await reads.set(root, true);
    reads.note(tokenActor(), { kind: 'job', id, by: 'get_job', path: null });
    await expect(reads.flush()).rejects.toThrow('no database');
    reads.note(tokenActor(), { kind: 'job', id, by: 'get_job', path: null });
    isDown = false;
    await reads.flush();
    expect(await recorded()).toMatchObject([{ object: `job:${id}`, detail: { serverId: 1, times: 2 } }]);
  });

  it('are recorded by another replica as soon as it has looked', async () => {
    const other = new RecordReads(scene);
    await reads.set(root, true);
    await other.flush();
    other.note(tokenActor(), PAGE);
    await other.flush();
    expect(await recorded()).toHaveLength(1);
  });
});
