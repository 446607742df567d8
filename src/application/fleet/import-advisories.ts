import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Advisory, readAdvisory } from '../../domain/fleet/vulnerability.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { AuditLog } from '../ports/events/audit-log.ts';
import type { VulnerabilityStore } from '../ports/fleet/vulnerability-store.ts';

/** Rows of all advisories together: all releases of one distribution have some 500,000. */
const MAX_ROWS = 3_000_000;
/** Advisories in one transaction. */
const AT_ONCE = 100;

interface Deps {
  readonly vulnerabilities: VulnerabilityStore;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
}

export interface ImportedAdvisories {
  readonly advisories: number;
  /** Of known systems. */
  readonly vulnerabilities: number;
}

/** Imports security data of distributions in the format of OSV. */
export class ImportAdvisories {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * One JSON record, a list of them, or one on each line; for administrators. An advisory replaces what was imported of it
   * before. Throws `invalid_input`; the records before the faulty one are kept.
   */
  async execute(actor: Actor, text: string): Promise<ImportedAdvisories> {
    actor.requireRole('administrator');
    let rows = await this.#deps.vulnerabilities.count();
    let advisories = 0;
    let vulnerabilities = 0;
    let waiting: Advisory[] = [];
    for (const [record, place] of recordsOf(text)) {
      const advisory = readAdvisory(record, place);
      rows += advisory.vulnerabilities.length;
      if (rows > MAX_ROWS)
        throw new InvalidInput([{ path: place, message: `There are more than ${MAX_ROWS} entries.` }]);
      advisories += 1;
      vulnerabilities += advisory.vulnerabilities.length;
      waiting.push(advisory);
      if (waiting.length < AT_ONCE) continue;
      await this.#deps.vulnerabilities.replace(waiting);
      waiting = [];
    }
    await this.#deps.vulnerabilities.replace(waiting);
    const found = { advisories, vulnerabilities };
    await this.#deps.audit.record(
      auditEntry(actor, this.#deps.clock.now(), 'advisories.import', 'advisories:all', found),
    );
    return found;
  }
}

function* recordsOf(text: string): Generator<readonly [record: unknown, place: string]> {
  const start = text.trimStart();
  if (start.startsWith('[') || !start.includes('\n{')) {
    const json = parsed(start, '/file');
    const records: readonly unknown[] = Array.isArray(json) ? json : [json];
    for (const [index, record] of records.entries()) yield [record, `/${index}`];
    return;
  }
  let line = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const until = end < 0 ? text.length : end;
    line += 1;
    const json = text.slice(from, until).trim();
    from = until + 1;
    if (json !== '') yield [parsed(json, `/line ${line}`), `/line ${line}`];
  }
}

function parsed(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new InvalidInput([{ path, message: 'This is not valid JSON.' }]);
  }
}
