import type { Knex } from 'knex';
import type { SealedSecret, SealedSecrets } from '../../../../../application/ports/service/sealed-secrets.ts';
import { SqlStore } from '../database.ts';
import { SEALED_COLUMNS, type SealedColumn } from '../sealed-columns.ts';

const PAGE = 100;
/** `v1.keyid.…`, as `SecretBox` writes it. */
const FORM = /^v1\.([\w-]{8})\./;
const KEY_ID_AT = 4;
const KEY_ID_LENGTH = 8;

interface Row {
  readonly row: string | number;
  readonly text: string;
}

/** Reads the columns of `SEALED_COLUMNS` row by row; the rows themselves show the remaining work. */
export class SqlSealedSecrets extends SqlStore implements SealedSecrets {
  async counts(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const count = (id: string, secrets: number): void => void counts.set(id, (counts.get(id) ?? 0) + secrets);
    for (const column of SEALED_COLUMNS) {
      if (column.member === undefined) {
        for (const { key_id, secrets } of await this.#countsOf(column)) count(key_id, secrets);
        continue;
      }
      for await (const rows of this.#pages(column, null)) {
        for (const { text } of rows) {
          const id = FORM.exec(sealedIn(column, text) ?? '')?.[1];
          if (id !== undefined) count(id, 1);
        }
      }
    }
    return counts;
  }

  async *notUnder(keyId: string): AsyncGenerator<readonly SealedSecret[]> {
    for (const column of SEALED_COLUMNS) {
      for await (const rows of this.#pages(column, keyId)) {
        const found = rows.flatMap(({ row, text }) => {
          const sealed = sealedIn(column, text);
          const id = FORM.exec(sealed ?? '')?.[1];
          if (sealed === null || id === undefined || id === keyId) return [];
          return [{ place: { table: column.table, column: column.place, row }, sealed }];
        });
        yield found;
      }
    }
  }

  /** In one statement, with the text that was read: a concurrent change stays. */
  async replace({ place, sealed }: SealedSecret, again: string): Promise<boolean> {
    const found = SEALED_COLUMNS.find(
      ({ table, place: name }) => table === place.table && name === place.column,
    );
    if (found === undefined) return false;
    const { table, key, column } = found;
    const changed = await this.database.write((knex) =>
      knex(table)
        .where({ [key]: place.row })
        .whereRaw('INSTR(??, ?) > 0', [column, sealed])
        .update({ [column]: knex.raw('REPLACE(??, ?, ?)', [column, sealed, again]) }),
    );
    return changed > 0;
  }

  async #countsOf(column: SealedColumn): Promise<readonly { key_id: string; secrets: number }[]> {
    const { knex } = this.database;
    const key_id = knex.raw('SUBSTR(??, ?, ?)', [column.column, KEY_ID_AT, KEY_ID_LENGTH]);
    return this.#rowsOf(column).groupBy('key_id').select({ key_id }).count({ secrets: '*' });
  }

  async *#pages(column: SealedColumn, except: string | null): AsyncGenerator<readonly Row[]> {
    let after: string | number | null = null;
    for (;;) {
      const query = this.#rowsOf(column);
      if (except !== null && column.member === undefined) {
        query.whereRaw('SUBSTR(??, ?, ?) <> ?', [column.column, KEY_ID_AT, KEY_ID_LENGTH, except]);
      }
      if (after !== null) query.where(column.key, '>', after);
      const rows = (await query
        .select({ row: column.key, text: column.column })
        .orderBy(column.key)
        .limit(PAGE)) as Row[];
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = last.row;
    }
  }

  #rowsOf({ table, column, member, rows }: SealedColumn): Knex.QueryBuilder {
    const query = this.database.knex(table);
    query.whereRaw(member === undefined ? '?? LIKE ?' : 'INSTR(??, ?) > 0', [
      column,
      member === undefined ? 'v1.%' : `"${member}":"v1.`,
    ]);
    return rows ? rows(query) : query;
  }
}

/** The secret in a column's text; `null` if there is none. */
function sealedIn({ member }: SealedColumn, text: string): string | null {
  if (member === undefined) return text;
  try {
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[member];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
