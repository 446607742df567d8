import { count } from '../base/count.ts';
import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import { HOUR, type Instant, toMinute } from '../base/instant.ts';
import { type HostSelector, hostSelector, type RawSelector, selects } from '../fleet/host-selector.ts';
import { type JobType, jobTitle } from '../jobs/job-types.ts';
import { nameProblems } from './maintenance-window.ts';
import { type RestartRule, restartProblems } from './unhealthy-service.ts';
import { hasOrder, NO_ORDER, type OrderRules, orderProblems, type PolicyOrder } from './update-order.ts';

/** The job types that a policy can keep schedules from starting. */
export const POLICY_JOB_TYPES = [
  'os_patch',
  'container_patch',
  'host_reboot',
] as const satisfies readonly JobType[];
export type PolicyJobType = (typeof POLICY_JOB_TYPES)[number];

/** Packages or images that stay as they are. */
export interface Exclusion {
  readonly kind: 'package' | 'image';
  /** A name, in which `*` stands for any text and `?` for one character. */
  readonly pattern: string;
  readonly reason: string;
  /** From then on it has no effect; `null`: no end. */
  readonly until: Instant | null;
}

/** What updates may change on its servers. */
export interface PatchPolicy extends OrderRules {
  readonly id: number;
  readonly name: string;
  readonly selector: HostSelector;
  /** Schedules may start these types of `POLICY_JOB_TYPES`. */
  readonly scheduledTypes: readonly PolicyJobType[];
  /** Package updates that are no security fixes stay pending. */
  readonly securityOnly: boolean;
  /** How old a package's version or an image has to be for schedules, and for jobs that a user starts. */
  readonly minAgeMs: number;
  readonly minAgeByHandMs: number;
  /** Security fixes need no minimum age. */
  readonly securityAtOnce: boolean;
  /** A package update is followed by a reboot if one is pending. */
  readonly rebootIfNeeded: boolean;
  /** `null`: unhealthy services are not restarted. */
  readonly restartUnhealthy: RestartRule | null;
  readonly exclusions: readonly Exclusion[];
  readonly createdBy: string;
  readonly createdAt: Instant;
}

export type NewPatchPolicy = Omit<PatchPolicy, 'id'>;
export type PolicyRules = Omit<NewPatchPolicy, 'name' | 'selector' | 'createdBy' | 'createdAt'>;

export interface PolicyDescription extends Partial<PolicyRules> {
  readonly name: string;
  readonly selector: RawSelector;
}

export const MAX_POLICIES = 500;
export const MAX_EXCLUSIONS = 100;
const MAX_AGE_MS = 365 * 24 * HOUR;
const MAX_TEXT = 200;

export const DEFAULT_RULES: PolicyRules = {
  scheduledTypes: POLICY_JOB_TYPES,
  securityOnly: false,
  minAgeMs: 72 * HOUR,
  minAgeByHandMs: 0,
  securityAtOnce: true,
  rebootIfNeeded: false,
  restartUnhealthy: null,
  exclusions: [],
  ...NO_ORDER,
};

/** Throws `InvalidInput` with every fault named. */
export function describePolicy(
  { name, selector, ...given }: PolicyDescription,
  by: { readonly createdBy: string; readonly at: Instant },
): NewPatchPolicy {
  const rules = { ...DEFAULT_RULES, ...given };
  const problems: InputProblem[] = [...nameProblems(name)];
  for (const [path, ms] of [
    ['/min_age_hours', rules.minAgeMs],
    ['/min_age_by_hand_hours', rules.minAgeByHandMs],
  ] as const) {
    // NaN is neither shorter nor longer.
    if (!(ms >= 0 && ms <= MAX_AGE_MS))
      problems.push({ path, message: 'Enter a number of hours from 0 to 8760.' });
  }
  if (rules.restartUnhealthy !== null) problems.push(...restartProblems(rules.restartUnhealthy));
  if (rules.exclusions.length > MAX_EXCLUSIONS)
    problems.push({ path: '/exclusions', message: `A policy has at most ${MAX_EXCLUSIONS} exclusions.` });
  problems.push(...orderProblems(rules));
  for (const each of rules.exclusions) problems.push(...exclusionProblems(each));
  if (problems.length > 0) throw new InvalidInput(problems);
  return { name, selector: hostSelector(selector), ...rules, createdBy: by.createdBy, createdAt: by.at };
}

function exclusionProblems({ pattern, reason, until }: Exclusion): InputProblem[] {
  const path = '/exclusions';
  const messages = [
    /^[A-Za-z0-9*?@._+:/~-]{1,200}$/.test(pattern)
      ? []
      : [`“${pattern.slice(0, 60)}” is not a pattern of names: use the characters of names, * and ?.`],
    reason.trim() !== '' && reason.length <= MAX_TEXT
      ? []
      : [`Give the exclusion of ${pattern.slice(0, 60)} a reason of at most ${MAX_TEXT} characters.`],
    Number.isNaN(until)
      ? [`The exclusion of ${pattern.slice(0, 60)} ends on a date, such as 2026-12-31.`]
      : [],
  ].flat();
  return messages.map((message) => ({ path, message }));
}

type Target = { readonly id: number; readonly tags: readonly string[] };

/** Policies for named servers come first, then those for tags, then those for all; of equals the first by name. */
const rank = ({ selector }: Pick<PatchPolicy, 'selector'>): number =>
  ['ids', 'tags', 'all'].indexOf(selector.by);

/** The one policy of a server: the most specific; `null` if none applies. */
export function policyOf<P extends Pick<PatchPolicy, 'name' | 'selector'>>(
  policies: readonly P[],
  server: Target,
): P | null {
  const own = policies.filter(({ selector }) => selects(selector, server));
  return own.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))[0] ?? null;
}

/** Whether jobs of a type follow patch policies. */
export const isPolicyType = (type: JobType): type is PolicyJobType =>
  POLICY_JOB_TYPES.some((each) => each === type);

/** Why a schedule may not start a job on a server; `null` if it may. */
export function heldFromSchedules(
  policy: Pick<PatchPolicy, 'name' | 'scheduledTypes'> | null,
  server: { readonly name: string },
  type: JobType,
): DomainError | null {
  if (policy === null || !isPolicyType(type) || policy.scheduledTypes.includes(type)) return null;
  return new DomainError(
    'held_by_policy',
    `The patch policy ${policy.name} does not let schedules start “${jobTitle(type)}” (${type}) on ${server.name}.`,
  );
}

/** The order in which a policy has a job run; `null`: in any. */
export function orderOf(policy: PatchPolicy | null, type: JobType): PolicyOrder | null {
  if (policy === null || !hasOrder(policy) || !isPolicyType(type)) return null;
  const { id, name, rings, order, groups } = policy;
  return { policyId: id, policy: name, rings, order, groups };
}

/** A newer version of a package or an image. */
export interface PatchCandidate {
  readonly kind: Exclusion['kind'];
  /** A package's name, or an image's reference. */
  readonly name: string;
  readonly security: boolean;
  /** Since when the version exists, or is known to Drover; `null`: unknown. */
  readonly since: Instant | null;
}

/** Why a candidate has to wait. */
export interface HeldBack {
  /** One sentence. */
  readonly reason: string;
  /** When this reason is gone; `null`: it is not known. */
  readonly until: Instant | null;
}

export interface HoldTerms {
  readonly scheduled: boolean;
  readonly at: Instant;
  /** The start of a run with rings: ages count from here, so that all rings get the same updates. Default: `at`. */
  readonly runAt?: Instant | undefined;
}

/** Whether a policy holds a candidate back at a time; `null` if it does not. */
export function heldBack(
  policy: PatchPolicy,
  candidate: PatchCandidate,
  { scheduled, at, runAt = at }: HoldTerms,
): HeldBack | null {
  const { name, securityOnly, securityAtOnce } = policy;
  const excluded = exclusionOf(policy, candidate, at);
  if (excluded !== null) return { reason: excluded, until: null };
  if (candidate.kind === 'package' && securityOnly && !candidate.security)
    return { reason: `The policy ${name} installs security fixes only.`, until: null };
  const minAge = scheduled ? policy.minAgeMs : policy.minAgeByHandMs;
  if (minAge === 0 || (securityAtOnce && candidate.security)) return null;
  if (candidate.since === null)
    return { reason: `Its age is unknown, and the policy ${name} requires ${hours(minAge)}.`, until: null };
  const until = candidate.since + minAge;
  if (until <= runAt) return null;
  if (until <= at)
    return {
      reason: `It was ${hours(Math.max(0, runAt - candidate.since))} old when this run started, and the policy ${name} requires ${hours(minAge)}. The next run installs it.`,
      until: null,
    };
  return {
    reason: `Held back until ${toMinute(until)}: ${hours(at - candidate.since)} old, and the policy ${name} requires ${hours(minAge)}.`,
    until,
  };
}

const hours = (ms: number): string => count(Math.floor(ms / HOUR), 'hour');

/** Why a policy excludes a candidate, as a sentence; `null` if it does not. */
export function exclusionOf(
  { name, exclusions }: Pick<PatchPolicy, 'name' | 'exclusions'>,
  candidate: Pick<PatchCandidate, 'kind' | 'name'>,
  at: Instant,
): string | null {
  const found = exclusions.find((each) => covers(each, candidate, at));
  if (found === undefined) return null;
  const until = found.until === null ? '' : ` until ${toMinute(found.until)}`;
  return `Excluded by the policy ${name}${until}: ${found.reason}`;
}

function covers(
  { kind, pattern, until }: Exclusion,
  candidate: Pick<PatchCandidate, 'kind' | 'name'>,
  at: Instant,
): boolean {
  if (kind !== candidate.kind || (until !== null && until <= at)) return false;
  // An image is also meant without its tag and digest.
  const names = kind === 'image' ? [candidate.name, withoutTag(candidate.name)] : [candidate.name];
  return names.some((name) => matches(pattern, name));
}

function withoutTag(reference: string): string {
  const [plain = ''] = reference.split('@');
  const colon = plain.lastIndexOf(':');
  return colon > plain.lastIndexOf('/') ? plain.slice(0, colon) : plain;
}

/** `*` stands for any text, `?` for one character. Takes time in proportion to both lengths at most. */
export function matches(pattern: string, name: string): boolean {
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (pattern[p] === '*') {
      star = p;
      p += 1;
      mark = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p += 1;
      n += 1;
    } else if (star >= 0) {
      p = star + 1;
      mark += 1;
      n = mark;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}

export const policyNotFound = (what: string): DomainError =>
  new DomainError('policy_not_found', `There is no patch policy ${what}.`);
