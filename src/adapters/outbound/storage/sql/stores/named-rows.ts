import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { recordChange } from './record-change.ts';

interface NamedTable<Row, Item> {
  readonly table: string;
  readonly columns: readonly string[];
  readonly read: (row: Row) => Item;
  /** For one that does not exist; `which`: such as `with id 3`. */
  readonly notFound: (which: string) => DomainError;
  /** The refusal of a name that another one has. */
  readonly taken: (name: string) => string;
}

/** Few rows that users name, no two alike. */
export class NamedRows<Row, Item> {
  readonly #of: NamedTable<Row, Item>;

  constructor(of: NamedTable<Row, Item>) {
    this.#of = of;
  }

  async find(knex: Knex, which: { readonly id: number } | { readonly name: string }): Promise<Item | null> {
    const { table, columns, read } = this.#of;
    const row = (await knex(table).where(which).first<unknown>(columns)) as Row | undefined;
    return row === undefined ? null : read(row);
  }

  /** All, by name. */
  async list(knex: Knex): Promise<readonly Item[]> {
    const { table, columns, read } = this.#of;
    const rows: Row[] = await knex(table).select(columns).orderBy('name');
    return rows.map((row) => read(row));
  }

  /** The id of a new row. Throws `name_taken`. */
  async insert(trx: Knex, name: string, row: object): Promise<number> {
    const [id] = await this.refusing(trx(this.#of.table).insert(row), name);
    return Number(id);
  }

  /** The result of a query that gives a row this name. Throws `name_taken`. */
  async refusing<T>(query: PromiseLike<T>, name: string): Promise<T> {
    try {
      return await query;
    } catch (error) {
      if (!isUniqueViolation(error, this.#of.table, ['name'])) throw error;
      throw new DomainError('name_taken', this.#of.taken(name));
    }
  }

  /** Records a change, after which the row is as it is returned. Throws if it does not exist. */
  async left(trx: Knex, id: number, record: (item: Item) => ChangeRecord): Promise<Item> {
    const item = await this.find(trx, { id });
    if (item === null) throw this.missing(id);
    await recordChange(trx, record(item));
    return item;
  }

  /** Throws if it does not exist. */
  async remove(trx: Knex, id: number, record: ChangeRecord): Promise<void> {
    if ((await trx(this.#of.table).where({ id }).delete()) === 0) throw this.missing(id);
    await recordChange(trx, record);
  }

  missing(id: number): DomainError {
    return this.#of.notFound(`with id ${id}`);
  }
}
