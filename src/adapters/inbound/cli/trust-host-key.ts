import type { Command } from 'commander';
import { ConfirmHostKey, ScanHostKey } from '../../../application/fleet/confirm-host-key.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { PinnedHostKey, Server } from '../../../domain/fleet/server.ts';
import { agrees } from './confirm.ts';
import type { Session } from './session.ts';

export interface TrustOptions {
  readonly hostKey?: string;
  readonly yes?: true;
}

export const withTrust = (command: Command): Command =>
  command
    .option('--host-key <fingerprint>', 'trust the host only if its key has this fingerprint (SHA256:...)')
    .option('-y, --yes', 'skip the prompt: trust the key that the host presents now');

/**
 * Asks the user to confirm a server's host key, and pins it. Throws `host_key_mismatch` if it is not the given one,
 * `host_key_unknown` without a confirmation.
 */
export async function trustHostKey(session: Session, server: Server, options: TrustOptions): Promise<void> {
  const { useCases, actor } = session;
  const presented = await useCases.get(ScanHostKey).execute(actor, server.id);
  await confirmPresented(session, server.address.hostname, { presented, options });
  await useCases.get(ConfirmHostKey).execute(actor, server.id, presented);
}

/** By the given fingerprint, by `--yes`, or by a user who compares it. Throws as `trustHostKey`. */
export async function confirmPresented(
  session: Session,
  hostname: string,
  { presented, options }: { readonly presented: PinnedHostKey; readonly options: TrustOptions },
): Promise<void> {
  const shown = `${hostname} presents the ${presented.algorithm} key ${presented.fingerprint}`;
  if (options.hostKey !== undefined) {
    if (options.hostKey === presented.fingerprint) return;
    throw new DomainError(
      'host_key_mismatch',
      `${shown}, not ${options.hostKey}. Either the fingerprint is mistyped, or a different machine answers.`,
    );
  }
  if (options.yes) {
    session.note(`${shown}; trusted without comparison.`);
    return;
  }
  if (session.canAsk) {
    session.note(`${shown}.`);
    session.note('Compare it on the host: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub');
    if (await agrees(session, 'Is it the same?')) return;
  }
  throw new DomainError(
    'host_key_unknown',
    `${shown}, and it is not confirmed. Compare it on the host, then add: --host-key ${presented.fingerprint}`,
  );
}
