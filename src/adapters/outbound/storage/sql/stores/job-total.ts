import type { Knex } from 'knex';
import { SECOND } from '../../../../../domain/base/instant.ts';

/** So many are counted in a millisecond or less. */
const MANY = 10_000;
const GOOD_FOR_MS = 30 * SECOND;

interface CachedTotal {
  readonly jobs: number;
  readonly last: number;
  readonly until: number;
}

/**
 * How many jobs there are in all. InnoDB goes through an index for that, entry by entry: 7 ms of its processor time for
 * 100,000, and agents look at lists all the time. So a long history is counted once in half a minute, and what came since each
 * time. Only jobs that were forgotten meanwhile are still counted, for as long.
 */
export class JobTotal {
  readonly #knex: Knex;
  #counted: CachedTotal | null = null;
  #counting: Promise<CachedTotal> | null = null;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async read(): Promise<number> {
    const counted = this.#counted;
    if (counted && performance.now() < counted.until) {
      const row = await this.#knex('jobs').where('id', '>', counted.last).count({ jobs: '*' }).first();
      return counted.jobs + Number(row?.['jobs']);
    }
    // Those who ask meanwhile wait for the same.
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    return (await this.#counting).jobs;
  }

  async #count(): Promise<CachedTotal> {
    const row = await this.#knex('jobs').count({ jobs: '*' }).max({ last: 'id' }).first();
    const counted = {
      jobs: Number(row?.['jobs']),
      last: Number(row?.['last'] ?? 0),
      until: performance.now() + GOOD_FOR_MS,
    };
    this.#counted = counted.jobs >= MANY ? counted : null;
    return counted;
  }
}
