import type { ComponentChildren } from 'preact';
import type { CheckServer } from '../../../../../application/fleet/check-server.ts';
import type { ConfirmHostKey, ScanHostKey } from '../../../../../application/fleet/confirm-host-key.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ManageKeys } from '../../../../../application/fleet/manage-keys.ts';
import type { EditServer } from '../../../../../application/fleet/register-server.ts';
import { DomainError, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../../domain/base/shell-command.ts';
import type { PinnedHostKey, Server } from '../../../../../domain/fleet/server.ts';
import { Copyable } from '../../components/copyable.tsx';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { submit } from '../../form-state.ts';
import { page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { ContactFault, isContactFault } from './contact-fault.tsx';
import { nextStep, type SetupStep, SetupSteps, SHARED_KEY, withNewKey } from './server-new.tsx';

export interface ServerSetupDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly editServer: Pick<EditServer, 'execute'>;
  readonly manageKeys: Pick<ManageKeys, 'list' | 'create' | 'findByName'>;
  readonly scanHostKey: Pick<ScanHostKey, 'execute'>;
  readonly confirmHostKey: Pick<ConfirmHostKey, 'execute'>;
  readonly checkServer: Pick<CheckServer, 'execute'>;
}

const PATH = '/servers/:id/setup';
/** A user waits for the answer. */
const CHECK_MS = 45_000;

/** The first connection to a server, step by step. The server's state determines the step. */
export function serverSetupRoutes(deps: ServerSetupDeps): readonly WebRoute[] {
  const step = (
    path: string,
    show: (visit: SignedInVisit, server: Server) => WebReply | Promise<WebReply>,
    method: 'GET' | 'POST' = 'GET',
  ): WebRoute => ({
    method,
    path,
    needs: 'operator',
    handle: async (visit) =>
      show(visit, await deps.getServer.execute(visit.visitor.actor, serverId(visit.params))),
  });
  return [
    step(PATH, (_, server) => redirect(`/servers/${server.id}/setup/${nextStep(server)}`)),
    step(`${PATH}/key`, (_, server) => keyPage(deps, server)),
    step(
      `${PATH}/key`,
      async ({ visitor }, server) => {
        if (server.address.sshKeyId === null) await withNewKey(deps, visitor.actor, server, SHARED_KEY);
        return redirect(`/servers/${server.id}/setup/key`);
      },
      'POST',
    ),
    step(`${PATH}/host-key`, (visit, server) => hostKeyPage(deps, visit, server, NEW_FORM)),
    step(`${PATH}/host-key`, (visit, server) => confirm(deps, visit, server), 'POST'),
    step(`${PATH}/check`, (_, server) => checkPage(server, null)),
    step('/servers/:id/check', (visit, server) => check(deps, visit, server), 'POST'),
  ];
}

export const setupPage = (server: Server, at: SetupStep, body: ComponentChildren, status = 200): WebReply =>
  page(
    'servers',
    `Set up ${server.name}`,
    <>
      <SetupSteps server={server} at={at} />
      {body}
    </>,
    status,
  );

async function keyPage({ manageKeys }: ServerSetupDeps, server: Server): Promise<WebReply> {
  const { sshKeyId, sshUsername, hostname } = server.address;
  const key = (await manageKeys.list()).find(({ id }) => id === sshKeyId);
  const on = (
    <a href={`/servers/${server.id}/setup/host-key`} class="button">
      I added the key
    </a>
  );
  if (!key) {
    return setupPage(
      server,
      'key',
      <form method="post" action={`/servers/${server.id}/setup/key`} class="column">
        <p>
          {server.name} has no SSH key in Drover, so Drover uses a key of the SSH agent, if one runs. Add its
          public key to ~/.ssh/authorized_keys of {sshUsername} on {hostname}, or use a key that Drover
          creates.
        </p>
        <p class="row">
          {on}
          <button type="submit" class="quiet">
            Use the shared key
          </button>
        </p>
      </form>,
    );
  }
  return setupPage(
    server,
    'key',
    <div class="column">
      <p>
        Give Drover access: add this line to <code>~/.ssh/authorized_keys</code> of{' '}
        <strong>{sshUsername}</strong> on <strong>{hostname}</strong>.
      </p>
      <Copyable id="public-key" text={key.publicKey} />
      <p>Or run this there, as {sshUsername}; it does the same:</p>
      <Copyable
        id="authorise"
        text={shellCommand`mkdir -p ~/.ssh && chmod 700 ~/.ssh && echo ${key.publicKey} >> ~/.ssh/authorized_keys && chmod 600 ~/.ssh/authorized_keys`}
      />
      <p class="actions">{on}</p>
    </div>,
  );
}

async function hostKeyPage(
  { scanHostKey }: ServerSetupDeps,
  { visitor }: SignedInVisit,
  server: Server,
  state: FormState,
): Promise<WebReply> {
  const status = state === NEW_FORM ? 200 : 422;
  let presented: PinnedHostKey;
  try {
    presented = await scanHostKey.execute(visitor.actor, server.id);
  } catch (error) {
    if (!isDomainError(error) || !isContactFault(error)) throw error;
    return setupPage(
      server,
      'host-key',
      <div class="column">
        <ContactFault server={server} error={error} />
        <Again to={`/servers/${server.id}/setup/host-key`} server={server} />
      </div>,
      422,
    );
  }
  const pinned = server.address.hostKey;
  const same = pinned?.fingerprint === presented.fingerprint;
  return setupPage(
    server,
    'host-key',
    <form method="post" action={`/servers/${server.id}/setup/host-key`} class="column">
      <FormFault state={state} />
      {pinned !== null && !same ? (
        <p class="notice bad">
          This is not the key that was confirmed ({pinned.fingerprint}). If the host was not reinstalled,
          someone may be intercepting the connection.
        </p>
      ) : null}
      <p>
        {server.address.hostname} shows this {presented.algorithm} key:
      </p>
      <p class="fingerprint mono">{presented.fingerprint}</p>
      <p>On the host itself, on its console or over a trusted connection, this prints the same:</p>
      <Copyable
        id="compare"
        text={shellCommand`ssh-keygen -lf /etc/ssh/ssh_host_${fileOf(presented.algorithm)}_key.pub`}
      />
      <input type="hidden" name="fingerprint" value={presented.fingerprint} />
      <p class="actions">
        {same ? (
          <a href={`/servers/${server.id}/setup/check`} class="button">
            Continue
          </a>
        ) : (
          <button type="submit">Fingerprints match</button>
        )}
      </p>
    </form>,
    status,
  );
}

const fileOf = (algorithm: string): string =>
  algorithm.includes('ecdsa') ? 'ecdsa' : algorithm.includes('rsa') ? 'rsa' : 'ed25519';

/** Pins the key that was compared, and no other: the host is asked again for the rest of it. */
async function confirm(deps: ServerSetupDeps, visit: SignedInVisit, server: Server): Promise<WebReply> {
  const { visitor, form } = visit;
  return submit(
    form,
    async () => {
      const presented = await deps.scanHostKey.execute(visitor.actor, server.id);
      if (presented.fingerprint !== form.get('fingerprint')) {
        throw new InvalidInput([{ path: '/fingerprint', message: 'The host now presents a different key.' }]);
      }
      await deps.confirmHostKey.execute(visitor.actor, server.id, presented);
      return redirect(`/servers/${server.id}/setup/check`);
    },
    (state) => {
      const fault = 'The host presents a different key than the one you compared. Compare this one.';
      const isOther = state.problems.length > 0;
      return hostKeyPage(deps, visit, server, isOther ? { ...state, problems: [], fault } : state);
    },
  );
}

async function check(deps: ServerSetupDeps, { visitor }: SignedInVisit, server: Server): Promise<WebReply> {
  const signal = AbortSignal.timeout(CHECK_MS);
  try {
    const { suggestedJail } = await deps.checkServer.execute(visitor.actor, server.id, signal);
    if (server.facts.inventoryAt !== null) return redirect(`/servers/${server.id}`);
    const jail = suggestedJail === null ? '' : `?${new URLSearchParams({ jail: suggestedJail })}`;
    return redirect(`/servers/${server.id}/setup/features${jail}`);
  } catch (error) {
    const fault = signal.aborted
      ? new DomainError('host_timeout', `It took longer than ${CHECK_MS / 1000} s.`, { cause: error })
      : error;
    if (!isDomainError(fault) || !isContactFault(fault)) throw error;
    return checkPage(server, fault);
  }
}

const checkPage = (server: Server, fault: DomainError | null): WebReply =>
  setupPage(
    server,
    'check',
    <form method="post" action={`/servers/${server.id}/check`} class="column">
      {fault === null ? (
        <p>
          Drover now signs in to {server.name} and reads its inventory: system, disks, packages and
          containers. It changes nothing.
        </p>
      ) : (
        <ContactFault server={server} error={fault} />
      )}
      <p class="actions">
        <button type="submit">{fault === null ? 'Connect' : 'Try again'}</button>
        {fault === null ? null : <a href={`/servers/${server.id}/settings`}>Change its address or account</a>}
      </p>
      <p class="help">This takes a few seconds.</p>
    </form>,
    fault === null ? 200 : 422,
  );

const Again = ({ to, server }: { readonly to: string; readonly server: Server }) => (
  <p class="actions">
    <a class="button" href={to}>
      Try again
    </a>
    <a href={`/servers/${server.id}/settings`}>Change its address or account</a>
  </p>
);
