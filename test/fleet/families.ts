import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ensureFamilyLayers } from '../../scripts/lib/family-layers.mjs';
import { ARCH } from './families/arch.ts';
import { FEDORA, SUSE } from './families/rpm.ts';
import type { FleetHost } from './host.ts';
import { findHostProcess } from './power.ts';

export type FamilyName = 'fedora' | 'suse' | 'arch';

/** How one family's host is arranged; all are bash scripts that run on it as root. */
export interface FamilyKit {
  /** The content of /etc/os-release. */
  readonly osRelease: string;
  /**
   * Makes two editions of a repository. v1: demo-app, demo-lib, demo-kernel, demo-old, demo-more, demo-broken at 1.0-1. v2
   * adds demo-app 2.0-1, demo-more 2.0-1 which needs demo-new, demo-broken 1.1-1 whose script fails, and as security
   * updates demo-lib 1.0-2 and demo-kernel 1.1-1. Then sets the package manager up to use it.
   */
  readonly build: string;
  /** Offers the edition "$1". */
  readonly publish: string;
  /** Installs "$@" at 1.0-1. */
  readonly install: string;
  /** Takes the sources as they are set up, in a form for `restoreSources`. */
  readonly saveSources: string;
  readonly restoreSources: string;
  /** One more source of the name "$1" at the address "$2". */
  readonly addSource: string;
  /** No source answers. */
  readonly killSources: string;
  /** Keeps "$1" at its version; `release` lets all go. */
  readonly hold: string;
  readonly release: string;
  /** Makes "$1" a package that came in for another. */
  readonly markUnneeded: string;
  readonly installed: string;
  /** The version of "$1". */
  readonly version: string;
  /** Holds the lock for a minute, prints the pid of who does. */
  readonly lock: string;
  /** After the pid "$1" was ended. */
  readonly unlock: string;
  /** Whether it runs. */
  readonly isRunning: string;
}

export const FAMILY_KITS: Readonly<Record<FamilyName, FamilyKit>> = {
  fedora: FEDORA,
  suse: SUSE,
  arch: ARCH,
};

/** Makes a Debian host one of another family: its package manager in, dpkg's database away, its os-release. */
export async function becomeFamily(host: FleetHost, family: FamilyName): Promise<void> {
  const kit = FAMILY_KITS[family];
  await unpack(host, join(await ensureFamilyLayers(), `${family}.tar`));
  await host.exec(
    'rm -rf /var/lib/dpkg /etc/apt && rm -f /etc/os-release && cat >/etc/os-release <<<"$1" && ln -sf /proc/self/mounts /etc/mtab',
    [kit.osRelease],
  );
  await host.exec(kit.build);
}

/** Unpacks a layer over a host's root; by a stream, since the archives are too large to be held in memory by each test. */
export async function unpack(host: FleetHost, archive: string): Promise<void> {
  const found = await findHostProcess(host.record);
  if (!found) throw new Error(`host ${host.name} is off`);
  const enter = ['-t', String(found.pid), '--mount', '--root', '--wd', '--'];
  // tar stops reading at the end of the archive, which its padding comes after.
  const script = 'tar -C / -x --keep-directory-symlink --no-same-owner; code=$?; cat >/dev/null; exit $code';
  const child = spawn('nsenter', [...enter, 'bash', '-c', script], { stdio: ['pipe', 'ignore', 'pipe'] });
  const faults = text(child.stderr);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  // A program that ends early breaks the pipe: the reason is in its own words.
  const sent = pipeline(createReadStream(archive), child.stdin).catch(String);
  const [code, unsent] = await Promise.all([ended, sent]);
  if (code === 0 && unsent === undefined) return;
  throw new Error(
    `on ${host.name}: ${await faults}\ntar of ${archive} ended with ${code}; ${unsent ?? 'all was sent'}`,
  );
}
