import { DomainError } from '../base/errors.ts';
import { DAY, type Instant } from '../base/instant.ts';

/** The last deployment from a template to a directory of a server. */
export interface Deployment {
  readonly id: number;
  readonly serverId: number;
  readonly serverName: string;
  /** Absolute, on the host; a server has one deployment at most in each. */
  readonly directory: string;
  /** As compose calls it. */
  readonly project: string;
  readonly templateName: string;
  readonly templateVersion: number;
  /** The given values, without the secret ones. An absent variable had its default. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of the secret ones that were given. */
  readonly secretNames: readonly string[];
  /** The values of these as JSON, encrypted for the place `template_deployments|sealed_secrets|<id>`. */
  readonly sealedSecrets: string;
  /** Paths of the files that were written. */
  readonly files: readonly string[];
  /** The job that did it. */
  readonly jobId: number;
  readonly deployedAt: Instant;
}

export type NewDeployment = Omit<Deployment, 'id' | 'serverName' | 'sealedSecrets'>;

/** Values that came with the request for a job. */
export interface DeploymentOrder {
  readonly id: number;
  readonly serverId: number;
  /** Names of the given variables, for display. */
  readonly names: readonly string[];
  /** All values as JSON, encrypted for the place `template_orders|sealed_values|<id>`. */
  readonly sealedValues: string;
  readonly createdAt: Instant;
}

/** A job has to start within this time; then its values are deleted. */
export const ORDERS_KEPT_MS = 7 * DAY;

export const deploymentNotFound = (serverName: string, directory: string): DomainError =>
  new DomainError(
    'deployment_not_found',
    `No template was deployed to ${directory} on ${serverName}; start a template_deploy first.`,
  );
