import * as z from 'zod';
import { MAX_PARALLEL } from '../../../domain/automation/batch.ts';
import { MAX_JITTER_MS } from '../../../domain/automation/schedule.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import { MAX_HOSTS } from '../../../domain/fleet/host-selector.ts';
import { API_JOB_TYPES } from '../../../domain/jobs/job-types.ts';
import {
  ABOUT_GUARD,
  ABOUT_PRUNE,
  ABOUT_STEPS,
  composeService,
  graceSeconds,
  line,
  observeMinutes,
  osSteps,
  serverId,
  sourceFilter,
  waitForHostMinutes,
} from './fields.ts';

/** The fields of batches and schedules. */

const MAX_TAGS = 20;

export const selector = z
  .strictObject({
    ids: z.array(serverId).min(1).max(MAX_HOSTS).optional(),
    tags: z.array(line(40).min(1)).min(1).max(MAX_TAGS).optional().describe('Servers with any of these tags'),
    all: z.literal(true).optional(),
  })
  .describe('Exactly one of ids, tags and all. Only servers that the token can access are selected');

/** The jobs' parameters. null means absent. */
export const jobFields = {
  job_type: z.enum(API_JOB_TYPES),
  source_filter: sourceFilter
    .nullish()
    .describe('Name of one backup source, or directory of one Compose project; default: all'),
  service: composeService.nullish().describe('One Compose service'),
  os_steps: osSteps.nullish().describe(ABOUT_STEPS),
  grace_seconds: graceSeconds.nullish(),
  prune: z.boolean().nullish().describe(ABOUT_PRUNE),
  guard: z.boolean().nullish().describe(ABOUT_GUARD),
  observe_minutes: observeMinutes.nullish(),
  wait_for_host_minutes: waitForHostMinutes.nullish(),
};

export const boundsFields = {
  max_parallel: z
    .int()
    .min(1)
    .max(MAX_PARALLEL)
    .optional()
    .describe('Maximum number of jobs at a time; default 10'),
  canary: z
    .int()
    .min(0)
    .max(MAX_PARALLEL)
    .optional()
    .describe('Number of hosts to start first; the others follow only if all of them succeed'),
  stop_after_failures: z
    .int()
    .min(1)
    .max(MAX_HOSTS)
    .nullish()
    .describe('Stop starting jobs after this many failures'),
};

export const batchId = z.int().min(1).describe("The batch's id");
export const scheduleId = z.int().min(1).describe("The schedule's id");
export const scheduleName = line(63).min(1);
export const cronExpression = line(100)
  .min(1)
  .describe('Minute, hour, day of the month, month, day of the week, such as "30 3 * * *"');
export const timeZone = line(64).min(1).describe('An IANA name, such as Europe/Berlin or UTC');
export const jitterSeconds = z
  .int()
  .min(0)
  .max(MAX_JITTER_MS / SECOND)
  .describe("Maximum delay of each server's job; the delay is the same every time");
