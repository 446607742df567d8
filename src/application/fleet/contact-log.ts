import { type ErrorCode, isDomainError } from '../../domain/base/errors.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';

/** Refusals and timeouts of a host. An unconfirmed host key is not one: no connection was attempted. */
const FAILED: readonly ErrorCode[] = [
  'host_unreachable',
  'host_auth_failed',
  'host_key_mismatch',
  'host_timeout',
  'host_connection_lost',
];

/** Records since when a server is unreachable. Writes only changes. */
export class ContactLog extends UseCase<'clock' | 'servers.learn'> {
  async succeeded({ id, facts }: Server): Promise<void> {
    if (facts.contactFailedSince === null) return;
    const lastSeenAt = this.deps.clock.now();
    await this.deps.servers.learn(id, { contactFailedSince: null, contactError: null, lastSeenAt });
  }

  async failed({ id, facts }: Server, error: unknown): Promise<void> {
    if (!isDomainError(error) || !FAILED.includes(error.code) || facts.contactError === error.code) return;
    const contactFailedSince = facts.contactFailedSince ?? this.deps.clock.now();
    await this.deps.servers.learn(id, { contactFailedSince, contactError: error.code });
  }
}
