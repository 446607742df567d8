import type { Knex } from 'knex';
import { DAY } from '../../../../../domain/base/instant.ts';
import { addToTable, instant, makeTable, reference } from './columns.ts';

/** Requests for the approval of a person. Jobs that wait since before get theirs from what the audit log has of them. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'approvals', (table) => {
    table.bigIncrements('id');
    reference(table, 'job_id', 'jobs').unique().onDelete('CASCADE');
    reference(table, 'batch_id', 'batches').unique().onDelete('CASCADE');
    table.bigInteger('server_id').unsigned();
    table.string('job_type', 64).notNullable();
    table.string('subject', 255).notNullable();
    table.string('requester_kind', 16).notNullable();
    table.bigInteger('requester_id').unsigned();
    table.string('requester_name', 255).notNullable();
    table.string('requester_address', 64);
    table.string('requested_by', 255).notNullable();
    // What is asked for by whom while it waits, null then: the same is asked for once.
    table.string('request_key', 64).unique();
    table.string('state', 16).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'expires_at').notNullable();
    instant(table, 'decided_at');
    table.string('decided_by', 255);
    table.text('note');
    table.bigInteger('plan_job_id').unsigned();
    table.index(['state', 'id']);
    table.index(['state', 'expires_at']);
    table.index(['state', 'requester_kind', 'requester_id']);
  });
  await addToTable(knex, 'batches', 'approved_by', (table) => {
    table.string('approved_by', 255);
  });
  // The new state is longer than the column was; on SQLite a text is as long as it is.
  if (knex.client.dialect === 'mysql') {
    await knex.raw('ALTER TABLE batches MODIFY status VARCHAR(32) NOT NULL');
  }
  await waitingSinceBefore(knex);
}

async function waitingSinceBefore(knex: Knex): Promise<void> {
  const jobs: Waiting[] = await knex('jobs')
    .where({ status: 'awaiting_approval' })
    .whereNotExists(knex('approvals').select(knex.raw('1')).whereRaw('approvals.job_id = jobs.id'))
    .select('id', 'server_id', 'job_type', 'server_name', 'requested_by', 'created_at');
  for (const job of jobs) {
    const asked = await knex('audit_entries')
      .where({ object: `job:${job.id}`, action: 'job.request', outcome: 'done' })
      .first<Asked | undefined>('actor_kind', 'actor_id', 'actor_name', 'address');
    await knex('approvals').insert({
      job_id: job.id,
      server_id: job.server_id,
      job_type: job.job_type,
      subject: job.server_name,
      requester_kind: asked?.actor_kind ?? 'token',
      requester_id: asked?.actor_id ?? null,
      requester_name: asked?.actor_name ?? job.requested_by,
      requester_address: asked?.address ?? null,
      requested_by: job.requested_by,
      state: 'waiting',
      created_at: job.created_at,
      expires_at: job.created_at + DAY,
    });
  }
}

interface Waiting {
  readonly id: number;
  readonly server_id: number;
  readonly job_type: string;
  readonly server_name: string;
  readonly requested_by: string;
  readonly created_at: number;
}

interface Asked {
  readonly actor_kind: string;
  readonly actor_id: number | null;
  readonly actor_name: string;
  readonly address: string | null;
}
