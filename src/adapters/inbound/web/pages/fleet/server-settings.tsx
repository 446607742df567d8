import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ManageKeys } from '../../../../../application/fleet/manage-keys.ts';
import type { EditServer, RemoveServer } from '../../../../../application/fleet/register-server.ts';
import type { SetFeatures } from '../../../../../application/fleet/set-features.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { FEATURE_FLAGS, type Server } from '../../../../../domain/fleet/server.ts';
import { ControlNotice, lacksControl } from '../../components/control.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { blaming, linesOf, listOf, requireName, submit, textOf } from '../../form-state.ts';
import { jobTypeOf } from '../../job-request.ts';
import type { SignedInVisit, Undo, WebReply, WebRoute } from '../../route.ts';
import { done } from '../../route.ts';
import { addressOf, changed, unlessUnchanged } from '../../server-form.ts';
import { serverId } from '../../server-id.ts';
import { featuresOf } from './features.tsx';
import { mayOperate } from './remedy.tsx';
import { AGENT } from './server-address.tsx';
import { serverPage } from './server-frame.tsx';
import {
  AddressForm,
  FeaturesForm,
  FilesForm,
  NameForm,
  type Part,
  RemoveForm,
  UpdatesForm,
} from './server-settings-forms.tsx';

export interface ServerSettingsDeps {
  readonly getServer: Pick<GetServer, 'execute' | 'named'>;
  readonly editServer: Pick<EditServer, 'execute'>;
  readonly setFeatures: Pick<SetFeatures, 'execute'>;
  readonly removeServer: Pick<RemoveServer, 'execute'>;
  readonly manageKeys: Pick<ManageKeys, 'list'>;
  readonly settings: { readonly hasSshAgent: boolean };
}

const PATH = '/servers/:id/settings';

/** A server's settings, with a separate form for each part. */
export function serverSettingsRoutes(deps: ServerSettingsDeps): readonly WebRoute[] {
  const { editServer, setFeatures, removeServer } = deps;
  /** Takes one of the forms; a refusal shows the page with it again. */
  const save = (
    part: Part,
    work: (visit: SignedInVisit, server: Server) => Promise<unknown>,
    to: (server: Server, form: URLSearchParams) => string = ({ id }) => `/servers/${id}/settings`,
    undo?: (server: Server) => Undo,
  ): WebRoute => ({
    method: 'POST',
    path: `${PATH}/${part}`,
    needs: 'operator',
    handle: async (visit) => {
      const server = await deps.getServer.execute(visit.visitor.actor, serverId(visit.params));
      return submit(
        visit.form,
        async () => {
          await work(visit, server).catch(unlessUnchanged);
          return {
            ...done(to(server, visit.form), part === 'name' ? textOf(visit.form, 'name') : server.name),
            ...(undo === undefined ? {} : { undo: undo(server) }),
          };
        },
        (state) => settingsPage(deps, visit, server, { part, state }),
      );
    },
  });
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: async (visit) =>
        settingsPage(deps, visit, await deps.getServer.execute(visit.visitor.actor, serverId(visit.params))),
    },
    save('name', ({ visitor, form }, server) =>
      blaming({ name_taken: '/name' }, () =>
        editServer.execute(visitor.actor, server.id, {
          name: textOf(form, 'name'),
          tags: listOf(form, 'tags'),
          ...(form.has('notes') ? { notes: textOf(form, 'notes').replaceAll('\r\n', '\n') } : {}),
        }),
      ),
    ),
    save('address', async ({ visitor, form }, server) => {
      const said = await addressOf(form, visitor.actor, deps.getServer);
      const sshKeyId = await keyOf(deps, form);
      await editServer.execute(visitor.actor, server.id, changed(server, { ...said, sshKeyId }));
    }),
    save(
      'features',
      ({ visitor, form }, server) => setFeatures.execute(visitor.actor, server.id, featuresOf(form)),
      // To the job that needed one of them.
      ({ id }, form) => {
        const job = jobTypeOf(form.get('job'));
        return job === null ? `/servers/${id}/settings` : `/servers/${id}/jobs/new?type=${job}`;
      },
      ({ id, features }) => ({
        action: `/servers/${id}/settings/features`,
        fields: { features: FEATURE_FLAGS.filter((flag) => features[flag]) },
      }),
    ),
    save('files', ({ visitor, form }, server) => {
      const jail = textOf(form, 'jail');
      return editServer.execute(visitor.actor, server.id, {
        jail: jail === '' ? null : jail,
        jailDeny: linesOf(form, 'jail_deny'),
        composeDirs: linesOf(form, 'compose_dirs'),
      });
    }),
    save('updates', ({ visitor, form }, server) =>
      editServer.execute(visitor.actor, server.id, { updateChecks: linesOf(form, 'update_checks') }),
    ),
    save(
      'remove',
      async ({ visitor, form }, server) => {
        requireName(form, server.name, 'remove it');
        await removeServer.execute(visitor.actor, server.id);
      },
      () => '/servers',
    ),
  ];
}

async function keyOf({ manageKeys }: ServerSettingsDeps, form: URLSearchParams): Promise<number | null> {
  const chosen = form.get('key') ?? '';
  if (chosen === AGENT) return null;
  const key = (await manageKeys.list()).find(({ id }) => String(id) === chosen);
  if (!key) throw new InvalidInput([{ path: '/ssh_key_id', message: 'Choose one of the keys.' }]);
  return key.id;
}

async function settingsPage(
  deps: ServerSettingsDeps,
  { visitor }: SignedInVisit,
  server: Server,
  refused?: { readonly part: Part; readonly state: FormState },
): Promise<WebReply> {
  const { actor } = visitor;
  const mayAct = mayOperate(actor, server.id);
  const mayChange = !lacksControl(actor, server);
  const mayMove = server.address.connection === 'ssh' && mayChange && mayOperate(actor, 'all servers');
  const { jumpServerId } = server.address;
  const [keys, jump] = await Promise.all([
    deps.manageKeys.list(),
    jumpServerId === null ? null : deps.getServer.execute(actor, jumpServerId).catch(() => null),
  ]);
  const state = (part: Part): FormState => (refused?.part === part ? refused.state : NEW_FORM);
  const form = { server, state };
  return serverPage(
    { server, tab: '/settings', mayAct, ...(refused ? { status: 422 } : {}) },
    mayAct ? (
      <div class="with-list">
        <Sections
          parts={SECTIONS.filter(
            ([part]) =>
              (part !== 'address' || mayMove) &&
              (mayChange || (part !== 'files' && part !== 'updates' && part !== 'remove')),
          )}
        />
        <div class={refused ? 'cards refused' : 'cards'}>
          <NameForm {...form} />
          {mayMove ? (
            <AddressForm {...form} keys={keys} jump={jump?.name ?? ''} hasAgent={deps.settings.hasSshAgent} />
          ) : null}
          <FeaturesForm {...form} />
          {mayChange ? (
            <>
              <FilesForm {...form} />
              <UpdatesForm {...form} />
              <RemoveForm {...form} />
            </>
          ) : (
            <ControlNotice actor={actor} server={server} to={`/servers/${server.id}/settings`} />
          )}
        </div>
      </div>
    ) : (
      <p>
        Only operators and administrators can change settings. The other tabs show everything about the
        server.
      </p>
    ),
  );
}

/** The forms, in their order on the page. */
const SECTIONS: readonly (readonly [Part, string])[] = [
  ['name', 'General'],
  ['address', 'Connection'],
  ['features', 'Features'],
  ['files', 'Files and stacks'],
  ['updates', 'Package updates'],
  ['remove', 'Danger zone'],
];

const Sections = ({ parts }: { readonly parts: typeof SECTIONS }) => (
  <nav class="list-nav" aria-label="Sections">
    {parts.map(([part, label]) => (
      <a key={part} href={`#${part}-form`}>
        {label}
      </a>
    ))}
  </nav>
);
