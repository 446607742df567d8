import type { Actor } from '../../domain/access/actor.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { isOwnMachine, requireControl, type ServerUse } from '../../domain/fleet/own-machine.ts';
import type { PinnedHostKey, Server, ServerAddress } from '../../domain/fleet/server.ts';
import {
  type DescriptionChange,
  describeChange,
  describeServer,
  type ServerDescription,
} from '../../domain/fleet/server-description.ts';
import { type Ports, UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { MAX_JUMPS } from './host-opener.ts';
import { requireTagChange } from './tag-rights.ts';

/** Takes a server into the fleet. Nothing connects to it yet. */
export class RegisterServer extends UseCase<'servers' | 'keys' | 'clock' | 'users.grantedTags'> {
  /** For operators. Throws what `requireControl` throws, `invalid_input`, `name_taken`. */
  async execute(
    actor: Actor,
    description: ServerDescription,
    /** A key that a user confirmed earlier. */
    hostKey: PinnedHostKey | null = null,
  ): Promise<Server> {
    actor.requireRole('operator');
    const described = describeServer(description);
    const server = { ...described, address: { ...described.address, hostKey } };
    requireControl(actor, { id: null, ...server }, 'server.add');
    await requireTagChange(this.deps.users, actor, server.tags);
    await refuseUnknownReferences(this.deps, server.address);
    const now = this.deps.clock.now();
    return this.deps.servers.add(server, now, (added) => ({
      audit: [
        auditEntry(actor, now, 'server.add', `server:${added.id}`, {
          name: added.name,
          connection: added.address.connection,
          hostname: added.address.hostname,
        }),
        ...(hostKey === null
          ? []
          : [
              auditEntry(actor, now, 'server.confirm_host_key', `server:${added.id}`, {
                fingerprint: hostKey.fingerprint,
                replaces: null,
              }),
            ]),
      ],
    }));
  }
}

/** Changes a server's settings. A new host name or port requires its host key to be confirmed again. */
export class EditServer extends UseCase<'servers' | 'keys' | 'clock' | 'users.grantedTags'> {
  /**
   * For operators of the server; its address and tags, which could give them rights on others, for operators of all.
   * Throws `server_not_found`, what `requireControl` throws, `invalid_input`, `name_taken`, `empty_change`.
   */
  async execute(actor: Actor, id: number, change: DescriptionChange): Promise<Server> {
    actor.requireRole('operator', id);
    const named = Object.entries(change).filter(([, value]) => value !== undefined);
    if (named.length === 0)
      throw new DomainError('empty_change', 'Nothing to change: name at least one setting of the server.');
    const described = describeChange(change);
    const before = await existingServer(this.deps.servers, actor, id);
    const after = { ...before, address: { ...before.address, ...described.address } };
    for (const [field] of named) {
      const use = `server.edit.${field}` as ServerUse;
      // Also if this makes it the service's own machine, or no longer.
      requireControl(actor, isOwnMachine(after.address) ? after : before, use);
    }
    if (isElsewhere(before.address, after.address)) actor.requireRole('operator');
    const { tags = before.tags } = described;
    const retagged = [...tags, ...before.tags].filter(
      (tag) => !(tags.includes(tag) && before.tags.includes(tag)),
    );
    await requireTagChange(this.deps.users, actor, retagged);
    await refuseUnknownReferences(this.deps, described.address ?? {});
    await refuseJumpThroughItself(this.deps.servers, id, described.address?.jumpServerId ?? null);
    const now = this.deps.clock.now();
    const changed = await this.deps.servers.change(id, described, now, () => ({
      audit: [auditEntry(actor, now, 'server.edit', `server:${id}`, { change: Object.fromEntries(named) })],
    }));
    // Only callers who control the service get here. The next inventory shows whether it is this machine again.
    if (before.facts.onOwnMachine === null || changed.address.hostname === before.address.hostname)
      return changed;
    await this.deps.servers.learn(id, { onOwnMachine: null });
    return { ...changed, facts: { ...changed.facts, onOwnMachine: null } };
  }
}

/** Takes a server out of the fleet; its history and its snapshots stay. */
export class RemoveServer extends UseCase<'servers' | 'clock'> {
  /**
   * For operators. Throws `server_not_found`, what `requireControl` throws, and `job_already_active` while it has a
   * waiting or running job.
   */
  async execute(actor: Actor, id: number): Promise<void> {
    actor.requireRole('operator', id);
    requireControl(actor, await existingServer(this.deps.servers, actor, id), 'server.remove');
    const now = this.deps.clock.now();
    await this.deps.servers.remove(id, now, {
      audit: [auditEntry(actor, now, 'server.remove', `server:${id}`)],
    });
  }
}

/** An address decides with which key Drover signs in where. */
const isElsewhere = (before: ServerAddress, after: ServerAddress): boolean =>
  (['hostname', 'sshPort', 'sshUsername', 'sshKeyId', 'jumpServerId'] as const).some(
    (field) => before[field] !== after[field],
  );

async function refuseJumpThroughItself(
  servers: Ports['servers'],
  id: number,
  jumpServerId: number | null,
): Promise<void> {
  let jump = jumpServerId;
  for (let hops = 0; jump !== null && hops <= MAX_JUMPS; hops += 1) {
    if (jump === id) {
      const message =
        hops === 0
          ? 'A server cannot be its own jump server.'
          : 'This jump server is itself reached through the server.';
      throw new InvalidInput([{ path: '/jump_server_id', message }]);
    }
    jump = (await servers.find(jump))?.address.jumpServerId ?? null;
  }
}

async function refuseUnknownReferences(
  { keys, servers }: Pick<Ports, 'keys' | 'servers'>,
  address: { readonly sshKeyId?: number | null; readonly jumpServerId?: number | null },
): Promise<void> {
  const { sshKeyId, jumpServerId } = address;
  if (sshKeyId && !(await keys.find(sshKeyId))) {
    throw new InvalidInput([{ path: '/ssh_key_id', message: `There is no SSH key with id ${sshKeyId}.` }]);
  }
  if (jumpServerId && !(await servers.find(jumpServerId))) {
    throw new InvalidInput([
      { path: '/jump_server_id', message: `There is no server with id ${jumpServerId}.` },
    ]);
  }
}
