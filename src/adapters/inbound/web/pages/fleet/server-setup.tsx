import type { CheckServer } from '../../../../../application/fleet/check-server.ts';
import type { ConfirmHostKey, ScanHostKey } from '../../../../../application/fleet/confirm-host-key.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ManageKeys } from '../../../../../application/fleet/manage-keys.ts';
import type { EditServer } from '../../../../../application/fleet/register-server.ts';
import { DomainError, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { nameFromHost } from '../../../../../domain/fleet/data-paths.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { idOf, submit } from '../../form-state.ts';
import { done, page, part, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { isContactFault } from './contact-fault.tsx';
import { freeName, SHARED_KEY, withNewKey } from './server-new.tsx';
import { addressCard, saveAddress } from './setup-address.tsx';
import { SetupCards } from './setup-card.tsx';
import { type FirstBackupDeps, firstBackup } from './setup-done.tsx';
import { Connect, Fingerprint, KeyCard, type Look } from './setup-key.tsx';
import { finish, type ProtectDeps, protectCard } from './setup-protect.tsx';

export interface ServerSetupDeps extends ProtectDeps, FirstBackupDeps {
  readonly getServer: Pick<GetServer, 'execute' | 'named'>;
  readonly editServer: Pick<EditServer, 'execute'>;
  readonly manageKeys: Pick<ManageKeys, 'list' | 'create' | 'findByName'>;
  readonly scanHostKey: Pick<ScanHostKey, 'execute'>;
  readonly confirmHostKey: Pick<ConfirmHostKey, 'execute'>;
  readonly checkServer: Pick<CheckServer, 'execute'>;
}

const PATH = '/servers/:id/setup';
/** A user waits for the answer. */
const CHECK_MS = 45_000;

type Step = 'address' | 'key' | 'check' | 'protect' | 'done';

/** The next step, from the server's known state, so that you can leave at any step and come back. */
function nextStep({ address, facts, features }: Server): Step {
  if (address.connection === 'ssh' && address.hostKey === null) return 'key';
  if (facts.inventoryAt === null) return 'check';
  return Object.values(features).some(Boolean) ? 'done' : 'protect';
}

interface Shown {
  readonly step: Step;
  readonly look?: Look;
  readonly state?: FormState;
  /** Why the host could not be signed in to. */
  readonly error?: DomainError;
  /** A file root that the host suggested. */
  readonly jail?: string | null;
}

/** Adding a server after its address: one page, whose cards unfold. The server's state determines which one is open. */
export function serverSetupRoutes(deps: ServerSetupDeps): readonly WebRoute[] {
  const route = (
    method: 'GET' | 'POST',
    path: string,
    show: (visit: SignedInVisit, server: Server) => WebReply | Promise<WebReply>,
  ): WebRoute => ({
    method,
    path,
    needs: 'operator',
    ...(path.startsWith('/live/') ? { byItself: true as const } : {}),
    handle: async (visit) =>
      show(visit, await deps.getServer.execute(visit.visitor.actor, serverId(visit.params))),
  });
  /** Addresses of earlier versions. */
  const old = (path: string, to = ''): WebRoute =>
    route('GET', `${PATH}/${path}`, (_, { id }) => redirect(`/servers/${id}/setup${to}`));
  return [
    route('GET', PATH, (visit, server) =>
      setupPage(deps, visit, server, { step: nextStep(server), jail: visit.query.get('jail') }),
    ),
    // A card that is done, to see it again or to change it.
    route('GET', `${PATH}/address`, (visit, server) =>
      server.address.connection === 'local'
        ? redirect(`/servers/${server.id}/settings`)
        : setupPage(deps, visit, server, { step: 'address' }),
    ),
    route('POST', `${PATH}/address`, (visit, server) =>
      submit(
        visit.form,
        async () => {
          await saveAddress(deps, visit, server);
          return redirect(`/servers/${server.id}/setup`);
        },
        (state) => setupPage(deps, visit, server, { step: 'address', state }, 422),
      ),
    ),
    route('GET', `${PATH}/key`, async (visit, server) => {
      if (server.address.connection === 'local') return redirect(`/servers/${server.id}/setup`);
      const look = visit.query.has('look') ? await lookAt(deps, visit, server) : null;
      return setupPage(deps, visit, server, { step: 'key', look });
    }),
    route('GET', `${PATH}/features`, (visit, server) => setupPage(deps, visit, server, { step: 'protect' })),
    route('GET', `/live${PATH}`, async (visit, server) =>
      part(
        nextStep(server) === 'done' ? (
          await firstBackup(deps, visit, server)
        ) : (
          <Fingerprint server={server} look={await lookAt(deps, visit, server)} fault={null} />
        ),
      ),
    ),
    route('POST', `/live${PATH}`, async (visit, server) => {
      const checked = await check(deps, visit, server);
      return part(await setupPart(deps, visit, checked.server, checked));
    }),
    route('POST', `${PATH}/key`, async ({ visitor }, server) => {
      if (server.address.sshKeyId === null) await withNewKey(deps, visitor.actor, server, SHARED_KEY);
      return redirect(`/servers/${server.id}/setup/key`);
    }),
    route('POST', `${PATH}/host-key`, (visit, server) => confirm(deps, visit, server)),
    { method: 'POST', path: '/servers/check', needs: 'operator', handle: (visit) => checkAll(deps, visit) },
    route('POST', '/servers/:id/check', async (visit, server) => {
      const checked = await check(deps, visit, server);
      if (checked.error) return setupPage(deps, visit, server, checked, 422);
      if (server.facts.inventoryAt !== null) return done(`/servers/${server.id}`, server.name);
      const jail = checked.jail ? `?${new URLSearchParams({ jail: checked.jail })}` : '';
      return done(`/servers/${server.id}/setup${jail}`, server.name);
    }),
    route('POST', `${PATH}/features`, (visit, server) =>
      submit(
        visit.form,
        async () => {
          await finish(deps, visit, server);
          return redirect(`/servers/${server.id}/setup`);
        },
        (state) => setupPage(deps, visit, server, { step: 'protect', state }, 422),
      ),
    ),
    old('host-key', '/key'),
    old('check'),
    old('done'),
  ];
}

async function setupPage(
  deps: ServerSetupDeps,
  visit: SignedInVisit,
  server: Server,
  shown: Shown,
  status = 200,
): Promise<WebReply> {
  // The name may still change, when the host says what it is called.
  const title = server.facts.inventoryAt === null ? 'Add a server' : `Set up ${server.name}`;
  return page('servers', title, await setupPart(deps, visit, server, shown), status);
}

async function setupPart(deps: ServerSetupDeps, visit: SignedInVisit, server: Server, shown: Shown) {
  const { id, name, address } = server;
  const { connection, sshUsername, hostname, sshPort, hostKey } = address;
  const login = connection === 'local' ? 'this machine' : `${sshUsername}@${hostname}:${sshPort}`;
  const { step, look = null, state = NEW_FORM, error = null, jail = null } = shown;
  return (
    <div id="setup" class="stack">
      <SetupCards
        at={step === 'done' ? null : step === 'check' ? 'key' : step}
        summaries={{
          address: (
            <>
              {name} · {login} <a href={`/servers/${id}/setup/address`}>Change</a>
            </>
          ),
          key: hostKey === null ? 'not needed' : <code>{hostKey.fingerprint}</code>,
          protect: <a href={`/servers/${id}/setup/features`}>Change</a>,
        }}
      >
        {step === 'address' ? (
          await addressCard(deps, visit, server, state)
        ) : step === 'key' ? (
          <KeyCard server={server} sshKey={await keyOf(deps, server)} look={look} fault={state.fault} />
        ) : step === 'check' ? (
          <Connect server={server} error={error} />
        ) : step === 'protect' ? (
          await protectCard(deps, visit, server, { state, jail })
        ) : null}
      </SetupCards>
      {step === 'done' ? await firstBackup(deps, visit, server) : null}
    </div>
  );
}

const keyOf = async ({ manageKeys }: ServerSetupDeps, { address }: Server) =>
  (await manageKeys.list()).find(({ id }) => id === address.sshKeyId) ?? null;

async function lookAt(deps: ServerSetupDeps, { visitor }: SignedInVisit, server: Server): Promise<Look> {
  try {
    return { presented: await deps.scanHostKey.execute(visitor.actor, server.id) };
  } catch (error) {
    if (isDomainError(error) && isContactFault(error)) return { error };
    throw error;
  }
}

/** Pins the key that was compared, and no other: the host is asked again for the rest of it. */
async function confirm(deps: ServerSetupDeps, visit: SignedInVisit, server: Server): Promise<WebReply> {
  const { visitor, form } = visit;
  const again = async (fault: string | null): Promise<WebReply> =>
    setupPage(
      deps,
      visit,
      server,
      { step: 'key', look: await lookAt(deps, visit, server), state: { ...NEW_FORM, fault } },
      422,
    );
  return submit(
    form,
    async () => {
      const presented = await deps.scanHostKey.execute(visitor.actor, server.id);
      if (presented.fingerprint !== form.get('fingerprint')) {
        throw new InvalidInput([{ path: '/fingerprint', message: 'The host now presents a different key.' }]);
      }
      await deps.confirmHostKey.execute(visitor.actor, server.id, presented);
      return done(`/servers/${server.id}/setup`, server.name);
    },
    ({ problems }, error) =>
      again(
        problems.length > 0
          ? 'The host presents a different key than the one you compared. Compare this one.'
          : isContactFault(error)
            ? null
            : error.message,
      ),
  );
}

/** Signs in for the first time: the host's own name replaces an IP address. */
/** As many at once. */
const MAX_CHECKED = 5;

/** Checks several servers, from the list of unreachable ones. */
async function checkAll(deps: ServerSetupDeps, visit: SignedInVisit): Promise<WebReply> {
  const ids = visit.form.getAll('ids').flatMap((raw) => idOf(raw) ?? []);
  const checked = await Promise.all(
    ids
      .slice(0, MAX_CHECKED)
      .map(async (id) => check(deps, visit, await deps.getServer.execute(visit.visitor.actor, id))),
  );
  const reached = checked.filter(({ error }) => error === undefined).length;
  return { ...redirect('/'), toast: `${reached} of ${count(checked.length, 'server')} reached` };
}

async function check(
  deps: ServerSetupDeps,
  { visitor: { actor } }: SignedInVisit,
  server: Server,
): Promise<Shown & { readonly server: Server }> {
  const signal = AbortSignal.timeout(CHECK_MS);
  try {
    const checked = await deps.checkServer.execute(actor, server.id, signal);
    const better =
      server.facts.inventoryAt === null ? nameFromHost(server, checked.inventory.hostname) : null;
    const named =
      better === null
        ? checked.server
        : await deps.editServer.execute(actor, server.id, { name: await freeName(deps, actor, better) });
    return { server: named, step: nextStep(named), jail: checked.suggestedJail };
  } catch (error) {
    const fault = signal.aborted
      ? new DomainError('host_timeout', `It took longer than ${CHECK_MS / 1000} s.`, { cause: error })
      : error;
    if (!isDomainError(fault) || !isContactFault(fault)) throw error;
    const step = fault.code === 'host_key_mismatch' || server.address.hostKey === null ? 'key' : 'check';
    const look = step === 'key' ? { look: { error: fault } } : {};
    return { server, step: server.address.connection === 'local' ? 'check' : step, error: fault, ...look };
  }
}
