import type { DomainError } from '../../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../../domain/base/shell-command.ts';
import type { PinnedHostKey, Server } from '../../../../../domain/fleet/server.ts';
import type { SshKey } from '../../../../../domain/fleet/ssh-key.ts';
import { Copyable } from '../../components/copyable.tsx';
import { FormFault, NEW_FORM } from '../../components/form.tsx';
import { Status } from '../../components/status.tsx';
import { ContactFault } from './contact-fault.tsx';
import { inPlace } from './setup-card.tsx';

/** What a look at the host found; `null`: Drover has not looked yet. */
export type Look = { readonly presented: PinnedHostKey } | { readonly error: DomainError } | null;

/** The parts of the page that wait for the host, and change on their own. */
export const livePath = ({ id }: Server): string => `/live/servers/${id}/setup`;

interface KeyCardProps {
  readonly server: Server;
  /** `null`: the server uses the SSH agent. */
  readonly sshKey: SshKey | null;
  readonly look: Look;
  /** Why the last answer was refused. */
  readonly fault: string | null;
}

/** The key to install, and the fingerprint to compare. */
export function KeyCard({ server, sshKey, look, fault }: KeyCardProps) {
  return (
    <>
      {sshKey === null ? <AgentKey server={server} /> : <OwnKey server={server} sshKey={sshKey} />}
      <Fingerprint server={server} look={look} fault={fault} />
    </>
  );
}

function OwnKey({ server, sshKey }: { readonly server: Server; readonly sshKey: SshKey }) {
  const { sshUsername, hostname } = server.address;
  return (
    <>
      <p>
        Run this on <strong>{hostname}</strong> as <strong>{sshUsername}</strong>. It gives Drover access, and
        prints the fingerprints of the host.
      </p>
      <Copyable
        id="authorise"
        text={`${shellCommand`mkdir -p ~/.ssh && chmod 700 ~/.ssh && echo ${sshKey.publicKey} >> ~/.ssh/authorized_keys && chmod 600 ~/.ssh/authorized_keys`}; for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$key"; done`}
      />
      <details class="more">
        <summary>Only the public key, for ~/.ssh/authorized_keys</summary>
        <Copyable id="public-key" text={sshKey.publicKey} />
      </details>
    </>
  );
}

const AgentKey = ({ server }: { readonly server: Server }) => (
  <form method="post" action={`/servers/${server.id}/setup/key`}>
    <p>
      {server.name} has no SSH key in Drover, so Drover uses a key from the SSH agent, if one is running. Add
      its public key to ~/.ssh/authorized_keys of {server.address.sshUsername} on {server.address.hostname},
      or use a key that Drover creates.
    </p>
    <p class="actions">
      <button type="submit" class="quiet">
        Use the shared key
      </button>
    </p>
  </form>
);

/**
 * The fingerprint of the host as soon as Drover reaches it. Every look is a connection without a login, so it may be
 * repeated often.
 */
export function Fingerprint({ server, look, fault }: Omit<KeyCardProps, 'sshKey'>) {
  if (look !== null && 'presented' in look) {
    return (
      <div id="fingerprint">
        <Compare server={server} presented={look.presented} fault={fault} />
      </div>
    );
  }
  return (
    <div
      id="fingerprint"
      hx-get={livePath(server)}
      hx-trigger={look === null ? 'load' : 'every 5s'}
      hx-swap="outerHTML"
      data-live
    >
      {look === null ? (
        <p role="status">
          <Status tone="busy">{`Connecting to ${server.address.hostname}`}</Status>
        </p>
      ) : (
        <ContactFault server={server} error={look.error} />
      )}
      <p class="actions">
        <a class="button quiet" href={`/servers/${server.id}/setup/key?look=1`}>
          {look === null ? 'Continue' : 'Try again'}
        </a>
        {look === null ? null : <a href={`/servers/${server.id}/setup/address`}>Change address or account</a>}
      </p>
    </div>
  );
}

function Compare({
  server,
  presented,
  fault,
}: {
  readonly server: Server;
  readonly presented: PinnedHostKey;
  readonly fault: string | null;
}) {
  const pinned = server.address.hostKey;
  const same = pinned?.fingerprint === presented.fingerprint;
  return (
    <form {...inPlace(`/servers/${server.id}/setup/host-key`)}>
      <FormFault state={{ ...NEW_FORM, fault }} />
      {pinned !== null && !same ? (
        <p class="notice bad">
          This is not the key that was confirmed. If the host was not reinstalled, someone may be intercepting
          the connection.
        </p>
      ) : null}
      <p>
        {server.address.hostname} presents this {presented.algorithm} key. Compare it with the output on the
        host:
      </p>
      <p class="fingerprint mono">{presented.fingerprint}</p>
      <input type="hidden" name="fingerprint" value={presented.fingerprint} />
      <p class="actions">
        {same ? (
          <a href={`/servers/${server.id}/setup`} class="button">
            Continue
          </a>
        ) : (
          <button type="submit">Fingerprints match</button>
        )}
      </p>
    </form>
  );
}

interface ConnectProps {
  readonly server: Server;
  /** Why the last attempt failed; `null`: there was none yet. */
  readonly error: DomainError | null;
}

/**
 * Signs in and takes the inventory, without a click. Failed logins are repeated every ten seconds only: OpenSSH locks
 * out an address for a while after several in a row (PerSourcePenalties).
 */
export const Connect = ({ server, error }: ConnectProps) => (
  <form
    method="post"
    action={`/servers/${server.id}/check`}
    hx-post={livePath(server)}
    hx-trigger={error === null ? 'load' : 'every 10s'}
    hx-target="#setup"
    hx-swap="outerHTML"
    data-live
  >
    {error === null ? (
      <p role="status">
        <Status tone="busy">{`Signing in to ${server.name}`}</Status> Drover reads its inventory and changes
        nothing. This takes a few seconds.
      </p>
    ) : (
      <ContactFault server={server} error={error} />
    )}
    <p class="actions">
      <button type="submit" class="quiet">
        {error === null ? 'Continue' : 'Try again'}
      </button>
      {error === null ? null : (
        <>
          <a href={`/servers/${server.id}/setup/key`}>Show the key again</a>
          <a href={`/servers/${server.id}/setup/address`}>Change address or account</a>
        </>
      )}
    </p>
  </form>
);
