import * as z from 'zod';
import type { ServerForecast } from '../../../../application/automation/preview-updates.ts';
import { toIso } from '../../../../domain/base/instant.ts';
import { count, id, text, time } from './values.ts';

/** Longer lists are counted. */
const MAX_NAMED = 50;

const update = z.strictObject({
  job_type: z.enum(['os_patch', 'container_patch']),
  schedule: text,
  at: time,
  starts: z.boolean().describe('Whether the schedule will start the job'),
  refused_code: text.nullable(),
  refused_detail: text.nullable(),
  installs_count: z
    .number()
    .int()
    .min(0)
    .nullable()
    .describe('null: unknown, since the server was not read yet'),
  installs: z.array(text).describe(`Packages or images, at most ${MAX_NAMED}`),
  turn: z
    .strictObject({
      ring: count.describe('From 1'),
      ring_tag: text.nullable().describe('null: the last ring'),
      turn: count.nullable().describe('Its place among the starts of the schedule; null: it does not start'),
    })
    .nullable()
    .describe('null: the policy has no order'),
  held_count: z.number().int().min(0),
  held: z.array(z.strictObject({ name: text, reason: text })).describe(`At most ${MAX_NAMED}`),
});

export const forecastSchema = z.strictObject({
  server_id: id,
  server_name: text,
  policy: text.nullable(),
  updates: z.array(update).describe('Empty: no schedule updates the server'),
});

export const forecastView = ({
  server,
  policy,
  updates,
}: ServerForecast): z.output<typeof forecastSchema> => ({
  server_id: server.id,
  server_name: server.name,
  policy: policy?.name ?? null,
  updates: updates.map((each) => ({
    job_type: each.jobType,
    schedule: each.schedule.name,
    at: toIso(each.at),
    starts: each.refusal === null,
    refused_code: each.refusal?.code ?? null,
    refused_detail: each.refusal?.message ?? null,
    installs_count: each.installs?.length ?? null,
    installs: each.installs?.slice(0, MAX_NAMED) ?? [],
    turn: each.turn && { ring: each.turn.ring, ring_tag: each.turn.ringTag, turn: each.turn.turn },
    held_count: each.held.length,
    held: each.held.slice(0, MAX_NAMED).map(({ name, reason }) => ({ name, reason })),
  })),
});
