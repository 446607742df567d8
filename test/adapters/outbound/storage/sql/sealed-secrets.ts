import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AesSecretBox } from '../../../../../src/adapters/outbound/storage/secrets/aes-secret-box.ts';
import { MasterKey } from '../../../../../src/adapters/outbound/storage/secrets/master-key.ts';
import {
  SEALED_COLUMNS,
  type SealedColumn,
} from '../../../../../src/adapters/outbound/storage/sql/sealed-columns.ts';
import { SqlSealedSecrets } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-sealed-secrets.ts';
import type { SecretBox } from '../../../../../src/application/ports/base/secret-box.ts';
import type { SealedSecrets } from '../../../../../src/application/ports/service/sealed-secrets.ts';
import { ManageMasterKeys } from '../../../../../src/application/service/manage-master-keys.ts';
import { Actor } from '../../../../../src/domain/access/actor.ts';
import { empty, type MakeDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { AT, addServer } from '../../../../support/stores-subject.ts';

const OLD = new MasterKey(Buffer.alloc(32, 1));
const NEW = new MasterKey(Buffer.alloc(32, 2));
const STRANGER = new MasterKey(Buffer.alloc(32, 3));
const operator = Actor.operator('cli:root');

/** A row's other required values, by its table. */
const ROWS: Readonly<Record<string, (n: number, serverId: number, sourceId: number) => object>> = {
  ssh_keys: (n) => ({ name: `key-${n}`, algorithm: 'x', public_key: 'x', fingerprint: 'x', created_at: AT }),
  backup_repositories: (n) => ({ name: `r-${n}`, kind: 'local', url: '/srv', created_at: AT }),
  backup_dumps: (n, _, source_id) => ({
    source_id,
    name: `d-${n}`,
    kind: 'mysql',
    connection: '{}',
    created_at: AT,
  }),
  webhooks: (n) => ({
    name: `hook-${n}`,
    origin: 'operator',
    shown_url: 'x',
    min_severity: 'info',
    enabled: 1,
    created_by: 'x',
    created_at: AT,
    updated_at: AT,
  }),
  alert_channels: (n) => ({
    name: `channel-${n}`,
    kind: 'ntfy',
    fields: '{}',
    shown_target: 'x',
    min_severity: 'info',
    allow_private: 0,
    enabled: 1,
    created_by: 'x',
    created_at: AT,
    updated_at: AT,
  }),
  sso_providers: (n) => ({
    name: `provider-${n}`,
    label: 'x',
    issuer: 'x',
    client_id: 'x',
    scopes: 'openid',
    groups_claim: 'groups',
    roles: '[]',
    two_factor: 'never',
    allow_private: 0,
    enabled: 1,
    created_by: 'x',
    created_at: AT,
    updated_at: AT,
  }),
  push_subscriptions: (n) => ({ endpoint_hash: `h-${n}`, min_severity: 'info', created_at: AT }),
  template_orders: (_, server_id) => ({ server_id, names: '[]', created_at: AT }),
  template_deployments: (n, server_id) => ({
    server_id,
    directory: `/srv/${n}`,
    project: 'p',
    template_name: 't',
    template_version: 1,
    given: '{}',
    secret_names: '[]',
    files: '[]',
    job_id: 1,
    deployed_at: AT,
  }),
  users: (n) => ({ name: `user-${n}`, role: 'viewer', created_by: 'x', created_at: AT }),
  approvals: () => ({
    job_type: 'set_features',
    subject: 's',
    requester_kind: 'token',
    requester_name: 't',
    requested_by: 't',
    state: 'waiting',
    created_at: AT,
    expires_at: AT,
  }),
  settings: () => ({}),
  jobs: (_, server_id) => ({
    server_id,
    server_name: 's',
    job_type: 'template_deploy',
    lane: 'x',
    status: 'success',
    params: '{}',
    created_at: AT,
    scheduled: 0,
    requested_by: 'x',
    log_tail: '[]',
  }),
};
const SOURCE = (server_id: number): object => ({
  server_id,
  name: 'data',
  kind: 'files',
  paths: '[]',
  excludes: '[]',
  retention: '{}',
  created_at: AT,
});
const SETTINGS = ['master_key_check', 'audit_key'];

const textOf = ({ member }: SealedColumn, sealed: string): string =>
  member === undefined ? sealed : JSON.stringify({ before: 'v1.text', [member]: sealed, after: [1] });

/** A column of the list, and its rows that hold a secret, by kind of secret. */
type Filled = readonly {
  readonly column: SealedColumn;
  readonly row: string | number;
  readonly secret: string;
}[];

/** Puts `each` secrets into every column. */
async function fill(knex: Knex, box: SecretBox, serverId: number, each: number): Promise<Filled> {
  const [sourceId = 0] = await knex('backup_sources').insert(SOURCE(serverId));
  const filled: { column: SealedColumn; row: string | number; secret: string }[] = [];
  for (const [index, column] of SEALED_COLUMNS.entries()) {
    const names = column.member === undefined ? SETTINGS : ['vapid'];
    const many = column.table === 'settings' ? names.length : each;
    for (let n = 0; n < many; n += 1) {
      const secret = `${column.table}.${column.place} ${index} ${n} 🔑`;
      const others = SEALED_COLUMNS.filter(({ table }) => table === column.table).map(
        (other) => [other.column, 'empty'] as const,
      );
      let row: string | number = names[n] ?? '';
      if (column.key === 'name') await knex('settings').insert({ name: row, value: '' });
      else {
        const made = ROWS[column.table]?.(index * 1_000 + n, serverId, sourceId);
        [row = 0] = await knex(column.table).insert({ ...Object.fromEntries(others), ...made });
      }
      const sealed = box.seal(secret, { table: column.table, column: column.place, row });
      await knex(column.table)
        .where({ [column.key]: row })
        .update({ [column.column]: textOf(column, sealed) });
      filled.push({ column, row, secret });
    }
  }
  return filled;
}

async function opened(knex: Knex, box: SecretBox, filled: Filled): Promise<string[]> {
  const texts: string[] = [];
  for (const { column, row } of filled) {
    const { [column.column]: text } = await knex(column.table)
      .where({ [column.key]: row })
      .first();
    const value = column.member === undefined ? text : JSON.parse(text);
    if (column.member !== undefined) expect(value).toMatchObject({ before: 'v1.text', after: [1] });
    const sealed = column.member === undefined ? value : value[column.member];
    texts.push(box.open(sealed, { table: column.table, column: column.place, row }));
  }
  return texts;
}

/** Every encrypted secret is found, and encrypted again, on a real database. */
export function sealedSecretsTests(makeDatabase: MakeDatabase): void {
  describe('encrypted secrets', () => {
    let made: TestDatabase;
    let knex: Knex;
    let secrets: SealedSecrets;
    let serverId: number;
    beforeEach(async () => {
      made ??= await makeDatabase();
      await empty(made.database);
      knex = made.database.knex;
      secrets = new SqlSealedSecrets(made.database);
      serverId = await addServer(sqlStores(made.database), 'web');
    });
    afterAll(() => made?.drop());

    const manage = (keys: readonly MasterKey[], port: SealedSecrets = secrets): ManageMasterKeys => {
      const { replicas, audit } = sqlStores(made.database);
      return new ManageMasterKeys({
        secrets: port,
        box: new AesSecretBox(keys),
        replicas,
        audit,
        clock: { now: () => AT, sleep: async () => undefined },
      });
    };

    it('are counted by key, in every column of the list', async () => {
      const filled = await fill(knex, new AesSecretBox([OLD]), serverId, 3);
      expect(await secrets.counts()).toEqual(new Map([[OLD.id, filled.length]]));
      const keys = await manage([NEW, OLD]).status(operator);
      expect(keys).toEqual([
        { id: NEW.id, state: 'current', secrets: 0 },
        { id: OLD.id, state: 'old', secrets: filled.length },
      ]);
      expect(await manage([NEW]).status(operator)).toMatchObject([{}, { id: OLD.id, state: 'unknown' }]);
    });

    it('are all readable by the new key alone afterwards, more than a page of them', async () => {
      const filled = await fill(knex, new AesSecretBox([OLD]), serverId, 101);
      const result = await manage([NEW, OLD]).rotate(operator);
      expect(result).toEqual({ keyId: NEW.id, rotated: filled.length, unreadable: 0 });
      expect(await opened(knex, new AesSecretBox([NEW]), filled)).toEqual(filled.map(({ secret }) => secret));
      expect(await secrets.counts()).toEqual(new Map([[NEW.id, filled.length]]));
      expect(await manage([NEW, OLD]).rotate(operator)).toMatchObject({ rotated: 0 });
    });

    it('lose no edit that is made meanwhile, and are finished by the next run after one that broke off', async () => {
      const old = new AesSecretBox([OLD]);
      const filled = await fill(knex, old, serverId, 4);
      let calls = 0;
      const edited = new Map<number, string>();
      const port: SealedSecrets = {
        counts: () => secrets.counts(),
        notUnder: (keyId) => secrets.notUnder(keyId),
        // Between reading a row and writing it, a service edits it; now and then the rotation dies.
        replace: async (secret, sealed) => {
          calls += 1;
          const index = filled.findIndex(
            ({ column, row }) =>
              column.table === secret.place.table &&
              column.place === secret.place.column &&
              row === secret.place.row,
          );
          const { column, row } = filled[index] ?? { column: null, row: 0 };
          if (column !== null && calls % 3 === 0) {
            const box = calls % 2 === 0 ? old : new AesSecretBox([NEW, OLD]);
            const text = textOf(column, box.seal(`edited ${calls}`, secret.place));
            await knex(column.table)
              .where({ [column.key]: row })
              .update({ [column.column]: text });
            edited.set(index, `edited ${calls}`);
          }
          if (calls % 7 === 0) throw new Error('killed');
          return secrets.replace(secret, sealed);
        },
      };
      let died = 0;
      for (let round = 0; round < 50; round += 1) {
        const end = await manage([NEW, OLD], port)
          .rotate(operator)
          .catch(() => null);
        if (end !== null) break;
        died += 1;
      }
      expect(died).toBeGreaterThan(3);
      await manage([NEW, OLD]).rotate(operator);
      expect(await secrets.counts()).toEqual(new Map([[NEW.id, filled.length]]));
      const expected = filled.map(({ secret }, index) => edited.get(index) ?? secret);
      expect(edited.size).toBeGreaterThan(3);
      expect(await opened(knex, new AesSecretBox([NEW]), filled)).toEqual(expected);
    });

    it('are under the new key also if a service writes them by the old one behind the rotation', async () => {
      const filled = await fill(knex, new AesSecretBox([OLD]), serverId, 3);
      const [first] = filled;
      if (first === undefined) throw new Error('there are secrets');
      const place = { table: first.column.table, column: first.column.place, row: first.row };
      let isLate = true;
      const port: SealedSecrets = {
        counts: () => secrets.counts(),
        replace: (...args) => secrets.replace(...args),
        notUnder: async function* (keyId) {
          let found = 0;
          for await (const page of secrets.notUnder(keyId)) {
            found += page.length;
            yield page;
          }
          if (found > 0 || !isLate) return;
          isLate = false;
          const text = textOf(first.column, new AesSecretBox([OLD]).seal('late', place));
          await knex(place.table)
            .where({ [first.column.key]: first.row })
            .update({ [first.column.column]: text });
        },
      };
      await manage([NEW, OLD], port).rotate(operator);
      expect(await secrets.counts()).toEqual(new Map([[NEW.id, filled.length]]));
      const expected = ['late', ...filled.slice(1).map(({ secret }) => secret)];
      expect(await opened(knex, new AesSecretBox([NEW]), filled)).toEqual(expected);
    });

    it('stay as they are if no key opens them, and are counted', async () => {
      const filled = await fill(knex, new AesSecretBox([STRANGER]), serverId, 1);
      expect(await manage([NEW, OLD]).rotate(operator)).toMatchObject({
        rotated: 0,
        unreadable: filled.length,
      });
      expect(await opened(knex, new AesSecretBox([STRANGER]), filled)).toHaveLength(filled.length);
    });

    it('are in the list of columns, all that the schema and the program have', async () => {
      const listed = new Set(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`));
      const golden = await readFile('test/golden/schema.sqlite.sql', 'utf8');
      const inSchema = [...golden.matchAll(/CREATE TABLE `(\w+)` \(([^;]*);/g)].flatMap(
        ([, table, columns = '']) =>
          [...columns.matchAll(/`(sealed_\w+|\w*totp_secret\w*)`/g)].map(
            ([, column]) => `${table}.${column}`,
          ),
      );
      expect(inSchema.length).toBeGreaterThan(8);
      expect(inSchema.filter((name) => !listed.has(name))).toEqual([]);
      const places = new Set(SEALED_COLUMNS.map(({ table, place }) => `${table}.${place}`));
      const webhooks = ['url', 'secret', 'former_secret'].map((column) => `webhooks.${column}`);
      const used = [...(await placesInSource()), ...webhooks];
      expect(used.length).toBeGreaterThan(9);
      expect(used.filter((name) => !places.has(name) && !NOT_STORED.has(name))).toEqual([]);
      expect([...places].filter((name) => !used.includes(name))).toEqual([]);
    });
  });
}

/** The question to an agent's user: the client holds it for ten minutes, and a new key makes it invalid. */
const NOT_STORED = new Set(['confirmations.state']);

/** `SecretPlace`s as the program writes them: a table and a column. */
async function placesInSource(): Promise<readonly string[]> {
  const files = (await readdir('src', { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const found: string[] = [];
  for (const file of files.filter((name) => !name.includes('adapters/sql/'))) {
    const text = await readFile(join('src', file), 'utf8');
    for (const [, table, column] of text.matchAll(/table: '(\w+)',\s*column: '(\w+)',\s*row/g))
      found.push(`${table}.${column}`);
  }
  return found;
}
