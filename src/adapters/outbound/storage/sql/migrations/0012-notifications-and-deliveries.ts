import type { Knex } from 'knex';
import { addToTable, flag, instant, longText, makeTable, reference } from './columns.ts';

/** What is wrong with the fleet, and who is told of it. */
export async function up(knex: Knex): Promise<void> {
  await contacts(knex);
  await outbox(knex);
  await notifications(knex);
  await webhooks(knex);
  await deliveries(knex);
}

/** Since when a server could not be talked to, and why; null while it can. */
const contacts = (knex: Knex): Promise<void> =>
  addToTable(knex, 'servers', 'contact_error', (table) => {
    instant(table, 'contact_failed_since');
    table.string('contact_error', 64);
  });

/** Events wait to be handed out while `pending` is 1. Those of before are history, and go nowhere. */
async function outbox(knex: Knex): Promise<void> {
  const { newest } = (await knex('outbox_events').max({ newest: 'id' }).first()) as { newest: number | null };
  await addToTable(knex, 'outbox_events', 'pending', (table) => {
    // Also a replica of before, which knows nothing of it, writes events that wait.
    flag(table, 'pending').defaultTo(1);
    // What is sent to webhooks: made once, so that each try sends the same.
    longText(table, 'body');
    table.index(['pending', 'id']);
    table.index(['at']);
  });
  for (let to = newest ?? 0; to > 0; to -= HISTORY_BATCH) {
    await knex('outbox_events')
      .whereBetween('id', [to - HISTORY_BATCH + 1, to])
      .update({ pending: null });
  }
}

/** Rows a statement, so that none takes long. */
const HISTORY_BATCH = 10_000;

async function notifications(knex: Knex): Promise<void> {
  await makeTable(knex, 'notifications', (table) => {
    table.bigIncrements('id');
    table.string('kind', 64).notNullable();
    // Of the server, token, job or webhook that the condition is about; the kind says which.
    table.bigInteger('subject_id').unsigned().notNullable();
    // Names the condition until it is resolved, null then: one at a time for each.
    table.string('open_key', 255).unique();
    // Which of its forms the condition has, such as never or late.
    table.string('variant', 64).notNullable();
    table.string('state', 16).notNullable();
    table.string('severity', 16).notNullable();
    flag(table, 'muted').notNullable();
    table.text('title').notNullable();
    table.text('message').notNullable();
    table.bigInteger('server_id').unsigned();
    table.string('server_name', 255);
    table.bigInteger('job_id').unsigned();
    instant(table, 'began_at').notNullable();
    for (const name of ['opened_at', 'told_at', 'acknowledged_at', 'resolved_at']) instant(table, name);
    table.string('acknowledged_by', 255);
    table.index(['state', 'muted', 'kind', 'id']);
    table.index(['kind', 'state', 'id']);
    table.index(['kind', 'subject_id', 'state']);
    table.index(['server_id', 'state', 'muted', 'kind']);
    table.index(['resolved_at']);
  });
  await makeTable(knex, 'notification_policies', (table) => {
    table.string('kind', 64).notNullable().primary();
    table.bigInteger('debounce_ms').notNullable();
    // Null: never again.
    table.bigInteger('remind_ms');
    table.string('severity', 16);
  });
  await makeTable(knex, 'notification_mutes', (table) => {
    table.bigIncrements('id');
    // Null: any.
    table.string('kind', 64);
    table.bigInteger('server_id').unsigned();
    instant(table, 'until');
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
  });
}

async function webhooks(knex: Knex): Promise<void> {
  await makeTable(knex, 'webhooks', (table) => {
    table.bigIncrements('id');
    table.string('name', 64).notNullable().unique();
    // Configured by an operator, or by the environment.
    table.string('origin', 16).notNullable();
    // Addresses of chat services are secrets; what may be shown of one is beside it.
    table.text('sealed_url').notNullable();
    table.text('shown_url').notNullable();
    table.text('sealed_secret').notNullable();
    table.text('sealed_former_secret');
    instant(table, 'former_until');
    // JSON; null: all.
    longText(table, 'events');
    table.string('min_severity', 16).notNullable();
    flag(table, 'enabled').notNullable();
    table.string('disabled_because', 16);
    instant(table, 'disabled_at');
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'updated_at').notNullable();
  });
  await makeTable(knex, 'push_subscriptions', (table) => {
    table.bigIncrements('id');
    // Of the address that it is pushed to, which is as good as a secret.
    table.string('endpoint_hash', 64).notNullable().unique();
    table.text('sealed_subscription').notNullable();
    // The person whose browser it is; null: nobody's in particular.
    table.bigInteger('owner_id').unsigned().index();
    longText(table, 'events');
    table.string('min_severity', 16).notNullable();
    instant(table, 'created_at').notNullable();
  });
}

async function deliveries(knex: Knex): Promise<void> {
  await makeTable(knex, 'deliveries', (table) => {
    table.bigIncrements('id');
    reference(table, 'event_id', 'outbox_events').notNullable().onDelete('CASCADE');
    // `webhook` or `push`, and the id of the one there.
    table.string('channel', 16).notNullable();
    table.bigInteger('target_id').unsigned().notNullable();
    table.string('status', 16).notNullable();
    table.integer('attempts').notNullable();
    // When it is tried next; null once that is over.
    instant(table, 'due_at');
    instant(table, 'created_at').notNullable();
    instant(table, 'last_attempt_at');
    table.integer('status_code');
    table.integer('duration_ms');
    table.text('error');
    table.unique(['event_id', 'channel', 'target_id']);
    table.index(['channel', 'target_id', 'due_at', 'event_id']);
    table.index(['channel', 'target_id', 'id']);
    table.index(['channel', 'status']);
  });
}
