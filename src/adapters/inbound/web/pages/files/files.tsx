import type { ComponentChildren } from 'preact';
import type { CheckText } from '../../../../../application/files/check-text.ts';
import type { JailFileOps } from '../../../../../application/files/jail-file-ops.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { LookAtHost } from '../../../../../application/fleet/look-at-host.ts';
import type { EditServer } from '../../../../../application/fleet/register-server.ts';
import { type DomainError, isDomainError } from '../../../../../domain/base/errors.ts';
import { requireControl } from '../../../../../domain/fleet/own-machine.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { statusOf } from '../../../api/error-table.ts';
import { ControlNotice, mayControl } from '../../components/control.tsx';
import { withPlace } from '../../components/crumbs.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { formRoute, submit } from '../../form-state.ts';
import {
  done,
  fileReply,
  type PageReply,
  type SignedInVisit,
  type WebReply,
  type WebRoute,
} from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { serverPage } from '../fleet/server-frame.tsx';
import { Directory, type DirectoryState } from './directory.tsx';
import { JailForm } from './jail-form.tsx';
import { DeleteForm, RenameForm } from './path-forms.tsx';
import type { StackFileDeps } from './stack-of-file.ts';

export interface FileDeps extends StackFileDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly editServer: Pick<EditServer, 'execute'>;
  readonly lookAtHost: Pick<LookAtHost, 'enabled'>;
  readonly checkText: Pick<CheckText, 'execute'>;
  readonly jailFileOps: Pick<
    JailFileOps,
    'list' | 'stat' | 'read' | 'download' | 'write' | 'makeDirectory' | 'rename' | 'remove' | 'mostBytes'
  >;
}

const PATH = '/servers/:id/files';

/** Files of a server's file root. Editing is in `edit-file.tsx`. */
export function fileRoutes(deps: FileDeps): readonly WebRoute[] {
  return [
    { method: 'GET', path: PATH, needs: 'operator', handle: (visit) => directoryPage(deps, visit) },
    {
      method: 'GET',
      path: `${PATH}/download`,
      needs: 'operator',
      handle: async ({ visitor, params, query, gone }) => {
        const id = serverId(params);
        const file = await deps.jailFileOps.download(visitor.actor, id, query.get('p') ?? '', gone);
        return fileReply({ ...file, name: file.path.names.at(-1) ?? '' });
      },
    },
    {
      method: 'POST',
      path: `${PATH}/upload`,
      needs: 'operator',
      takes: 'file',
      handle: (visit) => changed(deps, visit, 'upload', () => upload(deps, visit)),
    },
    {
      method: 'POST',
      path: `${PATH}/mkdir`,
      needs: 'operator',
      handle: (visit) =>
        changed(deps, visit, 'mkdir', async ({ id, p }) => {
          const name = visit.form.get('name') ?? '';
          await deps.jailFileOps.makeDirectory(visit.visitor.actor, id, p, name);
          return name;
        }),
    },
    { method: 'GET', path: `${PATH}/rename`, needs: 'operator', handle: (visit) => renamePage(deps, visit) },
    formRoute(
      `${PATH}/rename`,
      async (visit) => {
        const { id, p } = placeOf(visit);
        const { directory, name } = split(p);
        const names = { p: directory, src: name, dest: visit.form.get('dest') ?? '' };
        await deps.jailFileOps.rename(visit.visitor.actor, id, names);
        return done(filesOf(id, directory), `${name} to ${names.dest}`);
      },
      (visit, state) => renamePage(deps, visit, state),
      { needs: 'operator' },
    ),
    { method: 'GET', path: `${PATH}/delete`, needs: 'operator', handle: (visit) => deletePage(deps, visit) },
    formRoute(
      `${PATH}/delete`,
      async (visit) => {
        const { id, p } = placeOf(visit);
        await deps.jailFileOps.remove(visit.visitor.actor, id, p);
        const { directory, name } = split(p);
        return done(filesOf(id, directory), name);
      },
      (visit, state) => deletePage(deps, visit, state),
      { needs: 'operator' },
    ),
    formRoute(
      `${PATH}/jail`,
      async (visit) => {
        const id = serverId(visit.params);
        const jailDeny = (visit.form.get('jail_deny') ?? '').split(/\s+/).filter(Boolean);
        const jail = (visit.form.get('jail') ?? '').trim();
        await deps.editServer.execute(visit.visitor.actor, id, { jail, jailDeny });
        return done(filesOf(id, ''), jail);
      },
      (visit, state) => jailPage(deps, visit, state, 422),
      { needs: 'operator' },
    ),
  ];
}

export const filesOf = (id: number, p: string): string => withPlace(`/servers/${id}/files`, p);

/** The server and the place that a page or a form is about. */
export function placeOf({ params, query, form }: SignedInVisit): { readonly id: number; readonly p: string } {
  return { id: serverId(params), p: form.get('p') ?? query.get('p') ?? '' };
}

export function split(p: string): { readonly directory: string; readonly name: string } {
  const at = p.lastIndexOf('/');
  return { directory: p.slice(0, Math.max(at, 0)), name: p.slice(at + 1) };
}

/** A page about a server's files; without a title about the directory that it shows. */
export const filesPage = (
  server: Server,
  title: string | null,
  body: ComponentChildren,
  status = 200,
): PageReply => ({
  // users who see this may work with files, and so with jobs
  ...serverPage(
    { server, tab: '/files', mayAct: true, status },
    <>
      {title === null ? null : <h2>{title}</h2>}
      {body}
    </>,
  ),
  ...(title === null ? {} : { parents: [{ href: filesOf(server.id, ''), label: 'Files' }], here: title }),
});

/** The server of the files, for users who may work with them. Throws as `requireControl`. */
export async function serverOf(
  { getServer }: Pick<FileDeps, 'getServer'>,
  { visitor: { actor }, params }: SignedInVisit,
): Promise<Server> {
  const server = await getServer.execute(actor, serverId(params));
  requireControl(actor, server, 'files');
  return server;
}

async function directoryPage(
  deps: FileDeps,
  visit: SignedInVisit,
  forms: DirectoryState = {},
  status = 200,
): Promise<WebReply> {
  const { id, p } = placeOf(visit);
  const { actor } = visit.visitor;
  const server = await deps.getServer.execute(actor, id);
  if (!mayControl(actor, server)) {
    const notice = <ControlNotice actor={actor} server={server} to={filesOf(id, p)} />;
    return filesPage(server, null, notice, 403);
  }
  requireControl(actor, server, 'files');
  if (server.jail === null) return jailPage(deps, visit);
  const listing = await deps.jailFileOps.list(actor, id, p).catch((error: unknown) => {
    if (isDomainError(error)) return error;
    throw error;
  });
  if (isDomainError(listing)) return faultPage(server, listing);
  const mayAll = actor.hasRole('administrator', id);
  const mayLook = mayAll && deps.lookAtHost.enabled;
  const { mostBytes } = deps.jailFileOps;
  const query = new URLSearchParams(visit.query);
  query.set('p', p);
  const body = (
    <Directory {...{ server, listing, mostBytes, forms, mayAll, mayLook, query }} now={visit.now} />
  );
  return { ...filesPage(server, null, body, status), script: 'upload' };
}

/** The host is unreachable, or the directory is missing: shown in the server's layout, with links. */
const faultPage = (server: Server, { code, message }: DomainError): WebReply =>
  filesPage(
    server,
    null,
    <>
      <p class="notice bad">
        {message} <code>{code}</code>
      </p>
      <p class="actions">
        <a href={filesOf(server.id, '')}>Show the file access folder</a>
        <a href={`/servers/${server.id}/settings`}>Server settings</a>
      </p>
    </>,
    statusOf(code),
  );

/** Changes a directory and shows it; after a refusal, with input and errors. */
const changed = (
  deps: FileDeps,
  visit: SignedInVisit,
  form: keyof DirectoryState,
  /** The name of what it changed. */
  work: (place: ReturnType<typeof placeOf>) => Promise<string>,
): Promise<WebReply> =>
  submit(
    visit.form,
    async () => {
      const place = placeOf(visit);
      const name = await work(place);
      return done(filesOf(place.id, place.p), name);
    },
    (state) => directoryPage(deps, visit, { [form]: state }, 422),
  );

async function upload({ jailFileOps }: FileDeps, visit: SignedInVisit): Promise<string> {
  const { id, p } = placeOf(visit);
  const { form, file, gone, visitor } = visit;
  if (file === null) return '';
  // some browsers send the path of a file
  const name = file.name.split(/[/\\]/).at(-1) ?? '';
  await jailFileOps.write(visitor.actor, id, {
    p,
    name,
    content: file.content,
    onlyNew: form.get('replace') !== 'yes',
    signal: gone,
    purpose: 'bulk',
  });
  return name;
}

async function renamePage(deps: FileDeps, visit: SignedInVisit, state?: FormState): Promise<WebReply> {
  const server = await serverOf(deps, visit);
  const { p } = placeOf(visit);
  return filesPage(
    server,
    `Rename ${split(p).name}`,
    <RenameForm server={server} p={p} state={state ?? NEW_FORM} />,
    state ? 422 : 200,
  );
}

async function deletePage(deps: FileDeps, visit: SignedInVisit, state?: FormState): Promise<WebReply> {
  const server = await serverOf(deps, visit);
  const { id, p } = placeOf(visit);
  const { actor } = visit.visitor;
  const facts = await deps.jailFileOps.stat(actor, id, p).catch((error: unknown) => {
    // shown by the form, if the file was deleted in the meantime
    if (state && isDomainError(error, 'file_not_found')) return null;
    throw error;
  });
  const mayAll = actor.hasRole('administrator', id);
  return filesPage(
    server,
    `Delete ${split(p).name}`,
    <DeleteForm {...{ server, p, facts, mayAll }} now={visit.now} state={state ?? NEW_FORM} />,
    state ? 422 : 200,
  );
}

async function jailPage(
  deps: FileDeps,
  visit: SignedInVisit,
  state: FormState = NEW_FORM,
  status = 200,
): Promise<WebReply> {
  const server = await serverOf(deps, visit);
  return filesPage(server, null, <JailForm server={server} state={state} />, status);
}
