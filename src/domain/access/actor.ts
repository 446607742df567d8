import { DomainError } from '../base/errors.ts';
import { capabilitiesOf, covers, highestRole, type Role, type TagRole } from './role.ts';
import type { Capability, Feature } from './scope.ts';

export type ActorKind = 'token' | 'user' | 'operator' | 'system';

/** Where a right is needed: on the server with this id, on any server (a first check only), or on all of them. */
export type Extent = number | 'any server' | 'all servers';

/** The servers on which a caller has a right. */
export interface Reach {
  /** `null`: all. */
  readonly ids: ReadonlySet<number> | null;
  /** The right applies to every server with one of these tags, also to later ones. */
  readonly tags: ReadonlySet<string>;
}

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
  /** Only users have one: their role on all servers. */
  readonly role?: Role | null;
  /** Users only: their roles on servers with a tag. */
  readonly tagRoles?: readonly TagRole[];
  /** Users only: the servers that have such a tag now, with the highest of these roles. */
  readonly serverRoles?: ReadonlyMap<number, Role>;
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
  readonly tagRoles: readonly TagRole[];
  readonly serverRoles: ReadonlyMap<number, Role>;
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
    this.tagRoles = props.tagRoles ?? [];
    this.serverRoles = props.serverRoles ?? NO_ROLES;
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
    return new Actor({
      ...this.#props,
      capabilities: new Set(),
      role: null,
      tagRoles: [],
      serverRoles: NO_ROLES,
      serverIds: new Set(),
    });
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

  /** Whether the capability is granted there. What a caller may read is limited by `serverIds` alone. */
  may(capability: Capability, where: Extent = 'all servers'): boolean {
    return (
      this.capabilities.has(capability) || this.#holds(where, (role) => capabilitiesOf(role).has(capability))
    );
  }

  /** Throws `scope_missing` (for `read`: `read_scope_missing`) if the capability is not granted there; as `requireServer`. */
  require(capability: Capability, where: Extent = 'all servers'): void {
    if (this.may(capability, where)) return;
    if (this.kind !== 'user') {
      throw new DomainError(
        capability === 'read' ? 'read_scope_missing' : 'scope_missing',
        `This token lacks the scope "${capability}"; ask an operator for a token that has it.`,
      );
    }
    if (typeof where === 'number') this.requireServer(where);
    throw new DomainError(
      capability === 'read' ? 'read_scope_missing' : 'scope_missing',
      `Your role (${this.#roleWord(where)}) does not allow this; ask an administrator for a different role.`,
    );
  }

  /** Whether the user has this role or a higher one there. A viewer is any user with a role: see `may`. */
  hasRole(role: Role, where: Extent = 'all servers'): boolean {
    if (this.kind === 'operator' || this.kind === 'system') return true;
    if (covers(this.role, role)) return true;
    const extent = role === 'viewer' && where === 'all servers' ? 'any server' : where;
    return this.#holds(extent, (held) => covers(held, role));
  }

  /**
   * Throws `role_missing` unless the user has this role or a higher one there; as `requireServer`. The operator at the
   * command line and the service itself pass; a token never does.
   */
  requireRole(role: Role, where: Extent = 'all servers'): void {
    if (this.hasRole(role, where)) return;
    if (this.kind === 'user' && typeof where === 'number') this.requireServer(where);
    const extent = this.tagRoles.length > 0 && where === 'all servers' ? ' on all servers' : '';
    throw new DomainError(
      'role_missing',
      role !== 'viewer'
        ? `This requires the role ${role}${extent}.`
        : this.kind === 'user'
          ? 'Your account has no role yet; ask an administrator for one.'
          : 'This requires a user account.',
    );
  }

  /** Where the capability is granted. */
  reach(capability: Capability): Reach {
    if (this.capabilities.has(capability)) return { ids: this.serverIds, tags: this.#tagsWith(capability) };
    const granted = [...this.serverRoles].filter(([, role]) => capabilitiesOf(role).has(capability));
    return { ids: new Set(granted.map(([id]) => id)), tags: this.#tagsWith(capability) };
  }

  #tagsWith(capability: Capability): ReadonlySet<string> {
    const granted = this.tagRoles.filter(({ role }) => capabilitiesOf(role).has(capability));
    return new Set(granted.map(({ tag }) => tag));
  }

  #holds(where: Extent, suffices: (role: Role) => boolean): boolean {
    if (where === 'all servers') return false;
    if (where === 'any server') return this.tagRoles.some(({ role }) => suffices(role));
    const role = this.serverRoles.get(where);
    return role !== undefined && suffices(role);
  }

  #roleWord(where: Extent): string {
    const role =
      typeof where === 'number' ? highestRole([this.role, this.serverRoles.get(where) ?? null]) : this.role;
    return role ?? 'none';
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

const NO_ROLES: ReadonlyMap<number, Role> = new Map();

/** How a caller is named, also one who is not there now. */
export const labelOf = ({ kind, name }: { readonly kind: ActorKind; readonly name: string }): string =>
  kind === 'operator' || kind === 'system' ? name : `${kind}:${name}`;

export const serverNotFound = (id: number): DomainError =>
  new DomainError('server_not_found', `There is no server with id ${id}.`);
