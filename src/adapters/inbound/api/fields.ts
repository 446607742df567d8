import * as z from 'zod';
import { MAX_WAIT_FOR_HOST_MINUTES } from '../../../domain/jobs/host-wait.ts';
import { JOB_STATUSES, MAX_GRACE_SECONDS, MAX_OBSERVE_MINUTES, OS_STEPS } from '../../../domain/jobs/job.ts';
import { JOB_TYPES } from '../../../domain/jobs/job-types.ts';

/** The fields that inputs are made of, with the rules and the words that they have everywhere. */

// Control characters and lone surrogates: no name, path or search text has them, and what cannot be written as UTF-8
// would come back from the database as something else.
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

export const line = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine(
      (value) => !UNPRINTABLE.test(value),
      'Must be one line of well-formed text without control characters.',
    );

const idOf = (what: string) => z.int().min(1).describe(`The ${what}'s id`);

export const serverId = idOf('server');
export const jobId = idOf('job');
export const approvalId = idOf('request');

/** The longest list that is returned, but for a few. */
export const MAX_ENTRIES = 100;

/** The longest list of a kind that scripts written for other services read whole. */
export const MAX_WHOLE = 1_000;

export const pageFields = (usual: number, most = MAX_ENTRIES) => ({
  limit: z.int().min(1).max(most).default(usual).describe('Maximum number of entries to return'),
  offset: z.int().min(0).default(0).describe('Number of entries to skip'),
});

export const searchText = line(200).describe('Part of a name, host name or tag');

export const jobType = z.enum(JOB_TYPES);
export const jobStatus = z.enum(JOB_STATUSES);
export const osSteps = z.array(z.enum(OS_STEPS)).min(1).max(OS_STEPS.length);
export const ABOUT_PRUNE =
  'For container_patch and docker_stack_deploy: remove replaced images that are no longer used';
export const ABOUT_GUARD =
  'For container_patch: save the data of the projects first, and restore it with the images if the update fails. Default: for projects whose data backup sources cover. true: other projects stay as they are; false: only images are rolled back. For os_patch: copy /etc and the package database first, and compare failed units, listening ports and the checks of the server afterwards; default false';
export const ABOUT_STEPS =
  'For os_patch; default: update, upgrade and autoremove. full_upgrade may also remove packages that block an upgrade';
export const graceSeconds = z
  .int()
  .min(0)
  .max(MAX_GRACE_SECONDS)
  .describe('For host_reboot: delay in seconds; you can cancel until then');
export const observeMinutes = z
  .int()
  .min(0)
  .max(MAX_OBSERVE_MINUTES)
  .describe(
    'For guarded updates: minutes to observe the project or server before the update counts as good; default 2',
  );
export const waitForHostMinutes = z
  .int()
  .min(0)
  .max(MAX_WAIT_FOR_HOST_MINUTES)
  .describe(
    'If the host is down, the job stays pending and tries to connect for this number of minutes before it fails with host_unreachable; default 0. Not for host_reboot',
  );
export const sourceFilter = line(4_096).min(1);
export const composeService = line(200).min(1);

/** A moment with its offset; ISO 8601. */
export const time = z
  .string()
  .max(40)
  .refine(
    (text) => /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
    'Must be a time with an offset, such as 2026-11-20T05:00:00Z.',
  );

/** As `Idempotency-Key` takes it. */
export const requestKey = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => /^[\x21-\x7e]+$/.test(text), 'Must be printable ASCII characters without spaces.');
