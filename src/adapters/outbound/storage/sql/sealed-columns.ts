import type { Knex } from 'knex';
import { JOB_TYPES, takes } from '../../../../domain/jobs/job-types.ts';

/** A column that holds encrypted secrets. */
export interface SealedColumn {
  readonly table: string;
  /** The column that names the row in the secret's place. */
  readonly key: 'id' | 'name';
  readonly column: string;
  /** The column's name in the secret's place. */
  readonly place: string;
  /** The secret is this member of the JSON in the column. */
  readonly member?: string;
  /** Narrows the query to the rows that may hold one. */
  readonly rows?: (query: Knex.QueryBuilder) => Knex.QueryBuilder;
}

const whole = (table: string, column: string, place: string): SealedColumn => ({
  table,
  key: 'id',
  column,
  place,
});

/**
 * All of them: any other is missed when the master key is replaced. A test compares it with the schema and the
 * program.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  whole('ssh_keys', 'sealed_private_key', 'private_key'),
  whole('backup_repositories', 'sealed_secrets', 'secrets'),
  whole('backup_dumps', 'sealed_password', 'password'),
  whole('webhooks', 'sealed_url', 'url'),
  whole('webhooks', 'sealed_secret', 'secret'),
  whole('webhooks', 'sealed_former_secret', 'former_secret'),
  whole('alert_channels', 'sealed_secrets', 'secrets'),
  whole('sso_providers', 'sealed_secret', 'secret'),
  whole('push_subscriptions', 'sealed_subscription', 'subscription'),
  whole('template_orders', 'sealed_values', 'sealed_values'),
  whole('template_deployments', 'sealed_secrets', 'sealed_secrets'),
  whole('approvals', 'change_sealed', 'change'),
  whole('users', 'totp_secret', 'totp_secret'),
  {
    table: 'settings',
    key: 'name',
    column: 'value',
    place: 'value',
    rows: (query) => query.whereIn('name', ['master_key_check', 'audit_key']),
  },
  {
    table: 'settings',
    key: 'name',
    column: 'value',
    place: 'value',
    member: 'sealed',
    rows: (query) => query.where({ name: 'vapid' }),
  },
  {
    table: 'jobs',
    key: 'id',
    column: 'result',
    place: 'result',
    member: 'sealed_salt',
    rows: (query) =>
      query.whereIn(
        'job_type',
        JOB_TYPES.filter((type) => takes(type, 'variables')),
      ),
  },
];
