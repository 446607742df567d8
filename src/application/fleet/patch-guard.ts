import { type BackupSource, coversPath } from '../../domain/backups/backup-source.ts';
import { snapshotLabel } from '../../domain/backups/snapshot.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { checkText, type PlainCheck, parseCheck } from '../../domain/compose/update-check.ts';
import { describeWorsening, type Worsening, worsenings } from '../../domain/fleet/host-health.ts';
import type { OsFamily } from '../../domain/fleet/inventory.ts';
import { describeChange, type PackageChange } from '../../domain/fleet/package-change.ts';
import { DEFAULT_OBSERVE_MINUTES } from '../../domain/jobs/job.ts';
import type { TakeSnapshots } from '../backups/take-snapshots.ts';
import { UseCase } from '../base/use-case.ts';
import { isWorkMarker } from '../jobs/detached-work.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { GuardReport, PatchGuardOrder } from '../ports/fleet/package-manager.ts';

/** Where the package managers record what is installed. */
const PACKAGE_DATABASES: Readonly<Record<OsFamily, readonly string[]>> = {
  debian: ['/var/lib/dpkg', '/var/lib/apt/extended_states'],
  fedora: ['/var/lib/rpm', '/usr/lib/sysimage/rpm', '/var/lib/dnf'],
  suse: ['/var/lib/rpm', '/usr/lib/sysimage/rpm', '/var/lib/zypp'],
  arch: ['/var/lib/pacman/local'],
  alpine: ['/lib/apk/db', '/usr/lib/apk/db'],
};

/** How many of the packages and problems the failure names. */
const MAX_NAMED = 5;

/** A package update that saves its server's configuration first and compares the server afterwards. */
interface GuardedPatch {
  readonly places: readonly string[];
  readonly checks: readonly PlainCheck[];
  readonly observeMinutes: number;
  /** Backed up before. */
  readonly sources: readonly BackupSource[];
}

/** What a package update with `guard` does around its work, and what its result says of it. */
export class PatchGuard extends UseCase<
  'places' | 'sources.ofServer',
  { readonly takeSnapshots: Pick<TakeSnapshots, 'hooksOf' | 'execute'> }
> {
  /** `null` for an update without `guard`. */
  async of({ job, server }: JobContext, family: OsFamily): Promise<GuardedPatch | null> {
    const { guard, observeMinutes = DEFAULT_OBSERVE_MINUTES } = job.params;
    if (guard !== true) return null;
    const places = ['/etc', ...PACKAGE_DATABASES[family]];
    const sources = server.features.backup ? await this.deps.sources.ofServer(server.id) : [];
    return {
      places,
      checks: server.updateChecks.flatMap((each) => parseCheck(each) ?? []),
      observeMinutes,
      sources: sources.filter((source) => places.some((place) => coversPath(source, place))),
    };
  }

  /** Services that hooks of an earlier worker stopped are started again. */
  async resume(context: JobContext): Promise<void> {
    const { marker } = context.detached;
    if (marker !== null && !isWorkMarker(marker)) await this.deps.takeSnapshots.hooksOf(context).resume();
  }

  /** The sources first, since they may take long. Throws as `TakeSnapshots.execute`. */
  async prepare(context: JobContext, guarded: GuardedPatch): Promise<PatchGuardOrder> {
    const { places, checks, observeMinutes, sources } = guarded;
    if (sources.length > 0) {
      const { takeSnapshots } = this.deps;
      const taken = await takeSnapshots.execute(context, sources, takeSnapshots.hooksOf(context));
      for (const each of taken) context.log(`Backed up ${snapshotLabel(each)}.`);
    }
    const host = await context.openHost();
    const { signal } = context;
    // The keys of Drover are never copied.
    const { leftOut } = await this.deps.places.survey(host, places, { signal, toRead: true });
    const without = leftOut.filter(({ contentsOnly }) => !contentsOnly).map(({ path }) => path);
    return { places, without, checks, observeSeconds: observeMinutes * 60 };
  }
}

/** For a dry run. */
export const guardPlan = ({ places, checks, observeMinutes, sources }: GuardedPatch): object => ({
  saves: places,
  backups: sources.map(({ name }) => name),
  checks: checks.map(checkText),
  observe_minutes: observeMinutes,
});

interface GuardResult {
  readonly saved: GuardReport['saved'];
  readonly backups: readonly string[];
  readonly observe_minutes: number;
  readonly checks: readonly string[];
  /** Checks that failed before already. */
  readonly failed_before: readonly string[];
  readonly worse: readonly Worsening[];
}

interface GuardFindings {
  readonly worse: readonly Worsening[];
  /** For the job's result. */
  readonly result: { readonly guard?: GuardResult };
}

/** Nothing of an update that was not guarded, or changed nothing. */
export function guardFindings(guarded: GuardedPatch | null, report: GuardReport | null): GuardFindings {
  if (guarded === null || report === null) return { worse: [], result: {} };
  const checks = guarded.checks.map(checkText);
  const worse = worsenings(report.before, report.after, checks);
  return {
    worse,
    result: {
      guard: {
        saved: report.saved,
        backups: guarded.sources.map(({ name }) => name),
        observe_minutes: guarded.observeMinutes,
        checks,
        failed_before: checks.filter((_, at) => (report.before.checks[at] ?? null) !== null),
        worse,
      },
    },
  };
}

export const worseText = (worse: readonly Worsening[]): string => firstOf(worse.map(describeWorsening), '; ');

/** The update counts as failed if anything is worse than before. */
export function unhealthy(
  { worse, result }: GuardFindings,
  changes: readonly PackageChange[],
): DomainError | null {
  if (worse.length === 0) return null;
  return new DomainError(
    'patch_unhealthy',
    `The packages were updated, but the server is worse than before: ${worseText(worse)}. Changed: ${firstOf(changes.map(describeChange), ', ')}. The previous configuration is in ${result.guard?.saved.path ?? 'the copy'} on the server.`,
  );
}

const firstOf = (words: readonly string[], separator: string): string =>
  words.slice(0, MAX_NAMED).join(separator) +
  (words.length > MAX_NAMED ? `${separator}and ${words.length - MAX_NAMED} more` : '');
