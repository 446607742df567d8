import { z } from 'zod';
import type { Deployment, DeploymentOrder, NewDeployment } from '../../../../../domain/compose/deployment.ts';
import { columns, int, json, named, type Row, text } from './columns.ts';
import { Strings } from './json.ts';

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
export const DEPLOYMENT_COLUMNS = [
  ...DEPLOYMENTS.names.map((name) => `template_deployments.${name}`),
  'servers.name as server_name',
];

export type DeploymentRow = Row<typeof DEPLOYMENTS> & { readonly server_name: string };

export const toDeployment = (row: DeploymentRow): Deployment => ({
  ...DEPLOYMENTS.read(row),
  serverName: row.server_name,
});

export const deploymentColumns = (deployment: NewDeployment): object => NEW.write(deployment);

export const ORDERS = columns({
  id: int,
  serverId: int,
  names: json(Strings),
  sealedValues: text,
  createdAt: int,
});

export type OrderRow = Row<typeof ORDERS>;
export const toOrder: (row: OrderRow) => DeploymentOrder = ORDERS.read;
