import { MAX_UPDATES } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { plainText } from '../../shell/host-text.ts';

export interface PlannedChange {
  /** With the architecture after a colon if it differs from the host's, as in `libc6:i386`. */
  readonly name: string;
  readonly from: string | null;
  readonly to: string;
  /** Labels and suites that have that version, such as `Debian-Security:12/stable-security`. */
  readonly origin: string | null;
}

/** The output of `apt-get --simulate dist-upgrade`. */
export interface AptPlan {
  readonly changes: readonly PlannedChange[];
  readonly removed: readonly string[];
  readonly keptBack: readonly string[];
  /** Ubuntu's phased updates whose turn has not come on this host. */
  readonly deferred: readonly string[];
  /** Lines with `E:`, without it. */
  readonly errors: readonly string[];
}

const MAX_LINES = 60_000;
const MAX_ERRORS = 20;

/** `Inst NAME [FROM] (TO ORIGIN, ORIGIN [ARCH])` and irrelevant words; a new package has no `[FROM]`. */
const CHANGE = /^Inst (\S{1,200})(?: \[(\S{1,200})\])? \((\S{1,200})(?: (.{1,600}))? \[\S{1,40}\]\)/;
const REMOVAL = /^Remv (\S{1,200})/;
const LISTS = [
  { heading: 'The following packages have been kept back:', list: 'keptBack' },
  { heading: 'The following upgrades have been deferred due to phasing:', list: 'deferred' },
] as const;

/** Formats of apt 2.2 to 3.0 (Debian 11 to 13, Ubuntu 22.04 and 24.04), with `LC_ALL=C`. */
export function parseAptPlan(text: string): AptPlan {
  const plan = {
    changes: [] as PlannedChange[],
    removed: [] as string[],
    keptBack: [] as string[],
    deferred: [] as string[],
    errors: [] as string[],
  };
  let list: 'keptBack' | 'deferred' | null = null;
  for (const line of firstLines(text, MAX_LINES)) {
    if (line.startsWith('  ')) {
      if (list !== null) add(plan[list], ...line.trim().split(/\s+/));
      continue;
    }
    list = LISTS.find(({ heading }) => line.startsWith(heading))?.list ?? null;
    const change = CHANGE.exec(line);
    const removal = REMOVAL.exec(line);
    if (change) add(plan.changes, ...changesOf(change));
    else if (removal) add(plan.removed, removal[1] ?? '');
    else if (line.startsWith('E: ') && plan.errors.length < MAX_ERRORS) {
      plan.errors.push(plainText(line.slice(3), 500) ?? '');
    }
  }
  return plan;
}

/** None for a name or a version in which nothing is readable. */
function changesOf(found: RegExpExecArray): readonly PlannedChange[] {
  const [name, from, to, origin] = found.slice(1).map((text) => plainText(text));
  if (!name || !to) return [];
  return [{ name, from: from ?? null, to, origin: origin ?? null }];
}

function add<T>(list: T[], ...items: readonly T[]): void {
  for (const item of items) if (list.length < MAX_UPDATES) list.push(item);
}
