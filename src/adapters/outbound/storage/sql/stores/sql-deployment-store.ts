import type { Knex } from 'knex';
import { z } from 'zod';
import type {
  DeploymentFilter,
  DeploymentStore,
} from '../../../../../application/ports/compose/deployment-store.ts';
import { serverNotFound } from '../../../../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import {
  type Deployment,
  type DeploymentOrder,
  type NewDeployment,
  ORDERS_KEPT_MS,
} from '../../../../../domain/compose/deployment.ts';
import { SqlStore } from '../database.ts';
import { pageOf } from '../page.ts';
import { columns, int, json, named, type Row, Strings, text } from '../tables/columns.ts';
import { recordChange } from './record-change.ts';

const NEW = columns({
  serverId: int,
  directory: text,
  project: text,
  templateName: text,
  templateVersion: int,
  values: named('given', json(z.record(z.string(), z.string()))),
  secretNames: json(Strings),
  files: json(Strings),
  jobId: int,
  deployedAt: int,
});
const DEPLOYMENTS = columns({ id: int, ...NEW.shape, sealedSecrets: text });

/** With the server's name, and so of a join. */
const DEPLOYMENT_COLUMNS = [
  ...DEPLOYMENTS.names.map((name) => `template_deployments.${name}`),
  'servers.name as server_name',
];

type DeploymentRow = Row<typeof DEPLOYMENTS> & { readonly server_name: string };

const toDeployment = (row: DeploymentRow): Deployment => ({
  ...DEPLOYMENTS.read(row),
  serverName: row.server_name,
});

const deploymentColumns = (deployment: NewDeployment): object => NEW.write(deployment);

const ORDERS = columns({
  id: int,
  serverId: int,
  names: json(Strings),
  sealedValues: text,
  createdAt: int,
});

type OrderRow = Row<typeof ORDERS>;
const toOrder: (row: OrderRow) => DeploymentOrder = ORDERS.read;

export class SqlDeploymentStore extends SqlStore implements DeploymentStore {
  async order(...[order, seal]: Parameters<DeploymentStore['order']>): Promise<DeploymentOrder> {
    const { createdAt } = order;
    return this.database.transaction(async (trx) => {
      await trx('template_orders')
        .where('created_at', '<', createdAt - ORDERS_KEPT_MS)
        .delete();
      // The encrypted text is bound to the row's id, which is not known yet.
      const unsealed = ORDERS.write({ ...order, sealedValues: '' });
      const [inserted] = await trx('template_orders').insert(unsealed);
      const id = Number(inserted);
      const sealedValues = seal(id);
      await trx('template_orders').where({ id }).update({ sealed_values: sealedValues });
      return { ...order, id, sealedValues };
    });
  }

  async findOrder(id: number): Promise<DeploymentOrder | null> {
    const row = await this.database
      .knex('template_orders')
      .where({ id })
      .first<OrderRow | undefined>(ORDERS.names);
    return row ? toOrder(row) : null;
  }

  async dropOrder(id: number): Promise<void> {
    await this.database.write((knex) => knex('template_orders').where({ id }).delete());
  }

  async record(...[deployment, seal, record]: Parameters<DeploymentStore['record']>): Promise<Deployment> {
    const { serverId, directory } = deployment;
    const place = { server_id: serverId, directory };
    return this.database.transaction(async (trx) => {
      // Two records of one server wait here, and not for each other's locks.
      const server = await trx('servers')
        .where({ id: serverId })
        .whereNull('removed_at')
        .forUpdate()
        .first<{ name: string } | undefined>('name');
      if (!server) throw serverNotFound(serverId);
      const row = deploymentColumns(deployment);
      const before = await trx('template_deployments').where(place).first<{ id: number } | undefined>('id');
      const id = before?.id ?? Number((await inserted(trx, row))[0]);
      const sealed = seal(id);
      await trx('template_deployments')
        .where({ id })
        .update({ ...row, sealed_secrets: sealed });
      const recorded = { ...deployment, id, serverName: server.name, sealedSecrets: sealed };
      await recordChange(trx, record(recorded));
      return recorded;
    });
  }

  async find(serverId: number, directory: string): Promise<Deployment | null> {
    const row = await this.#present()
      .where({ server_id: serverId, directory })
      .first<DeploymentRow | undefined>(DEPLOYMENT_COLUMNS);
    return row ? toDeployment(row) : null;
  }

  async list(filter: DeploymentFilter, page: PageRequest): Promise<Page<Deployment>> {
    const { serverId, serverIds, templateName } = filter;
    const filtered = this.#present();
    if (serverId !== undefined) filtered.where({ server_id: serverId });
    if (serverIds) filtered.whereIn('server_id', serverIds);
    if (templateName !== undefined) filtered.where({ template_name: templateName });
    return pageOf(filtered, page, async (window) => {
      const rows: DeploymentRow[] = await window
        .select(DEPLOYMENT_COLUMNS)
        .orderBy(['servers.name', 'server_id', 'directory']);
      return rows.map(toDeployment);
    });
  }

  #present(): Knex.QueryBuilder {
    return this.database
      .knex('template_deployments')
      .join('servers', 'servers.id', 'template_deployments.server_id')
      .whereNull('servers.removed_at');
  }
}

const inserted = (trx: Knex, row: object): Promise<number[]> =>
  trx('template_deployments').insert({ ...row, sealed_secrets: '' });
