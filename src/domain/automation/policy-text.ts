import { count } from '../base/count.ts';
import { HOUR, toIso } from '../base/instant.ts';
import { jobTitle } from '../jobs/job-types.ts';
import { type Exclusion, POLICY_JOB_TYPES, type PolicyRules } from './patch-policy.ts';
import type { RestartRule } from './unhealthy-service.ts';
import type { GroupLimit, OrderRules, Ring } from './update-order.ts';

/** Such as `security fixes only, as soon as they appear; reboot if needed`. */
export function rulesText(policy: PolicyRules): string {
  const missing = POLICY_JOB_TYPES.filter((type) => !policy.scheduledTypes.includes(type));
  return [
    ...updatesTexts(policy),
    ...(missing.length === 0 ? [] : [`not by schedule: ${missing.map(jobTitle).join(', ')}`]),
    ...(policy.rebootIfNeeded ? ['reboot if needed'] : []),
    ...(policy.restartUnhealthy === null ? [] : [restartText(policy.restartUnhealthy)]),
    ...orderTexts(policy),
  ].join('; ');
}

/** Images are no security fixes: their age counts even if that of packages has no effect. */
function updatesTexts({
  securityOnly,
  securityAtOnce,
  minAgeMs,
  minAgeByHandMs,
}: PolicyRules): readonly string[] {
  const ages = [
    ...(minAgeMs > 0 ? [`${minAgeMs / HOUR} h old in schedules`] : []),
    ...(minAgeByHandMs > 0 ? [`${minAgeByHandMs / HOUR} h old in other jobs`] : []),
  ].join(' and ');
  if (ages === '')
    return [
      securityOnly ? 'security fixes only, as soon as they appear' : 'all updates, as soon as they appear',
    ];
  if (!securityAtOnce)
    return [`${securityOnly ? 'security fixes only' : 'all updates'}, once they are ${ages}`];
  return securityOnly
    ? ['security fixes only, as soon as they appear', `images once they are ${ages}`]
    : [`security fixes as soon as they appear, other updates once they are ${ages}`];
}

const orderTexts = ({ rings, order, groups }: OrderRules): readonly string[] => [
  ...(rings.length === 0
    ? []
    : [`first ${rings.map(({ tag, bakeMs }) => `${tag} for ${bakeMs / HOUR} h`).join(', then ')}`]),
  ...(order.length === 0 ? [] : [`in the order ${order.join(', ')}`]),
  ...groups.map(({ tag, atOnce }) => `at most ${atOnce} of ${tag} at once`),
];

/** Reads `TAG = HOURS`. Faults are found when the policy is described. */
export function readRing(line: string): Ring {
  const { tag, value } = tagAndValue(line);
  return { tag, bakeMs: /^\d{1,6}(\.\d{1,4})?$/.test(value) ? Number(value) * HOUR : Number.NaN };
}

/** As `readRing` reads it. */
export const writeRing = ({ tag, bakeMs }: Ring): string => `${tag} = ${bakeMs / HOUR}`;

/** Reads `TAG = COUNT`. Faults are found when the policy is described. */
export function readGroup(line: string): GroupLimit {
  const { tag, value } = tagAndValue(line);
  return { tag, atOnce: /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN };
}

/** As `readGroup` reads it. */
export const writeGroup = ({ tag, atOnce }: GroupLimit): string => `${tag} = ${atOnce}`;

export function tagAndValue(line: string): { readonly tag: string; readonly value: string } {
  const [tag = '', ...rest] = line.split('=').map((part) => part.trim());
  return { tag, value: rest.join('=') };
}

const restartText = ({ checks, perDay, projects }: RestartRule): string =>
  `restart services${projects === undefined ? '' : ` of ${projects.join(', ')}`} after ${count(checks, 'unhealthy check')}, at most ${perDay} a day`;

/** Reads `CHECKS/PER_DAY`, such as `3/5`, or `3/5=shop,blog`, or `never`. Faults are found when the policy is described. */
export function readRestartRule(text: string): RestartRule | null {
  if (text === 'never') return null;
  const [limits = '', ...names] = text.split('=');
  const [checks, perDay] = /^\d{1,3}\/\d{1,3}$/.test(limits) ? limits.split('/').map(Number) : [];
  const rule = { checks: checks ?? Number.NaN, perDay: perDay ?? Number.NaN };
  return names.length === 0 ? rule : { ...rule, projects: readProjects(names.join('=')) };
}

/** Comma-separated names. */
export const readProjects = (text: string): readonly string[] => text.split(',').map((name) => name.trim());

export const exclusionsText = ({ exclusions }: Pick<PolicyRules, 'exclusions'>): string =>
  exclusions
    .map(({ pattern, until }) => (until === null ? pattern : `${pattern} until ${toIso(until).slice(0, 10)}`))
    .join(', ');

/** Reads `PATTERN = REASON` or `PATTERN = REASON = DATE`. Faults are found when the policy is described. */
export function readExclusion(kind: Exclusion['kind'], line: string): Exclusion {
  const [pattern = '', ...rest] = line.split('=').map((part) => part.trim());
  const last = rest.at(-1) ?? '';
  const isDated = rest.length > 1 && /^\d{4}-\d{2}-\d{2}$/.test(last);
  return {
    kind,
    pattern,
    reason: (isDated ? rest.slice(0, -1) : rest).join(' = '),
    until: isDated ? Date.parse(`${last}T00:00:00Z`) : null,
  };
}

/** As `readExclusion` reads it. */
export const writeExclusion = ({ pattern, reason, until }: Exclusion): string =>
  [pattern, reason, ...(until === null ? [] : [toIso(until).slice(0, 10)])].join(' = ');
