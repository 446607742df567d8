import type { Finding } from '../../domain/fleet/finding.ts';
import type { Probe } from '../ports/service/probe.ts';

interface Deps {
  readonly probes: readonly Probe[];
}

/** Checks everything that the service needs, and says how to fix what is missing. */
export class Diagnose {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** In the order of the probes. A probe that breaks is itself a finding. */
  execute(): Promise<readonly Finding[]> {
    return Promise.all(this.#deps.probes.map((probe) => lookAt(probe)));
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
