import type { PrivilegedFileOps, TreePreview } from '../../../../../application/files/privileged-file-ops.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Choices, Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { size } from '../../components/size.ts';
import { formRoute } from '../../form-state.ts';
import { done, fileReply, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { type FileDeps, filesOf, filesPage, placeOf, serverOf, split } from './files.tsx';

export interface PrivilegedFileDeps extends Pick<FileDeps, 'getServer'> {
  readonly privilegedFileOps: Pick<
    PrivilegedFileOps,
    'preview' | 'removeTree' | 'mode' | 'changeMode' | 'zip'
  >;
}

const PATH = '/servers/:id/files/all';

/** Actions for administrators who confirmed their password recently. */
export function privilegedFileRoutes(deps: PrivilegedFileDeps): readonly WebRoute[] {
  const { privilegedFileOps: ops } = deps;
  return [
    {
      method: 'GET',
      path: `${PATH}/delete`,
      needs: 'administrator',
      confirm: true,
      handle: (visit) => deletePage(deps, visit, NEW_FORM),
    },
    formRoute(
      `${PATH}/delete`,
      async (visit) => {
        const { id, p } = placeOf(visit);
        await ops.removeTree(visit.visitor, id, p, visit.form.get('confirmation') ?? '');
        const { directory, name } = split(p);
        return done(filesOf(id, directory), name);
      },
      (visit, state) => deletePage(deps, visit, state, 422),
      { confirm: true },
    ),
    {
      method: 'GET',
      path: `${PATH}/mode`,
      needs: 'administrator',
      confirm: true,
      handle: (visit) => modePage(deps, visit, NEW_FORM),
    },
    formRoute(
      `${PATH}/mode`,
      async (visit) => {
        const { id, p } = placeOf(visit);
        await ops.changeMode(visit.visitor, id, p, modeIn(visit.form));
        const { directory, name } = split(p);
        return done(filesOf(id, directory), name);
      },
      (visit, state) => modePage(deps, visit, state, 422),
      { confirm: true },
    ),
    {
      method: 'GET',
      path: `${PATH}/zip`,
      needs: 'administrator',
      confirm: true,
      handle: async (visit) => {
        const { id, p } = placeOf(visit);
        const zip = await ops.zip(visit.visitor, id, p, visit.gone);
        return fileReply({ ...zip, size: null, sha256: null });
      },
    },
  ];
}

async function deletePage(
  deps: PrivilegedFileDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const server = await serverOf(deps, visit);
  const { id, p } = placeOf(visit);
  const preview = await deps.privilegedFileOps.preview(visit.visitor, id, p);
  return filesPage(
    server,
    `Delete ${split(p).name} with its contents`,
    <DeleteTreeForm {...{ server, preview, state }} />,
    status,
  );
}

interface DeleteTreeFormProps {
  readonly server: Server;
  readonly preview: TreePreview;
  readonly state: FormState;
}

function DeleteTreeForm({ server, preview, state }: DeleteTreeFormProps) {
  const { jail, path, entries, bytes, partial, denied } = preview;
  const p = String(path);
  const { directory, name } = split(p);
  const cannot = partial || denied.length > 0;
  return (
    <form method="post" action={`/servers/${server.id}/files/all/delete`} class="column">
      <FormFault state={state} />
      <p>
        On {server.name}: <code>{`${jail}/${p}`}</code>, with{' '}
        <strong>{`${partial ? 'more than ' : ''}${count(entries, 'entry', 'entries')}, ${size(bytes)}`}</strong>{' '}
        in it. Links are deleted, their targets are kept.
      </p>
      {denied.length > 0 ? (
        <p class="notice bad">
          You cannot delete it here, because it contains files that file tools cannot access:{' '}
          <code>{denied.join(', ')}</code>
        </p>
      ) : null}
      {partial ? (
        <p class="notice bad">
          It is too large to delete at once, or part of it cannot be read. Delete it in parts, or on the
          server.
        </p>
      ) : null}
      {cannot ? null : (
        <>
          <p>You can only restore it from a backup.</p>
          <input type="hidden" name="p" value={p} />
          <Field
            state={state}
            name="confirmation"
            label="Directory name"
            help={
              <>
                To confirm, type <code>{name}</code>
              </>
            }
          />
        </>
      )}
      <p class="actions">
        {cannot ? null : (
          <button type="submit" class="danger" data-needs-name={name}>
            {`Delete ${count(entries + 1, 'entry', 'entries')} on ${server.name}`}
          </button>
        )}
        <a href={filesOf(server.id, directory)}>{cannot ? 'Back' : 'Cancel'}</a>
      </p>
    </form>
  );
}

const WHO = ['owner', 'group', 'others'] as const;
const WHO_TITLES = { owner: 'Owner', group: 'Group', others: 'Others' } as const;
const RIGHTS = [
  [4, 'read'],
  [2, 'write'],
  [1, 'execute, or open the directory'],
] as const;

/** The octal digits if given, else the checkboxes. */
function modeIn(form: URLSearchParams): string {
  const typed = (form.get('mode') ?? '').trim();
  if (typed !== '') return typed;
  return WHO.map((who) => form.getAll(who).reduce((sum, right) => sum + Number(right), 0)).join('');
}

async function modePage(
  deps: PrivilegedFileDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const server = await serverOf(deps, visit);
  const { id, p } = placeOf(visit);
  const mode = await deps.privilegedFileOps.mode(visit.visitor, id, p);
  const digits = (mode & 0o777).toString(8).padStart(3, '0');
  return filesPage(
    server,
    `Permissions of ${split(p).name}`,
    <form method="post" action={`/servers/${id}/files/all/mode`} class="column">
      <FormFault state={state} />
      <p>
        On {server.name}: <code>{`${server.jail}/${p}`}</code>, now{' '}
        <code>{mode.toString(8).padStart(4, '0')}</code>.
      </p>
      <input type="hidden" name="p" value={p} />
      {WHO.map((who, index) => (
        <Choices
          key={who}
          state={state}
          name={who}
          legend={WHO_TITLES[who]}
          type="checkbox"
          chosen={RIGHTS.filter(([bit]) => (Number(digits[index]) & bit) !== 0).map(([bit]) => String(bit))}
          choices={RIGHTS.map(([bit, label]) => ({ value: String(bit), label }))}
        />
      ))}
      <Field
        state={state}
        name="mode"
        label="Or in octal"
        help="For example 644 or 750; overrides the checkboxes. You cannot set the set-ID and sticky bits here."
        required={false}
      />
      <p class="actions">
        <button type="submit">Set permissions</button>
        <a href={filesOf(id, split(p).directory)}>Cancel</a>
      </p>
    </form>,
    status,
  );
}
