import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { AesSecretBox } from '../../src/adapters/outbound/storage/secrets/aes-secret-box.ts';
import { MasterKey } from '../../src/adapters/outbound/storage/secrets/master-key.ts';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { rounds, TORTURE } from '../support/rounds.ts';
import { Service, type ServiceOptions, useService } from '../support/service.ts';

const KILLS = rounds(3, 40);
const SECRETS = 1_500;
const PASSPHRASE = { SERVICE_BACKUP_PASSPHRASE: 'a long enough passphrase' };
const Status = z.object({
  keys: z.array(z.object({ id: z.string(), state: z.string(), secrets: z.number() })),
});
const Findings = z.object({ findings: z.array(z.object({ name: z.string(), verdict: z.string() })) });
const place = (row: number) => ({ table: 'ssh_keys', column: 'private_key', row });

function rotating(databaseOf: () => Promise<ServiceOptions>): void {
  const service = useService(databaseOf);
  let database: Database;
  let oldId: string;
  const expected = new Map<number, string>();

  const file = (): string => join(service().dataDir, 'master.key');
  const keys = async () => MasterKey.parseList(await readFile(file(), 'utf8')) ?? [];
  const status = async () =>
    Status.parse((await service().cli(['master-key', 'status', '--json'])).json).keys;
  const archive = (): string => join(service().dataDir, 'before.age');

  beforeAll(async () => {
    database = openDatabase({
      url: service().settings['SERVICE_DATABASE_URL'] ?? null,
      dataDir: service().dataDir,
    });
    const made = await keys();
    oldId = made[0]?.id ?? '';
    const box = new AesSecretBox(made);
    const others = { algorithm: 'ssh-ed25519', public_key: 'x', fingerprint: 'x', created_at: 0 };
    for (let id = 1_000; id < 1_000 + SECRETS; id += 100) {
      const rows = Array.from({ length: 100 }, (_, n) => {
        expected.set(id + n, `secret ${id + n}`);
        const sealed_private_key = box.seal(`secret ${id + n}`, place(id + n));
        return { ...others, id: id + n, name: `bulk-${id + n}`, sealed_private_key };
      });
      await database.write((knex) => knex('ssh_keys').insert(rows));
    }
    expect(await service().cli(['backup', 'create', archive()], { settings: PASSPHRASE })).toMatchObject({
      code: 0,
    });
  });
  afterAll(() => database?.close());

  /** As the running service would: some under the old key, as a service that has not read the new one yet. */
  async function editWhile(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n += 1) {
      const [current, ...older] = await keys();
      if (!current) throw new Error('the key file has a key');
      const box = new AesSecretBox(n % 2 === 0 && older[0] ? [older[0], current] : [current, ...older]);
      const row = 1_000 + Math.floor(Math.random() * SECRETS);
      const sealed_private_key = box.seal(`edited ${n}`, place(row));
      await database.write((knex) => knex('ssh_keys').where({ id: row }).update({ sealed_private_key }));
      expected.set(row, `edited ${n}`);
      await sleep(5);
    }
  }

  it('adds a key without showing it, and the running service takes it up', async () => {
    const created = await service().cli(['master-key', 'create', '--json']);
    expect(created.code).toBe(0);
    const [current, old] = await keys();
    expect(old?.id).toBe(oldId);
    expect(created.json).toEqual({ id: current?.id });
    const shown = created.stdout + created.stderr + service().log;
    expect(shown).not.toContain(current?.key.export().toString('base64'));
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await status()).toMatchObject([{ secrets: 0 }, { id: oldId, state: 'old' }]);
    const early = await service().cli(['master-key', 'retire', '--json']);
    expect(early).toMatchObject({ code: 5, json: { code: 'master_key_not_ready' } });
  });

  it('encrypts all by the new key although it is killed in between and secrets are edited', async () => {
    let over = false;
    const editing = editWhile(() => over);
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const command = service().command(['master-key', 'rotate', '--json']);
        await sleep(500 + Math.random() * 1_500);
        command.signal('SIGKILL');
        await command.ended;
      }
    } finally {
      over = true;
      await editing;
    }
    const rotated = await service().cli(['master-key', 'rotate', '--json']);
    expect(rotated).toMatchObject({ code: 0, json: { unreadable: 0 } });
    const [current, old] = await status();
    expect(old).toEqual({ id: oldId, state: 'old', secrets: 0 });
    expect(current?.secrets).toBeGreaterThanOrEqual(SECRETS);
  });

  it('retires the old key, after which everything can be read by the new one', async () => {
    const retired = await service().cli(['master-key', 'retire', '--json']);
    expect(retired).toMatchObject({ code: 0, json: { removed: [oldId] } });
    const left = await keys();
    expect(left.map(({ id }) => id)).not.toContain(oldId);
    const box = new AesSecretBox(left);
    const rows: { id: number; sealed_private_key: string }[] = await database
      .knex('ssh_keys')
      .where('id', '>=', 1_000)
      .select('id', 'sealed_private_key');
    expect(new Map(rows.map((row) => [row.id, box.open(row.sealed_private_key, place(row.id))]))).toEqual(
      expected,
    );
    await service().kill9();
    await service().start();
    const doctor = Findings.parse((await service().cli(['doctor', '--json'])).json);
    expect(doctor.findings.find(({ name }) => name === 'secrets')).toMatchObject({ verdict: 'ok' });
    expect(await service().cli(['audit', 'verify'])).toMatchObject({ code: 0 });
  });

  it('changes no file if the keys are in the configuration', async () => {
    const settings = { SERVICE_MASTER_KEY: await readFile(file(), 'utf8') };
    const refused = await service().cli(['master-key', 'create', '--json'], { settings });
    expect(refused).toMatchObject({ code: 2, json: { code: 'invalid_input' } });
    const added = await service().cli(['master-key', 'create', '--file', file(), '--json'], { settings });
    expect(added).toMatchObject({ code: 0 });
    expect(await keys()).toHaveLength(2);
  });

  it('leaves backups from before good, with the key that is in them', async () => {
    const restored = await Service.prepare();
    const done = await restored.cli(['backup', 'restore', archive()], { settings: PASSPHRASE });
    expect(done).toMatchObject({ code: 0 });
    const { json } = await restored.cli(['master-key', 'status', '--json']);
    expect(Status.parse(json).keys).toMatchObject([{ id: oldId, state: 'current' }]);
    await restored.remove();
  });
}

describeWith([], 'the master key on SQLite', () => rotating(async () => ({})));

// The store has separate tests on MariaDB.
if (TORTURE) {
  describeWith('mariadb', 'the master key on MariaDB', () => {
    let made: { readonly url: string; readonly drop: () => Promise<void> } | undefined;
    afterAll(() => made?.drop());
    rotating(async () => {
      made = await freshMariaDb();
      return { settings: { SERVICE_DATABASE_URL: made.url } };
    });
  });
}
