import type { Finding } from '../../domain/fleet/finding.ts';
import { UseCase } from '../base/use-case.ts';
import type { Probe } from '../ports/service/probe.ts';

/** Checks everything that the service needs, and says how to fix what is missing. */
export class Diagnose extends UseCase<never, { readonly probes: readonly Probe[] }> {
  /** In the order of the probes. A probe that breaks is itself a finding. */
  execute(): Promise<readonly Finding[]> {
    return Promise.all(this.deps.probes.map((probe) => lookAt(probe)));
  }
}

async function lookAt(probe: Probe): Promise<Finding> {
  try {
    return await probe.look();
  } catch (error) {
    return {
      name: probe.name,
      verdict: 'fail',
      detail: error instanceof Error ? error.message : String(error),
      remedy: null,
    };
  }
}
