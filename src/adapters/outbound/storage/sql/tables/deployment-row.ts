import { z } from 'zod';
import type { Deployment, DeploymentOrder, NewDeployment } from '../../../../../domain/compose/deployment.ts';
import { fromJson, Strings } from './json.ts';

/** With the server's name, and so of a join. */
export const DEPLOYMENT_COLUMNS = {
  id: 'template_deployments.id',
  server_id: 'template_deployments.server_id',
  server_name: 'servers.name',
  directory: 'template_deployments.directory',
  project: 'template_deployments.project',
  template_name: 'template_deployments.template_name',
  template_version: 'template_deployments.template_version',
  given: 'template_deployments.given',
  secret_names: 'template_deployments.secret_names',
  sealed_secrets: 'template_deployments.sealed_secrets',
  files: 'template_deployments.files',
  job_id: 'template_deployments.job_id',
  deployed_at: 'template_deployments.deployed_at',
} as const;

export interface DeploymentRow {
  readonly id: number;
  readonly server_id: number;
  readonly server_name: string;
  readonly directory: string;
  readonly project: string;
  readonly template_name: string;
  readonly template_version: number;
  readonly given: string;
  readonly secret_names: string;
  readonly sealed_secrets: string;
  readonly files: string;
  readonly job_id: number;
  readonly deployed_at: number;
}

const Values = z.record(z.string(), z.string());

export const toDeployment = (row: DeploymentRow): Deployment => ({
  id: row.id,
  serverId: row.server_id,
  serverName: row.server_name,
  directory: row.directory,
  project: row.project,
  templateName: row.template_name,
  templateVersion: row.template_version,
  values: fromJson(Values, row.given),
  secretNames: fromJson(Strings, row.secret_names),
  sealedSecrets: row.sealed_secrets,
  files: fromJson(Strings, row.files),
  jobId: row.job_id,
  deployedAt: row.deployed_at,
});

export const deploymentColumns = (deployment: NewDeployment): object => ({
  server_id: deployment.serverId,
  directory: deployment.directory,
  project: deployment.project,
  template_name: deployment.templateName,
  template_version: deployment.templateVersion,
  given: JSON.stringify(deployment.values),
  secret_names: JSON.stringify(deployment.secretNames),
  files: JSON.stringify(deployment.files),
  job_id: deployment.jobId,
  deployed_at: deployment.deployedAt,
});

export const ORDER_COLUMNS = ['id', 'server_id', 'names', 'sealed_values', 'created_at'] as const;

export interface OrderRow {
  readonly id: number;
  readonly server_id: number;
  readonly names: string;
  readonly sealed_values: string;
  readonly created_at: number;
}

export const toOrder = (row: OrderRow): DeploymentOrder => ({
  id: row.id,
  serverId: row.server_id,
  names: fromJson(Strings, row.names),
  sealedValues: row.sealed_values,
  createdAt: row.created_at,
});
