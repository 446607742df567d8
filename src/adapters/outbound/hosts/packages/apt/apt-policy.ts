import { MAX_UPDATES } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { plainText } from '../../shell/host-text.ts';

/** The output of `apt-cache policy` for a package: its versions above the installed one. */
export interface PackagePolicy {
  readonly installed: string | null;
  readonly candidate: string | null;
  /** Suites that have the candidate, such as `noble-updates/main, noble-security/main`. */
  readonly origin: string | null;
  /** The candidate is being handed out to more and more hosts (Ubuntu). */
  readonly phased: boolean;
  /**
   * The candidate, or a version between it and the installed one, comes from a security suite. Going by the candidate
   * alone misses 10 of 61 security updates of a fresh Ubuntu 22.04, overtaken by later versions without the label.
   */
  readonly security: boolean;
}

const MAX_LINES = 200_000;
const MAX_SUITES = 10;

const NAME = /^(\S{1,200}):$/;
const FIELD = /^ {2}(Installed|Candidate): (\S{1,200})$/;
/** `     1.2-3 500 (phased 40%)`; the installed version has ` *** ` before it. */
const VERSION = /^ (\*\*\*|   ) (\S{1,200}) -?\d+(?: \((phased) \d+%\))?/;
/** `        500 http://de.example.org/debian bookworm-security/main amd64 Packages`. The address may hold a password. */
const SOURCE = /^ {8,}-?\d+ \S+ (\S{1,100}) \S+ Packages$/;

class Entry {
  installed: string | null = null;
  candidate: string | null = null;
  phased = false;
  security = false;
  readonly suites: string[] = [];
  /** The position in the table, which runs from the highest version down. */
  #place: 'above' | 'candidate' | 'between' | 'installed' = 'above';

  read(line: string): void {
    const [, field, value = ''] = FIELD.exec(line) ?? [];
    const [, marker, version, phased] = VERSION.exec(line) ?? [];
    const [, suite] = SOURCE.exec(line) ?? [];
    if (field === 'Installed') this.installed = value === '(none)' ? null : plainText(value);
    else if (field === 'Candidate') this.candidate = value === '(none)' ? null : plainText(value);
    else if (marker === '***') this.#place = 'installed';
    else if (version !== undefined) this.#readVersion(version, phased !== undefined);
    else if (suite !== undefined) this.#readSuite(suite);
  }

  #readVersion(version: string, phased: boolean): void {
    if (plainText(version) === this.candidate) {
      this.#place = 'candidate';
      this.phased = phased;
    } else if (this.#place === 'candidate') this.#place = 'between';
  }

  #readSuite(suite: string): void {
    if (this.#place === 'above' || this.#place === 'installed') return;
    if (isSecurity(suite)) this.security = true;
    const isNew = this.suites.length < MAX_SUITES && !this.suites.includes(suite);
    if (this.#place === 'candidate' && isNew) this.suites.push(suite);
  }

  toPolicy(): PackagePolicy {
    const { installed, candidate, phased, security } = this;
    return { installed, candidate, phased, security, origin: plainText(this.suites.join(', ')) };
  }
}

/** By name as `apt-cache` was asked for it. The version table runs from the highest version down. */
export function parseAptPolicy(text: string): ReadonlyMap<string, PackagePolicy> {
  const entries = new Map<string, Entry>();
  let entry: Entry | null = null;
  for (const line of firstLines(text, MAX_LINES)) {
    const name = NAME.exec(line)?.[1];
    if (name === undefined) {
      entry?.read(line);
    } else if (entries.size < 2 * MAX_UPDATES) {
      entry = new Entry();
      entries.set(name, entry);
    } else break;
  }
  return new Map([...entries].map(([name, each]) => [name, each.toPolicy()]));
}

/** By label or suite: `Debian-Security:12/stable-security`, `noble-security/main`, `UbuntuESM:22.04/jammy-infra-security`. */
export const isSecurity = (origin: string): boolean => /security/i.test(origin);
