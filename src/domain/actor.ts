import { DomainError } from './errors.ts';
import type { Capability, Feature } from './scope.ts';

export type ActorKind = 'token' | 'user' | 'operator' | 'system';

export interface ActorProps {
  readonly kind: ActorKind;
  /** The token's or user's id; `null` for the operator at the command line and for the service itself. */
  readonly id: number | null;
  readonly name: string;
  /** The caller's address, where there is one. */
  readonly address: string | null;
  readonly capabilities: ReadonlySet<Capability>;
  /** `null`: every feature. */
  readonly features: readonly Feature[] | null;
  /** `null`: every server. */
  readonly serverIds: ReadonlySet<number> | null;
  readonly requireApproval: boolean;
}

/** Whoever asks for something, with all that they may do. Use cases ask the actor; doors never decide. */
export class Actor {
  readonly kind: ActorKind;
  readonly id: number | null;
  readonly name: string;
  readonly address: string | null;
  readonly capabilities: ReadonlySet<Capability>;
  readonly features: readonly Feature[] | null;
  readonly serverIds: ReadonlySet<number> | null;
  readonly requireApproval: boolean;

  constructor(props: ActorProps) {
    this.kind = props.kind;
    this.id = props.id;
    this.name = props.name;
    this.address = props.address;
    this.capabilities = props.capabilities;
    this.features = props.features;
    this.serverIds = props.serverIds;
    this.requireApproval = props.requireApproval;
  }

  /** The person at the command line of the machine that holds the database: may do everything. */
  static operator(name: string): Actor {
    return Actor.#unlimited('operator', name);
  }

  /** The service itself: schedules, first start, house-keeping. A schedule may have to ask a person for its jobs. */
  static system(name: string, options: { readonly requireApproval?: boolean } = {}): Actor {
    return Actor.#unlimited('system', name, options.requireApproval);
  }

  static #unlimited(kind: ActorKind, name: string, requireApproval = false): Actor {
    return new Actor({
      kind,
      id: null,
      name,
      address: null,
      capabilities: new Set<Capability>(['read', 'jobs', 'edit', 'files']),
      features: null,
      serverIds: null,
      requireApproval,
    });
  }

  /** Throws `scope_missing` (for `read`: `read_scope_missing`) where the capability is not granted. */
  require(capability: Capability): void {
    if (this.capabilities.has(capability)) return;
    throw new DomainError(
      capability === 'read' ? 'read_scope_missing' : 'scope_missing',
      `This token lacks the scope "${capability}"; ask an operator for a token that has it.`,
    );
  }

  /** Throws `feature_not_allowed` where the caller is held to other features. */
  requireFeature(feature: Feature): void {
    if (this.features === null || this.features.includes(feature)) return;
    throw new DomainError(
      'feature_not_allowed',
      `This token is limited to ${this.features.map((name) => `feature:${name}`).join(', ')}; this needs feature:${feature}.`,
    );
  }

  /** Throws `server_not_found`, as if it did not exist, where the server is not among the caller's. */
  requireServer(serverId: number): void {
    if (!this.maySee(serverId)) throw serverNotFound(serverId);
  }

  maySee(serverId: number): boolean {
    return this.serverIds === null || this.serverIds.has(serverId);
  }

  /** How the audit log and a job's `requested_by` name the caller. */
  get label(): string {
    return this.kind === 'operator' || this.kind === 'system' ? this.name : `${this.kind}:${this.name}`;
  }
}

export const serverNotFound = (id: number): DomainError =>
  new DomainError('server_not_found', `There is no server with id ${id}.`);
