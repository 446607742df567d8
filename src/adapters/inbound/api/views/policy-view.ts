import * as z from 'zod';
import { type PatchPolicy, POLICY_JOB_TYPES } from '../../../../domain/automation/patch-policy.ts';
import { HOUR, toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { count, id, text, time, timeOrNull } from './values.ts';
import { selectorSchema, selectorView } from './window-view.ts';

const exclusionSchema = z.strictObject({
  kind: z.enum(['package', 'image']),
  pattern: text.describe('A name; * stands for any text, ? for one character'),
  reason: text,
  until: timeOrNull.describe('When it expires; null: never'),
});

export const policySchema = z.strictObject({
  id,
  name: text,
  selector: selectorSchema,
  scheduled_types: z
    .array(z.enum(POLICY_JOB_TYPES))
    .describe('Those of these job types that schedules may start'),
  security_only: z.boolean().describe('Package updates install security fixes only'),
  min_age_hours: z.number().min(0).describe('For jobs of schedules'),
  min_age_by_hand_hours: z.number().min(0).describe('For all other jobs'),
  security_at_once: z.boolean().describe('Security fixes need no minimum age'),
  reboot_if_needed: z.boolean().describe('A reboot follows a package update if one is pending'),
  restart_unhealthy: z
    .strictObject({
      checks: z.int().describe('In a row, one a minute, that find a service unhealthy'),
      per_day: z.int().describe('Restarts of a service within 24 hours; then an alert opens'),
      projects: z.array(text).nullable().describe('Names of Compose projects; null: all'),
    })
    .nullable()
    .describe('When services of Compose projects are restarted; null: never'),
  exclusions: z.array(exclusionSchema),
  rings: z
    .array(z.strictObject({ tag: text, bake_hours: z.number().min(0) }))
    .describe('Updated first, in this order; each later ring waits for the bake time of the one before'),
  order: z.array(text).describe('Tags of the servers that come first within a ring'),
  groups: z
    .array(z.strictObject({ tag: text, at_once: count }))
    .describe('Tags of which only some servers are updated at once'),
  created_by: text,
  created_at: time,
});

export const policyView = (policy: PatchPolicy): z.output<typeof policySchema> => ({
  id: policy.id,
  name: policy.name,
  selector: selectorView(policy.selector),
  scheduled_types: [...policy.scheduledTypes],
  security_only: policy.securityOnly,
  min_age_hours: policy.minAgeMs / HOUR,
  min_age_by_hand_hours: policy.minAgeByHandMs / HOUR,
  security_at_once: policy.securityAtOnce,
  reboot_if_needed: policy.rebootIfNeeded,
  restart_unhealthy: policy.restartUnhealthy && {
    checks: policy.restartUnhealthy.checks,
    per_day: policy.restartUnhealthy.perDay,
    projects: policy.restartUnhealthy.projects ? [...policy.restartUnhealthy.projects] : null,
  },
  exclusions: policy.exclusions.map((each) => ({ ...each, until: toIsoOrNull(each.until) })),
  rings: policy.rings.map(({ tag, bakeMs }) => ({ tag, bake_hours: bakeMs / HOUR })),
  order: [...policy.order],
  groups: policy.groups.map(({ tag, atOnce }) => ({ tag, at_once: atOnce })),
  created_by: policy.createdBy,
  created_at: toIso(policy.createdAt),
});
