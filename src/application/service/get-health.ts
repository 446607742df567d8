import type { Actor } from '../../domain/access/actor.ts';
import { CAPABILITIES, type Capability, type Feature } from '../../domain/access/scope.ts';

export interface Health {
  readonly scopes: readonly string[];
  readonly allowedFeatures: readonly Feature[] | null;
  readonly clientIp: string | null;
}

/** The caller's rights: the first call of an agent. */
export class GetHealth {
  execute(actor: Actor): Health {
    actor.require('read');
    const capabilities: readonly Capability[] = CAPABILITIES.filter((name) => actor.capabilities.has(name));
    return {
      scopes: [...capabilities, ...(actor.features ?? []).map((feature) => `feature:${feature}`)],
      allowedFeatures: actor.features,
      clientIp: actor.address,
    };
  }
}
