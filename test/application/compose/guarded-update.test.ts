import { beforeEach, describe, expect, it } from 'vitest';
import type { BackupSource } from '../../../src/domain/backups/backup-source.ts';
import { ContainerScene } from './container-scene.ts';

const DATA = '/var/lib/docker/volumes/shop_data/_data';
const source = (name: string, paths: readonly string[], excludes: readonly string[] = []): BackupSource =>
  ({ id: name.length, name, kind: 'files', paths, excludes, hooks: [] }) as never;

let scene: ContainerScene;
beforeEach(() => {
  scene = new ContainerScene();
  scene.up(['db']);
  writesTo(DATA);
  scene.sources = [source('volumes', ['/var/lib/docker/volumes'])];
  scene.engine.containers.publish(scene.app, 'v2');
});

function writesTo(path: string, over: object = {}): void {
  const mount = { path, services: ['db'], bytes: 1_000, freeBytes: 1_000_000_000, ...over };
  scene.engine.data.set(scene.shop, { mounts: [mount], checks: [], problem: null });
}

const saved = { kind: 'save', directory: '/srv/stacks/shop', service: 'db', path: DATA };

describe('an update of containers with data', () => {
  it('plans to save what a backup source covers, with the backup, the checks and what a rollback restores', async () => {
    const planned = await scene.plan('container_patch', { observeMinutes: 5 });
    expect(planned.result).toMatchObject({
      changes: [{ kind: 'image' }, saved],
      changes_count: 1,
      guarded: [
        {
          directory: scene.shop,
          saves: [{ path: DATA, services: ['db'], bytes: 1_000 }],
          backups: [{ source: 'volumes', dumps: [], last_bytes: null }],
          observe_minutes: 5,
          rollback: 'images and data',
          copy_bytes: 1_000,
          free_bytes: 1_000_000_000,
          backup_bytes: null,
          backup_seconds: null,
          restores: { images: [{ service: 'db', image: scene.app }], paths: [DATA] },
        },
      ],
    });
    expect(scene.backedUp).toEqual([]);
  });

  it('names the age of both images and the changes, if the images say so', async () => {
    const none = { createdAt: null, version: null, changelogUrl: null };
    const [running = ''] = scene.engine.containers.imageIds();
    scene.engine.facts.set(running, { ...none, version: '1.0', createdAt: Date.UTC(2026, 9, 1) });
    const to = scene.engine.containers.publish(scene.app, 'v2');
    scene.engine.facts.set(`registry.test/app@${to}`, { ...none, changelogUrl: 'https://shop.test/' });
    const url = 'https://shop.test/';
    expect((await scene.plan('container_patch')).result).toMatchObject({
      images: [
        {
          directory: scene.shop,
          service: 'db',
          from: { version: '1.0', created_at: '2026-10-01T00:00:00.000Z' },
          to: { version: null, created_at: null },
          changelog_url: url,
        },
      ],
    });
    expect(scene.lines.some((line) => line.includes(url))).toBe(true);
  });

  it('backs the sources up, and orders the host to save the same', async () => {
    const done = await scene.apply('container_patch');
    expect(done).toMatchObject({ failure: null, result: { guarded: [{ paths: [DATA] }] } });
    expect(scene.backedUp).toEqual(['volumes']);
    const order = JSON.parse(scene.orderArgs()[0] ?? '');
    expect(order.projects[0].guard).toEqual({ paths: [DATA], checks: [], observeSeconds: 120 });
  });

  it.each([
    ['no source covers it', () => (scene.sources = [source('etc', ['/etc'])])],
    ['the source excludes it', () => (scene.sources = [source('all', ['/'], ['/var/lib/docker/'])])],
    ['there is no space for a copy', () => writesTo(DATA, { freeBytes: 2_000 })],
    [
      'it cannot be copied as a whole',
      () => scene.engine.data.set(scene.shop, { mounts: [], checks: [], problem: 'Others write to it.' }),
    ],
  ])(
    'does not save data if %s: it says so, or with guard leaves the project as it is',
    async (_why, arrange) => {
      arrange();
      expect((await scene.plan('container_patch')).result).toMatchObject({
        changes: [{ kind: 'image' }],
        unguarded: [{ directory: scene.shop, reason: expect.any(String) }],
      });
      expect((await scene.plan('container_patch', { guard: true })).result).toMatchObject({
        changes: [],
        left_alone: [{ directory: scene.shop, service: 'db' }],
      });
      await scene.apply('container_patch', { guard: true });
      expect(scene.backedUp).toEqual([]);
    },
  );

  it('is not guarded with guard off', async () => {
    const { result } = await scene.plan('container_patch', { guard: false });
    expect(result).toMatchObject({ changes: [{ kind: 'image' }] });
    expect(result).not.toHaveProperty('guarded');
  });

  it('is covered by the dump of its container', async () => {
    scene.sources = [source('dumps', ['/etc'])];
    scene.dumps = [{ sourceId: 5, name: 'shop', container: 'shop-db-1' } as never];
    expect((await scene.plan('container_patch')).result).toMatchObject({
      guarded: [{ backups: [{ source: 'dumps', dumps: ['shop'] }] }],
    });
  });

  it('refuses a plan if it would save other data by now', async () => {
    const plan = await scene.plan('container_patch');
    const planId = scene.keep('container_patch', plan);
    writesTo(`${DATA}/other`);
    expect(await scene.apply('container_patch', { planId })).toMatchObject({
      failure: { code: 'plan_drifted' },
    });
    expect(scene.backedUp).toEqual([]);
  });
});
