import { MAX_UPDATES, type PackageFacts, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { plainText, wholeNumber } from '../../shell/host-text.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { type AptPlan, type PlannedChange, parseAptPlan } from './apt-plan.ts';
import { isSecurity, type PackagePolicy, parseAptPolicy } from './apt-policy.ts';
import { APT_STAMP, isSame, readAptStamp } from './apt-stamp.ts';

/**
 * `apt_know_architectures` sets `apt_native`, and `apt_architectures` to options by which apt knows the host's architectures.
 * Without them each program of apt's asks dpkg for them, and up to version 2.8 `apt-get update` starts five a source to verify
 * its signature: of the host's processor time that is a fifth. Where settings name architectures theirs hold.
 */
export const APT_ARCHITECTURES = String.raw`
apt_know_architectures() {
  apt_know_architectures() { :; }
  apt_native=$(dpkg --print-architecture) apt_architectures=
  [ -z "$APT_CONFIG" ] || return 0
  grep -qsiE '(^|[^a-z_-])architectures?([^a-z)]|$)|rootdir|#include' /etc/apt/apt.conf /etc/apt/apt.conf.d/* && return 0
  apt_architectures=" -o APT::Architectures::=$apt_native"
  [ -r /var/lib/dpkg/arch ] || return 0
  while read -r each; do
    case $each in '' | "$apt_native") ;; *) apt_architectures="$apt_architectures -o APT::Architectures::=$each" ;; esac
  done </var/lib/dpkg/arch
}
`;

/**
 * Prints what an upgrade would change with the current package lists; takes no lock. apt's programs may rewrite apt's
 * own binary cache of those lists (`/var/cache/apt/*.bin`), as every `apt list` does. The simulation takes about a
 * second with many pending updates, everything else together a third of that: holds come from dpkg, because `apt-mark
 * showhold` reads all lists for them. Policies are requested for all names at once and cut below the installed
 * version, which leaves about 200 bytes a package. A simulation would also write its plan, compressed, over that of
 * the host's last real upgrade (`eipp.log.xz`): this one does not, which keeps the host's log and saves a third of
 * the work. Uses the shell's own means if possible: each started program takes a millisecond or two.
 */
export const APT_LISTING = String.raw`${APT_STAMP}${APT_ARCHITECTURES}
apt_break='
'
# With what was found last at "$1": nothing more where all is as it was then.
apt_packages() { apt_unless_same "$1" apt_count_and_listing; }
apt_count_and_listing() {
  apt_read_states
  section_here packages-count apt_count
  set -- /var/lib/apt/lists/*Release
  [ -e "$1" ] && has apt-get && apt_listing
}
apt_read_states() {
  settle_limit
  apt_states=$(limit 20 dpkg-query -W -f '${'$'}{db:Status-Abbrev} ${'$'}{Package}:${'$'}{Architecture}\n')
}
apt_count() { printf '%s\n' "$apt_states" | grep -c '^.i'; }
apt_listing() {
  [ -n "$apt_states" ] || apt_read_states
  apt_know_architectures
  apt_plan=$(limit 60 apt-get -s -q $apt_architectures -o Debug::NoLocking=1 -o Dir::Log::Planner= \
    -o APT::Get::Show-User-Simulation-Note=false dist-upgrade 2>&1)
  apt_code=$?
  apt_holds=
  case "$apt_break$apt_states" in
    *"$apt_break"h*) apt_holds=$(printf '%s\n' "$apt_states" | sed -n -e "s/:all\$//; s/:$apt_native\$//" -e 's/^h.. *//p') ;;
  esac
  case "$apt_break$apt_states" in
    *"$apt_break"?[HUFWt]*) section_here apt-unfinished apt_unfinished ;;
  esac
  section_kept apt-plan 2000000 "$apt_plan" "$apt_code"
  section_kept apt-holds 2000000 "$apt_holds" 0
  apt_names=$(apt_names_to_ask)
  apt_policies=
  [ -z "$apt_names" ] || apt_policies=$(apt_policy)
  section_kept apt-policy 2000000 "$apt_policies" 0
}
# Half-installed, unpacked, half-configured, with triggers that were not run: see dpkg-query(1).
apt_unfinished() { printf '%s\n' "$apt_states" | sed -n -e "s/:all\$//; s/:$apt_native\$//" -e 's/^.[HUFWt]. *//p'; }
# In the shell: a program for each of these would take longer than the work.
apt_names_to_ask() {
  printf '%s\n' "$apt_holds"
  apt_waits=
  set -f
  IFS=$apt_break
  for line in $apt_plan; do
    case $line in
      'Inst '*)
        line=${'$'}{line#Inst }
        printf '%s\n' "${'$'}{line%% *}"
        ;;
      '  '*) [ -z "$apt_waits" ] || printf '%s\n' "$line" ;;
      'The following packages have been kept back:' | 'The following upgrades have been deferred due to phasing:') apt_waits=1 ;;
      *) apt_waits= ;;
    esac
  done
}
apt_policy() {
  printf '%s\n' "$apt_names" | limit 60 xargs -r apt-cache $apt_architectures policy | sed '/^ \*\*\* /,/^[^ ]/{/^[^ ]/!d;}'
}
`;

/** The sections of `apt_packages`, with the previous result if it is still valid. */
export function readAptPackages(sections: Sections, former: PackageFacts | null): PackageFacts {
  // its stamp also covers what a check read from the lists
  const packageLists = former?.packageLists ?? null;
  if (former !== null && isSame(sections)) {
    const { packagesCount, updates, packagesStamp, packagesNotes } = former;
    return { packagesCount, updates, packagesStamp, packagesNotes, packageLists };
  }
  const listing = readAptListing(sections);
  return {
    packagesCount: wholeNumber(sections.get('packages-count')?.text.trim()),
    updates: listing?.updates ?? null,
    // failed computations are retried
    packagesStamp: listing && readAptStamp(sections),
    packagesNotes: listing?.notes ?? [],
    packageLists,
  };
}

/** The sections of `apt_listing`; `null` if apt could not compute a plan. */
export function readAptListing(sections: Sections): AptUpdates | null {
  const findings = readFindings(sections);
  return findings && findings.planned ? aptUpdates(findings) : null;
}

/** apt's own words on why there is no plan. */
export function aptPlanErrors(sections: Sections): readonly string[] {
  return parseAptPlan(sections.get('apt-plan')?.text ?? '').errors;
}

function readFindings(sections: Sections): (AptFindings & { planned: boolean }) | null {
  const plan = sections.get('apt-plan');
  if (!plan) return null;
  return {
    planned: plan.exitCode === 0,
    plan: parseAptPlan(plan.text),
    holds: new Set(firstWords(sections.get('apt-holds')?.text ?? '')),
    unfinished: firstWords(sections.get('apt-unfinished')?.text ?? ''),
    policies: parseAptPolicy(sections.get('apt-policy')?.text ?? ''),
  };
}

const firstWords = (text: string): string[] =>
  Array.from(firstLines(text, MAX_UPDATES), (line) => line.trim().slice(0, 200)).filter(
    (line) => line !== '',
  );

export interface AptFindings {
  readonly plan: AptPlan;
  /** Names on hold, as apt writes them: with the architecture if it differs from the host's. */
  readonly holds: ReadonlySet<string>;
  readonly policies: ReadonlyMap<string, PackagePolicy>;
  /** Packages that dpkg did not finish: it failed, or was interrupted. */
  readonly unfinished: readonly string[];
}

export interface AptUpdates {
  readonly updates: readonly PendingUpdate[];
  /** What apt leaves out or would remove, for people. */
  readonly notes: readonly string[];
}

/** A hold on `libc6` keeps back `libc6:i386` as well: both are installed in one version. */
const withoutArchitecture = (name: string): string => name.replace(/:[a-z0-9-]+$/, '');

/**
 * What a full upgrade would change, and what it leaves out: held packages, and those that apt keeps back because of
 * their dependencies. An update that Ubuntu phases in is not pending before its turn.
 */
export function aptUpdates({ plan, holds, policies, unfinished }: AptFindings): AptUpdates {
  const isHeld = (name: string): boolean => holds.has(name) || holds.has(withoutArchitecture(name));
  const updates = new Map(plan.changes.map((change) => [change.name, planned(change, policies)]));
  const deferred = new Set(plan.deferred);
  const blocked: string[] = [];
  for (const name of new Set([...plan.keptBack, ...plan.deferred, ...holds])) {
    const policy = policies.get(name);
    if (updates.has(name) || !policy) continue;
    const held = isHeld(name);
    if (!held && policy.phased) deferred.add(name);
    if (!held && deferred.has(name)) continue;
    const update = waiting(name, policy, held);
    if (!update) continue;
    updates.set(name, update);
    if (!held) blocked.push(name);
  }
  const later = [...deferred].filter((name) => !updates.has(name));
  return {
    updates: [...updates.values()].slice(0, MAX_UPDATES),
    notes: [
      ...note('These packages are only partly installed; an update finishes them first', unfinished),
      ...note('apt keeps these back because of their dependencies', blocked),
      ...note('Ubuntu releases these in phases, and this host’s phase has not started', later),
      ...note('A full upgrade would remove these', plan.removed),
      ...(plan.changes.length >= MAX_UPDATES ? [`Only the first ${MAX_UPDATES} updates are listed.`] : []),
    ],
  };
}

const planned = (change: PlannedChange, policies: ReadonlyMap<string, PackagePolicy>): PendingUpdate => ({
  ...change,
  security: isSecurity(change.origin ?? '') || policies.get(change.name)?.security === true,
  held: false,
});

function waiting(name: string, policy: PackagePolicy, held: boolean): PendingUpdate | null {
  const { installed, candidate, origin, security } = policy;
  const shown = plainText(name);
  if (shown === null || installed === null || candidate === null || installed === candidate) return null;
  return { name: shown, from: installed, to: candidate, security, origin, held };
}

const MAX_NAMED = 20;

function note(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const named = names.slice(0, MAX_NAMED).map((name) => plainText(name, 80));
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return [`${text}: ${named.join(', ')}${more}.`];
}
