import type { Knex } from 'knex';
import { makeGaugeIndex } from './gauge-index.ts';

/** Finds the batch of a job. */
export const up = (knex: Knex): Promise<void> => makeGaugeIndex(knex, 'batch_members', ['job_id']);
