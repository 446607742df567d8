import { DomainError } from '../base/errors.ts';
import { covers, type Role } from './role.ts';
import type { Capability, Feature } from './scope.ts';

export type ActorKind = 'token' | 'user' | 'operator' | 'system';

export interface ActorProps {
  readonly kind: ActorKind;
  /** The token's or user's id; `null` for the operator at the command line and for the service itself. */
  readonly id: number | null;
  readonly name: string;
  /** The caller's address, if there is one. */
  readonly address: string | null;
  readonly capabilities: ReadonlySet<Capability>;
  /** `null`: every feature. */
  readonly features: readonly Feature[] | null;
  /** `null`: every server. */
  readonly serverIds: ReadonlySet<number> | null;
  readonly requireApproval: boolean;
  /** Tokens only: the user of the agent may give that approval, in a client that can ask. */
  readonly approvalInClient?: boolean;
  /** Only users have one. */
  readonly role?: Role | null;
  /** What the caller acts for, such as `schedule nightly`. Jobs record it as the requester. */
  readonly via?: string | null;
  /** Users only: the password was entered recently, or at the time of the request. */
  readonly passwordConfirmed?: boolean;
  /** Tokens only: an administrator granted `serverIds`. */
  readonly serversGranted?: boolean;
}

/** The caller of a use case, with all its rights. Use cases ask the actor; interfaces never decide. */
export class Actor {
  readonly kind: ActorKind;
  readonly id: number | null;
  readonly name: string;
  readonly address: string | null;
  readonly capabilities: ReadonlySet<Capability>;
  readonly features: readonly Feature[] | null;
  readonly serverIds: ReadonlySet<number> | null;
  readonly requireApproval: boolean;
  readonly approvalInClient: boolean;
  readonly role: Role | null;
  readonly via: string | null;
  readonly passwordConfirmed: boolean;
  readonly serversGranted: boolean;
  readonly #props: ActorProps;

  constructor(props: ActorProps) {
    this.#props = props;
    this.kind = props.kind;
    this.id = props.id;
    this.name = props.name;
    this.address = props.address;
    this.capabilities = props.capabilities;
    this.features = props.features;
    this.serverIds = props.serverIds;
    this.requireApproval = props.requireApproval;
    this.approvalInClient = props.approvalInClient ?? false;
    this.role = props.role ?? null;
    this.via = props.via ?? null;
    this.passwordConfirmed = props.passwordConfirmed ?? false;
    this.serversGranted = props.serversGranted ?? false;
  }

  /** The same caller, acting for something else. Never asks for less approval than the caller has to. */
  acting(props: { readonly via: string | null; readonly requireApproval?: boolean }): Actor {
    const requireApproval = this.requireApproval || (props.requireApproval ?? false);
    return new Actor({ ...this.#props, via: props.via, requireApproval });
  }

  /** The same caller, for one call that the user of the agent approved. */
  approved(): Actor {
    return new Actor({ ...this.#props, requireApproval: false });
  }

  /** The same caller, who may not do anything yet but set up their own account. */
  barred(): Actor {
    return new Actor({ ...this.#props, capabilities: new Set(), role: null });
  }

  /** The operator at the command line of the machine that holds the database: may do everything. */
  static operator(name: string): Actor {
    return Actor.#unlimited('operator', name);
  }

  /** The service itself: schedules, first start, cleanup. The jobs of a schedule may need a user's approval. */
  static system(
    name: string,
    options: { readonly requireApproval?: boolean; readonly address?: string } = {},
  ): Actor {
    return Actor.#unlimited('system', name, options);
  }

  static #unlimited(
    kind: ActorKind,
    name: string,
    options: { readonly requireApproval?: boolean; readonly address?: string } = {},
  ): Actor {
    return new Actor({
      kind,
      id: null,
      name,
      address: options.address ?? null,
      capabilities: new Set<Capability>(['read', 'jobs', 'edit', 'files']),
      features: null,
      serverIds: null,
      requireApproval: options.requireApproval ?? false,
    });
  }

  /** Throws `scope_missing` (for `read`: `read_scope_missing`) if the capability is not granted. */
  require(capability: Capability): void {
    if (this.capabilities.has(capability)) return;
    throw new DomainError(
      capability === 'read' ? 'read_scope_missing' : 'scope_missing',
      this.role !== null
        ? `Your role (${this.role}) does not allow this; ask an administrator for a different role.`
        : `This token lacks the scope "${capability}"; ask an operator for a token that has it.`,
    );
  }

  /**
   * Throws `role_missing` unless the user has this role or a higher one. The operator at the command line and the
   * service itself pass; a token never does.
   */
  requireRole(role: Role): void {
    if (this.kind === 'operator' || this.kind === 'system') return;
    if (this.role !== null && covers(this.role, role)) return;
    throw new DomainError(
      'role_missing',
      `This requires ${role === 'viewer' ? 'a user account' : `the role ${role}`}.`,
    );
  }

  /** For changes that cannot be requested for approval: throws `approval_required` if the caller needs approval. */
  requireNoApproval(): void {
    if (!this.requireApproval) return;
    throw new DomainError(
      'approval_required',
      'This token needs approval for changes, and this one cannot be submitted for approval. Ask an operator to make it.',
    );
  }

  /** Throws `feature_not_allowed` if the caller is limited to other features. */
  requireFeature(feature: Feature): void {
    if (this.features === null || this.features.includes(feature)) return;
    throw new DomainError(
      'feature_not_allowed',
      `This token is limited to ${this.features.map((name) => `feature:${name}`).join(', ')}; this needs feature:${feature}.`,
    );
  }

  /** Throws `server_not_found`, as if the server did not exist, if the caller has no access to it. */
  requireServer(serverId: number): void {
    if (!this.maySee(serverId)) throw serverNotFound(serverId);
  }

  maySee(serverId: number): boolean {
    return this.serverIds === null || this.serverIds.has(serverId);
  }

  /** How the audit log and a job's `requested_by` name the caller. */
  get label(): string {
    return this.via ?? labelOf(this);
  }
}

/** How a caller is named, also one who is not there now. */
export const labelOf = ({ kind, name }: { readonly kind: ActorKind; readonly name: string }): string =>
  kind === 'operator' || kind === 'system' ? name : `${kind}:${name}`;

export const serverNotFound = (id: number): DomainError =>
  new DomainError('server_not_found', `There is no server with id ${id}.`);
