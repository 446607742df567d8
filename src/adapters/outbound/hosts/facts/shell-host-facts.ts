import type { Randomness } from '../../../../application/ports/base/randomness.ts';
import type { GatherOptions, HostFacts } from '../../../../application/ports/fleet/host-facts.ts';
import type { HostQuestion } from '../../../../application/ports/fleet/host-question.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { MINUTE } from '../../../../domain/base/instant.ts';
import {
  type FailedUnit,
  type Inventory,
  MAX_FAILED_UNITS,
  osFamilyOf,
  type PackageFacts,
} from '../../../../domain/fleet/inventory.ts';
import { PACKAGE_LISTING, readPackageListing } from '../packages/package-listing.ts';
import { REBOOT_SIGNS, readRebootState } from '../packages/reboot.ts';
import { firstLines } from '../shell/host-lines.ts';
import { askHost, plainText } from '../shell/host-text.ts';
import { readSections, SECTIONS_PRELUDE, type Sections } from '../shell/marked-sections.ts';
import { ACTIVITY, readActivity } from './activity.ts';
import { CONTAINERS, readContainers } from './containers.ts';
import { DISKS, readDisks } from './disks.ts';
import { type FoundMachine, MACHINE, readMachine } from './machine.ts';

export const OS_RELEASE = String.raw`
os_release() { section_here os-release release_lines; }
release_lines() {
  release=/etc/os-release count=0
  [ -r "$release" ] || release=/usr/lib/os-release
  while [ "$count" -lt 200 ] && { IFS= read -r line || [ -n "$line" ]; }; do
    printf '%s\n' "$line"
    count=$((count + 1))
  done <"$release"
}
`;

export interface OsRelease {
  readonly id: string | null;
  readonly idLike: string | null;
  readonly version: string | null;
  readonly pretty: string | null;
}

/** Shell-like assignments, see os-release(5). A rolling distribution has no version. */
export function readOsRelease(sections: Sections): OsRelease {
  const fields = new Map<string, string>();
  for (const line of firstLines(sections.get('os-release')?.text ?? '', 200)) {
    const [, key, value] = /^([A-Z_]{1,40})=(.{0,1000})$/.exec(line.trim()) ?? [];
    if (key !== undefined && value !== undefined) fields.set(key, unquoted(value));
  }
  return {
    id: plainText(fields.get('ID'), 60),
    idLike: plainText(fields.get('ID_LIKE'), 200),
    version: plainText(fields.get('VERSION_ID') ?? fields.get('BUILD_ID'), 60),
    pretty: plainText(fields.get('PRETTY_NAME') ?? fields.get('NAME'), 120),
  };
}

function unquoted(value: string): string {
  const quote = value[0];
  if (value.length < 2 || (quote !== '"' && quote !== "'") || !value.endsWith(quote)) return value;
  const inner = value.slice(1, -1);
  return quote === '"' ? inner.replace(/\\(["$`\\])/g, '$1') : inner;
}

export const FAILED_UNITS = String.raw`
failed_units() {
  [ -d /run/systemd/system ] && has systemctl || return
  section failed-units 100000 limit 10 systemctl --failed --plain --no-legend --no-pager --full
}
`;

const BULLETS = new Set(['●', '*']);
/** systemd.unit(5): valid unit names, and the types that can fail. */
const UNIT_NAME =
  /^[\w:.\\@-]{1,245}\.(?:service|socket|mount|automount|swap|timer|path|scope|slice|target|device)$/;

export function readFailedUnits(sections: Sections): readonly FailedUnit[] | null {
  const section = sections.get('failed-units');
  if (!section || section.exitCode !== 0) return null;
  const units = Array.from(firstLines(section.text, 2 * MAX_FAILED_UNITS)).flatMap((line) => {
    const unit = unitOf(line);
    return unit === null ? [] : [unit];
  });
  return units.slice(0, MAX_FAILED_UNITS);
}

/** Of `nginx.service loaded failed failed A high performance web server`; older systemd puts a bullet before it. */
function unitOf(line: string): FailedUnit | null {
  const words = line.split(/\s+/).filter((word) => word !== '' && !BULLETS.has(word));
  const [name = '', , active, , ...description] = words;
  if (active !== 'failed') return null;
  return UNIT_NAME.test(name)
    ? { name, description: plainText(description.join(' ')) ?? '' }
    : { name: 'unknown unit', description: 'The host reports a name that no unit of systemd can have.' };
}

/**
 * POSIX sh; what a host lacks is omitted. Required parts come before slow or long ones. An engine measures for seconds:
 * meanwhile the script goes on, and what was measured waits in the pipe.
 */
const SCRIPT = `${SECTIONS_PRELUDE}${MACHINE}${ACTIVITY}${OS_RELEASE}${DISKS}${FAILED_UNITS}${CONTAINERS}${REBOOT_SIGNS}${PACKAGE_LISTING}
facts() {
  machine
  [ "$system" = Linux ] || return 0
  os_release
  disks
  activity
  containers
  container_usage 3>&1 | {
    failed_units
    section_here reboot reboot_signs
    package_listing "$1" "$2"
    cat
  }
}
at_once facts "$2" "$3"
exit 0
`;

/** More than the sections can print together. */
const MAX_OUTPUT_BYTES = 12 * 1024 * 1024;
/** More than its slowest commands can take together. */
const TIMEOUT_MS = 4 * MINUTE;

/** Reads a host with one constant script, as root if the server allows it: only root sees all containers. */
export class ShellHostFacts implements HostFacts {
  readonly #randomness: Randomness;

  constructor({ randomness }: { randomness: Randomness }) {
    this.#randomness = randomness;
  }

  gather(host: RemoteHost, { signal, ...options }: GatherOptions): Promise<Omit<Inventory, 'at'>> {
    return askHost(host, this.question(options), signal);
  }

  question(options: Omit<GatherOptions, 'signal'>): HostQuestion<Omit<Inventory, 'at'>> {
    const { former = null, checkFollows = false } = options;
    const mark = Buffer.from(this.#randomness.bytes(16)).toString('hex');
    return {
      script: SCRIPT,
      args: [mark, former?.packagesStamp ?? '', checkFollows ? 'check-follows' : ''],
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      read: ({ stdout, stderr }) => {
        const sections = readSections(stdout, mark);
        if (sections.size === 0) throw unsupported(stderr || stdout);
        return readInventory(sections, former);
      },
    };
  }
}

/** Throws `host_unsupported` if facts that every Linux host has are missing. */
export function readInventory(sections: Sections, former: PackageFacts | null = null): Omit<Inventory, 'at'> {
  const { hardware, cpuModel, bootId, ...needed } = readMachine(sections);
  if (needed.osType === null) throw unsupported(sections.get('system')?.text ?? '');
  const disks = readDisks(sections);
  const root = disks.find(({ mount }) => mount === '/');
  const { diskTotalBytes, diskUsedBytes, ...machine } = complete({
    ...needed,
    diskTotalBytes: root?.totalBytes ?? null,
    diskUsedBytes: root?.usedBytes ?? null,
  });
  const os = readOsRelease(sections);
  const { family, ...packages } = readPackageListing(sections, former);
  return {
    ...machine,
    hardware,
    cpuModel,
    bootId,
    activity: readActivity(sections, bootId),
    osId: os.id,
    osFamily: osFamilyOf(os.id, os.idLike) ?? family,
    osVersion: os.version,
    osPretty: os.pretty,
    diskTotalBytes,
    diskUsedBytes,
    disks,
    ...packages,
    rebootPending: readRebootState(sections).pending,
    ...readContainers(sections),
    failedUnits: readFailedUnits(sections),
  };
}

type Complete<Facts> = { readonly [Fact in keyof Facts]: NonNullable<Facts[Fact]> };

function complete<Facts extends Partial<FoundMachine>>(facts: Facts): Complete<Facts> {
  const missing = Object.entries(facts).filter(([, value]) => value === null);
  if (missing.length === 0) return facts as Complete<Facts>;
  const names = missing.map(([name]) => name).join(', ');
  throw new DomainError(
    'host_unsupported',
    `The host does not report what every Linux host reports (${names}): /proc, df and uname must work for the user that logs in.`,
  );
}

function unsupported(said: string): DomainError {
  const words = plainText(said, 120) ?? 'nothing';
  return new DomainError(
    'host_unsupported',
    `The host did not answer as a Linux host with a POSIX shell does (it said: ${words}). Only Linux hosts are supported.`,
  );
}
