import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type {
  PackageGroup,
  PackageSearch,
  PackageStore,
  PackageVersion,
} from '../../../../../application/ports/fleet/package-store.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import type { PackageOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import type { InstalledPackage, ServerPackage } from '../../../../../domain/fleet/installed-package.ts';
import { SqlStore } from '../database.ts';
import { pageOf } from '../page.ts';
import { hostText } from '../tables/columns.ts';
import { type HolderRow, toPackage, type VersionCount, type VersionRow } from '../tables/package-row.ts';

/** Rows a statement. */
const BATCH = 200;
/** Different versions that a search goes through. */
const MAX_VERSIONS = 2_000;

export class SqlPackageStore extends SqlStore implements PackageStore {
  async save(serverId: number, system: string, packages: readonly InstalledPackage[]): Promise<void> {
    const keys = new Map(packages.map((each) => [keyOf(system, each), each]));
    const digest = sha256([...keys.keys()].sort());
    const known = await this.#digest(this.database.knex, serverId);
    if (known === digest) return;
    // Outside the transaction, so that servers with the same packages do not wait for each other.
    const wanted = await this.#versionIds(system, keys);
    await this.database.transaction(async (trx) => {
      // The server's row first: two readings of one server meet here.
      const server = await trx('servers').where({ id: serverId }).forUpdate().first('removed_at');
      if (server?.removed_at !== null) return;
      const rows: { version_id: number }[] = await trx('server_packages')
        .where({ server_id: serverId })
        .select('version_id');
      const before = new Set(rows.map(({ version_id }) => version_id));
      const gone = [...before].filter((id) => !wanted.has(id));
      const added = [...wanted].filter((id) => !before.has(id));
      for (const ids of batches(gone, BATCH)) {
        await trx('server_packages').where({ server_id: serverId }).whereIn('version_id', ids).delete();
        // What no server has is deleted: a host that reports other packages each time fills nothing.
        await trx('package_versions')
          .whereIn('id', ids)
          .whereNotExists(
            trx('server_packages').select(trx.raw('1')).whereRaw('version_id = package_versions.id'),
          )
          .delete();
      }
      for (const ids of batches(added, BATCH))
        await trx('server_packages').insert(ids.map((id) => ({ server_id: serverId, version_id: id })));
      await trx('server_package_lists')
        .insert({ server_id: serverId, digest })
        .onConflict('server_id')
        .merge();
    });
  }

  async #digest(knex: Knex, serverId: number): Promise<string | null> {
    const row = await knex('server_package_lists').where({ server_id: serverId }).first('digest');
    return row?.digest ?? null;
  }

  /** The ids of these versions, which are added if they are new. */
  async #versionIds(
    system: string,
    packages: ReadonlyMap<string, InstalledPackage>,
  ): Promise<ReadonlySet<number>> {
    const ids = new Set<number>();
    for (const keys of batches([...packages.keys()], BATCH)) {
      const missing = new Set(keys);
      const collect = async (): Promise<void> => {
        const rows: { id: number; key_hash: string }[] = await this.database
          .knex('package_versions')
          .whereIn('key_hash', [...missing])
          .select('id', 'key_hash');
        for (const { id, key_hash } of rows) {
          ids.add(id);
          missing.delete(key_hash);
        }
      };
      await collect();
      if (missing.size === 0) continue;
      const rows = [...missing].map((key) => {
        const { name, version, source, sourceVersion } = packages.get(key) as InstalledPackage;
        return { key_hash: key, system, name, version, source, source_version: sourceVersion };
      });
      await this.database.write((knex) =>
        knex('package_versions').insert(rows).onConflict('key_hash').ignore(),
      );
      await collect();
    }
    return ids;
  }

  async search(
    { name, version, serverIds }: PackageSearch,
    page: PageRequest,
  ): Promise<Page<ServerPackage> & { readonly complete: boolean }> {
    const [one, ...others] = serverIds ?? [];
    if (one !== undefined && others.length === 0) {
      const rows = this.#holders([one]);
      return { ...(await read(named(rows, 'v.', { name, version }), page)), complete: true };
    }
    const found: { id: number }[] = await named(this.database.knex('package_versions'), '', {
      name,
      version,
    })
      .orderBy('id', 'desc')
      .limit(MAX_VERSIONS + 1)
      .select('id');
    const ids = found.slice(0, MAX_VERSIONS).map(({ id }) => id);
    const rows = this.#holders(serverIds).whereIn('p.version_id', ids);
    return { ...(await read(rows, page)), complete: found.length <= MAX_VERSIONS };
  }

  async groups(
    {
      mixed = false,
      order,
      serverIds,
      ...search
    }: PackageSearch & { readonly mixed?: boolean; readonly order?: PackageOrder },
    { limit, offset }: PageRequest,
  ): Promise<Page<PackageGroup>> {
    const { knex } = this.database;
    const held = (): Knex.QueryBuilder => {
      const holders = knex('server_packages as p')
        .join('servers as s', 's.id', 'p.server_id')
        .whereRaw('p.version_id = v.id')
        .whereNotNull('s.name_key')
        .select(knex.raw('1'));
      if (serverIds !== null) holders.whereIn('p.server_id', serverIds);
      return knex('package_versions as v').whereExists(holders);
    };
    const only = (query: Knex.QueryBuilder): Knex.QueryBuilder => {
      const found = named(query, 'v.', search);
      if (!mixed) return found;
      return found.whereIn(
        'v.name',
        held().groupBy('v.system', 'v.name').havingRaw('COUNT(DISTINCT v.version) > 1').select('v.name'),
      );
    };
    const count: { total: number | string } | undefined = await only(held())
      .countDistinct({ total: 'v.name' })
      .first();
    const direction = order?.descending ? 'desc' : 'asc';
    const sorted =
      order?.by === 'servers'
        ? only(this.#holders(serverIds))
            .orderByRaw(`COUNT(DISTINCT p.server_id) ${direction}`)
            .orderBy('v.name')
        : only(held()).orderBy('v.name', direction);
    const names: { name: string }[] = await sorted
      .groupBy('v.name')
      .limit(limit)
      .offset(offset)
      .select('v.name');
    const chosen = names.map(({ name }) => name);
    const ofChosen = (): Knex.QueryBuilder =>
      named(this.#holders(serverIds).whereIn('v.name', chosen), 'v.', search);
    const versions: VersionCount[] = await ofChosen()
      .groupBy('v.name', 'v.system', 'v.version')
      .orderBy([{ column: 'v.system' }, { column: 'v.version' }])
      .select('v.name', 'v.system', 'v.version')
      .countDistinct({ servers: 'p.server_id' });
    const totals: VersionCount[] = await ofChosen()
      .groupBy('v.name')
      .select('v.name')
      .countDistinct({ servers: 'p.server_id' });
    const items = chosen.map((name) => ({
      name: hostText(name),
      servers: Number(totals.find((each) => each.name === name)?.servers ?? 0),
      versions: versions
        .filter((each) => each.name === name)
        .map(({ system, version, servers }) => ({
          system: hostText(system),
          version: hostText(version),
          servers: Number(servers),
        })),
    }));
    return { items, total: Number(count?.total ?? 0), limit, offset };
  }

  async holdings(
    versionIds: readonly number[],
    serverIds: readonly number[] | null,
    limit: number,
  ): Promise<readonly { readonly versionId: number; readonly serverId: number }[]> {
    const found: { versionId: number; serverId: number }[] = [];
    for (const ids of batches(versionIds, BATCH)) {
      if (found.length === limit) break;
      const rows: { version_id: number; server_id: number }[] = await this.#holders(serverIds)
        .whereIn('p.version_id', ids)
        .limit(limit - found.length)
        .select('p.version_id', 'p.server_id');
      found.push(...rows.map((row) => ({ versionId: row.version_id, serverId: row.server_id })));
    }
    return found;
  }

  async ofServer(serverId: number, names: readonly string[]): Promise<readonly InstalledPackage[]> {
    const rows: VersionRow[] = await this.#holders([serverId])
      .whereIn('v.name', names)
      .orderBy('v.id')
      .select('v.id', 'v.system', 'v.name', 'v.version', 'v.source', 'v.source_version');
    return rows.map(toPackage);
  }

  async versionsOf(
    targets: ReadonlyMap<string, readonly string[]>,
    limit: number,
  ): Promise<readonly PackageVersion[]> {
    const found: PackageVersion[] = [];
    // As many queries as there are systems.
    for (const [system, names] of targets) {
      const rows: VersionRow[] = await this.database
        .knex('package_versions')
        .where({ system })
        .where((either) => void either.whereIn('source', names).orWhereIn('name', names))
        .limit(limit - found.length)
        .select('id', 'system', 'name', 'version', 'source', 'source_version');
      found.push(...rows.map((row) => ({ id: row.id, ...toPackage(row) })));
      if (found.length === limit) break;
    }
    return found;
  }

  holders(
    { versionIds, reported }: { readonly versionIds: readonly number[]; readonly reported: string | null },
    serverIds: readonly number[] | null,
    page: PageRequest,
  ): Promise<Page<ServerPackage>> {
    if (reported === null) return read(this.#holders(serverIds).whereIn('p.version_id', versionIds), page);
    const { knex } = this.database;
    // Both by an index: with OR, either database reads all packages of all servers.
    const found = knex('server_packages')
      .whereIn('version_id', versionIds)
      .select('server_id', 'version_id')
      .union(
        knex('server_fixes as f')
          .join('package_versions as of', (on) => {
            on.on('of.system', 'f.system').on('of.name', 'f.package').on('of.version', 'f.version');
          })
          .where('f.cve', reported)
          .select({ server_id: 'f.server_id', version_id: 'of.id' }),
      )
      .as('found');
    const rows = this.#holders(serverIds).join(found, (on) => {
      on.on('found.server_id', 'p.server_id').on('found.version_id', 'p.version_id');
    });
    return read(rows, page);
  }

  #holders(serverIds: readonly number[] | null): Knex.QueryBuilder {
    const query = this.database
      .knex('server_packages as p')
      .join('servers as s', 's.id', 'p.server_id')
      .join('package_versions as v', 'v.id', 'p.version_id')
      .whereNotNull('s.name_key');
    return serverIds === null ? query : query.whereIn('p.server_id', serverIds);
  }
}

/** `INSTR` takes `%` and `_` as they are. */
function named(
  query: Knex.QueryBuilder,
  table: '' | 'v.',
  { name, version }: Pick<PackageSearch, 'name' | 'version'>,
): Knex.QueryBuilder {
  if (name) query.whereRaw(`INSTR(LOWER(${table}name), ?) > 0`, [name.toLowerCase()]);
  if (version) query.whereRaw(`INSTR(LOWER(${table}version), ?) > 0`, [version.toLowerCase()]);
  return query;
}

const read = (rows: Knex.QueryBuilder, page: PageRequest): Promise<Page<ServerPackage>> =>
  pageOf(rows, page, async (window) => {
    const found: HolderRow[] = await window
      .orderBy([{ column: 's.name_key' }, { column: 'v.name' }, { column: 'v.id' }])
      .select({
        id: 'v.id',
        server_id: 'p.server_id',
        server_name: 's.name',
        system: 'v.system',
        name: 'v.name',
        version: 'v.version',
        source: 'v.source',
        source_version: 'v.source_version',
      });
    return found.map((row) => ({
      serverId: row.server_id,
      serverName: row.server_name,
      ...toPackage(row),
    }));
  });

const sha256 = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

const keyOf = (system: string, { name, version, source, sourceVersion }: InstalledPackage): string =>
  sha256([system, name, version, source, sourceVersion]);
