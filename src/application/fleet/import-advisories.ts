import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { ALPINE_SECDB } from '../../domain/fleet/feeds/alpine-secdb.ts';
import { DEBIAN_TRACKER } from '../../domain/fleet/feeds/debian-tracker.ts';
import { readAdvisory } from '../../domain/fleet/feeds/osv.ts';
import { isObject, type SecurityFeed } from '../../domain/fleet/feeds/security-feed.ts';
import { UBUNTU_NOTICES } from '../../domain/fleet/feeds/ubuntu-notices.ts';
import type { Advisory } from '../../domain/fleet/vulnerability.ts';
import { UseCase } from '../base/use-case.ts';

/** Rows of all advisories together: all releases of one distribution have some 500,000. */
const MAX_ROWS = 3_000_000;
const FEEDS: readonly SecurityFeed[] = [DEBIAN_TRACKER, UBUNTU_NOTICES, ALPINE_SECDB];
/** Advisories in one transaction. */
const AT_ONCE = 100;

export interface ImportedAdvisories {
  readonly advisories: number;
  /** Of known systems. */
  readonly vulnerabilities: number;
}

/** Imports security data of distributions: OSV, and what they publish themselves. */
export class ImportAdvisories extends UseCase<'vulnerabilities' | 'clock' | 'audit.record'> {
  /**
   * For administrators. An advisory replaces what was imported of it before. Throws `invalid_input`; the advisories before
   * the faulty one are kept.
   */
  async execute(actor: Actor, text: string): Promise<ImportedAdvisories> {
    actor.requireRole('administrator');
    let rows = await this.deps.vulnerabilities.count();
    let advisories = 0;
    let vulnerabilities = 0;
    let waiting: Advisory[] = [];
    for (const [advisory, place] of advisoriesOf(text)) {
      rows += advisory.vulnerabilities.length;
      if (rows > MAX_ROWS)
        throw new InvalidInput([{ path: place, message: `There are more than ${MAX_ROWS} entries.` }]);
      advisories += 1;
      vulnerabilities += advisory.vulnerabilities.length;
      waiting.push(advisory);
      if (waiting.length < AT_ONCE) continue;
      await this.deps.vulnerabilities.replace(waiting);
      waiting = [];
    }
    await this.deps.vulnerabilities.replace(waiting);
    const found = { advisories, vulnerabilities };
    await this.deps.audit.record(
      auditEntry(actor, this.deps.clock.now(), 'advisories.import', 'advisories:all', found),
    );
    return found;
  }
}

/** One record of OSV, a list of them, one on each line, or the feed of a distribution. */
function* advisoriesOf(text: string): Generator<readonly [advisory: Advisory, place: string]> {
  const start = text.trimStart();
  if (!hasRecordOnEachLine(start)) {
    const json = parsed(start, '/file');
    const feed = isObject(json) ? FEEDS.find(({ reads }) => reads(json)) : undefined;
    if (feed && isObject(json)) {
      for (const advisory of feed.advisories(json)) yield [advisory, '/file'];
      return;
    }
    const records: readonly unknown[] = Array.isArray(json) ? json : [json];
    for (const [index, record] of records.entries()) yield [readAdvisory(record, `/${index}`), `/${index}`];
    return;
  }
  let line = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const until = end < 0 ? text.length : end;
    line += 1;
    const json = text.slice(from, until).trim();
    from = until + 1;
    const place = `/line ${line}`;
    if (json !== '') yield [readAdvisory(parsed(json, place), place), place];
  }
}

/** An object that is written on several lines may have one of these in the first column, too. */
function hasRecordOnEachLine(start: string): boolean {
  const end = start.indexOf('\n');
  return start.startsWith('{') && start.includes('\n{') && start.slice(0, end).trimEnd().endsWith('}');
}

function parsed(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new InvalidInput([{ path, message: 'This is not valid JSON.' }]);
  }
}
