import { createHash } from 'node:crypto';
import type { PatchGuardOrder, PatchWork } from '../../../../../application/ports/fleet/package-manager.ts';
import { SECOND } from '../../../../../domain/base/instant.ts';
import { changeLine, type PackageChange, sortChanges } from '../../../../../domain/fleet/package-change.ts';
import type { OsStep } from '../../../../../domain/jobs/job.ts';
import type { Amount, StepReader } from '../../../../../domain/jobs/phases.ts';
import { guardArgs } from './guard.ts';

/** The steps that the frame announces. */
const STEP =
  /^(Refreshing the package lists|Downgrading packages|Copying the configuration and the package database|Upgrading packages|Removing packages that are no longer needed|Observing the server)(?: for \d+ s)?\.$/;

/** apt-get announces numbers; its lines come one a package. */
const APT_TOTAL = /^(\d+) upgraded, (\d+) newly installed, (\d+) to remove and \d+ not upgraded\.$/;
/** pacman without its progress bar. */
const PACMAN_TOTAL = /^Packages \((\d+)\)/;
const DONE = /^(?:Setting up|Removing) \S+ \(|^(?:upgrading|installing|reinstalling|removing) \S+\.\.\.$/;

const VERB = '(?:Upgrad|Updat|Install|Reinstall|Remov|Purg|Downgrad|Replac)[a-z]*';
/** `(3/10) Upgrading …` of apk and zypper, `[ 3/10] Upgrading …` of dnf5. */
const NUMBER_FIRST = new RegExp(String.raw`^[([] *(\d+)/(\d+)[)\]] ${VERB}\b`);
/** `  Upgrading : demo-1.1  3/10` of dnf and yum. */
const NUMBER_LAST = new RegExp(String.raw`^ +${VERB} *: .* (\d+)/(\d+) *$`);

/** Reads which step of an upgrade runs, and how many packages of it are done, from what package managers print. */
export function patchSteps(): StepReader {
  let name: string | null = null;
  let total = 0;
  let done = 0;
  const amount = (): Amount => ({ done: Math.min(done, total), total, unit: 'packages' });
  return (line) => {
    const step = STEP.exec(line)?.[1];
    if (step !== undefined) {
      [name, total, done] = [step, 0, 0];
      return { name };
    }
    if (name === null) return null;
    const announced = APT_TOTAL.exec(line) ?? PACMAN_TOTAL.exec(line);
    const counted = NUMBER_FIRST.exec(line) ?? NUMBER_LAST.exec(line);
    if (announced) {
      [total, done] = [announced.slice(1).reduce((sum, each) => sum + Number(each), 0), 0];
    } else if (counted) {
      [done, total] = [Number(counted[1]), Number(counted[2])];
    } else if (total > 0 && DONE.test(line)) {
      done += 1;
    } else return null;
    return total === 0 ? null : { name, amount: amount() };
  };
}

/** The work by which a script with `PATCH_FRAME` takes the steps, or does a plan. */
export const patchOrder = (
  script: string,
  order: {
    readonly steps: readonly OsStep[];
    readonly plan: readonly PackageChange[] | null;
    readonly hold?: readonly string[];
    readonly guard?: PatchGuardOrder | undefined;
    readonly lockWaitMs: number;
  },
): PatchWork => ({
  script,
  args: [
    order.steps.join(' '),
    lockSeconds(order),
    digestOf(order.plan),
    holdArgument(order.hold),
    ...guardArgs(order.guard),
  ],
  steps: patchSteps(),
});

/** The work that ends what a guarded run has left, and reports it. */
export const recoveryOrder = (
  script: string,
  order: { readonly runId: string; readonly lockWaitMs: number },
): PatchWork => ({ script, args: ['recover', lockSeconds(order), '-', '', order.runId] });

const lockSeconds = ({ lockWaitMs }: { readonly lockWaitMs: number }): string =>
  String(Math.ceil(lockWaitMs / SECOND));

/** Names separated by blanks. Other text than a name of a package would be a fault of the host, and is left out. */
export const holdArgument = (names: readonly string[] = []): string =>
  names.filter((name) => /^[A-Za-z0-9@_][A-Za-z0-9@._+:~-]{0,199}$/.test(name)).join(' ');

/** As `sha256sum` on the host computes it; "-" means no plan. */
function digestOf(plan: readonly PackageChange[] | null): string {
  if (plan === null) return '-';
  const lines = sortChanges(plan).map((change) => `${changeLine(change)}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}
