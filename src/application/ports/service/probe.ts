import type { Finding } from '../../../domain/fleet/finding.ts';

/** Looks at one thing that the service needs. */
export interface Probe {
  readonly name: string;
  look(): Promise<Finding>;
}
