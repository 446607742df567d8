import { createHash } from 'node:crypto';
import { MAX_READ } from '../../../../../application/files/read-part.ts';
import { DomainError, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { isWithin } from '../../../../../domain/base/path-within.ts';
import { unifiedDiff } from '../../../../../domain/compose/unified-diff.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { below, Crumbs, withPlace } from '../../components/crumbs.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { formRoute, submit } from '../../form-state.ts';
import { done, json, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { type EditableText, Editor, editableText, typedText } from './editor.tsx';
import { type FileDeps, filesOf, filesPage, placeOf, serverOf, split } from './files.tsx';
import { COMPOSE_FILES, offerOf } from './stack-of-file.ts';

const PATH = '/servers/:id/files';

/** A text in the editor, and the hash of the file that it was. */
interface TextDraft extends EditableText {
  readonly sha256: string;
}

/**
 * Text files of a file root: new ones, and existing ones that are written only if they have not changed since they
 * were read.
 */
export function editFileRoutes(deps: FileDeps): readonly WebRoute[] {
  return [
    {
      method: 'GET',
      path: `${PATH}/edit`,
      needs: 'operator',
      handle: async (visit) => editorPage(deps, visit, await readText(deps, visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: `${PATH}/edit`,
      needs: 'operator',
      handle: (visit) => {
        const typed = typedIn(visit);
        return submit(
          visit.form,
          () => (visit.form.has('preview') ? previewPage(deps, visit, typed) : save(deps, visit, typed)),
          (state) => editorPage(deps, visit, typed, state, { status: 422 }),
        );
      },
    },
    {
      method: 'POST',
      path: `${PATH}/check`,
      needs: 'operator',
      handle: async (visit) => {
        await serverOf(deps, visit);
        return json({ fault: deps.checkText.execute(nameIn(visit), typedIn(visit).text) });
      },
    },
    {
      method: 'GET',
      path: `${PATH}/compose`,
      needs: 'operator',
      handle: (visit) => toComposeFile(deps, visit),
    },
    {
      method: 'GET',
      path: `${PATH}/new`,
      needs: 'operator',
      handle: (visit) => newPage(deps, visit, NEW_FORM),
    },
    formRoute(
      `${PATH}/new`,
      (visit) => create(deps, visit),
      (visit, state) => newPage(deps, visit, state, 422),
      { needs: 'operator' },
    ),
  ];
}

/** To the editor of a stack's file; if the stack has none of the usual names, to its directory. */
async function toComposeFile(deps: FileDeps, visit: SignedInVisit): Promise<WebReply> {
  const { id, jail } = await serverOf(deps, visit);
  const directory = visit.query.get('directory') ?? '';
  if (jail === null || !isWithin(directory, jail)) return redirect(filesOf(id, ''));
  const p = directory.slice(jail.length).split('/').filter(Boolean).join('/');
  const { entries } = await deps.jailFileOps.list(visit.visitor.actor, id, p);
  const name = COMPOSE_FILES.find((each) => entries.some(({ shown }) => shown.text === each));
  if (name === undefined) return redirect(filesOf(id, p));
  return redirect(withPlace(`/servers/${id}/files/edit`, below(p, name)));
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const typedIn = ({ form }: SignedInVisit): TextDraft => ({
  text: typedText(form.get('text') ?? '', false),
  crlf: form.get('crlf') === 'yes',
  sha256: form.get('if_match') ?? '',
});

/** Of the file that is edited, or of a new one. */
const nameIn = ({ form }: SignedInVisit): string => form.get('name') ?? split(form.get('p') ?? '').name;

/** Throws `InvalidInput` for a text that its programs could not read, unless the user wants it nevertheless. */
function requireReadable({ checkText }: FileDeps, visit: SignedInVisit): void {
  const fault = visit.form.has('anyway') ? null : checkText.execute(nameIn(visit), typedIn(visit).text);
  if (fault === null) return;
  const message = `Line ${fault.line}: ${fault.message}`;
  throw new InvalidInput([{ path: '/text', message }]);
}

async function* contentOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}

/** Throws `not_a_file` for content that a form could not return unchanged. */
async function readText({ jailFileOps }: FileDeps, visit: SignedInVisit): Promise<TextDraft> {
  const { id, p } = placeOf(visit);
  const { bytes, size } = await jailFileOps.read(visit.visitor.actor, id, p);
  const editable = bytes.length === size ? editableText(bytes) : null;
  if (editable !== null) return { ...editable, sha256: hashOf(bytes) };
  throw new DomainError(
    'not_a_file',
    `"${p}" cannot be edited here: it is too large, is not UTF-8, or mixes line endings. Download it instead.`,
  );
}

async function save(deps: FileDeps, visit: SignedInVisit, typed: TextDraft): Promise<WebReply> {
  const { id, p } = placeOf(visit);
  const { directory, name } = split(p);
  requireReadable(deps, visit);
  try {
    await deps.jailFileOps.write(visit.visitor.actor, id, {
      p: directory,
      name,
      content: contentOf(typedText(typed.text, typed.crlf)),
      ifMatch: typed.sha256,
      signal: visit.gone,
    });
    const to = savedAt(id, p, typedText(typed.text, typed.crlf));
    return saved(deps, visit, to, { directory, name, words: `File saved: ${name}` });
  } catch (error) {
    if (isDomainError(error, 'changed_since_read')) return conflictPage(deps, visit, typed);
    throw error;
  }
}

/** The editor of a saved file, or its directory if it can no longer be edited here. */
function savedAt(id: number, p: string, text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const isEditable = bytes.length <= MAX_READ && editableText(bytes) !== null;
  return isEditable ? withPlace(`/servers/${id}/files/edit`, p) : filesOf(id, split(p).directory);
}

/** Says so, and leads from the file of a stack to its deployment. */
async function saved(
  deps: FileDeps,
  visit: SignedInVisit,
  to: string,
  { words, ...file }: { readonly directory: string; readonly name: string; readonly words: string },
): Promise<WebReply> {
  const offer = await offerOf(deps, visit, await serverOf(deps, visit), file);
  return offer.link === undefined ? done(to, file.name) : { ...redirect(to), toast: { words, ...offer } };
}

/** What saving would change in the file as it is now; nothing is saved. */
async function previewPage(deps: FileDeps, visit: SignedInVisit, typed: TextDraft): Promise<WebReply> {
  const now = await readText(deps, visit);
  if (now.sha256 !== typed.sha256) return conflictPage(deps, visit, typed);
  const state = { typed: visit.form, problems: [], fault: null };
  return editorPage(deps, visit, typed, state, { diff: unifiedDiff(now.text, typed.text) });
}

/** Someone else saved the file: the input stays, beside the changes that saving would make now. */
async function conflictPage(deps: FileDeps, visit: SignedInVisit, typed: TextDraft): Promise<WebReply> {
  const now = await readText(deps, visit).catch((error: unknown) => {
    if (isDomainError(error)) return null;
    throw error;
  });
  const fault =
    now === null
      ? 'The file was changed or deleted after you opened it, and can no longer be edited. Your text is below: copy it, then check the directory.'
      : 'The file was changed after you opened it. Your text is below and was not saved. If you save again, it replaces the current file; the difference is shown.';
  const state = { typed: visit.form, problems: [], fault };
  const diff = now === null ? null : unifiedDiff(now.text, typed.text);
  return editorPage(deps, visit, { ...typed, sha256: now?.sha256 ?? typed.sha256 }, state, {
    status: 409,
    diff,
  });
}

async function editorPage(
  deps: FileDeps,
  visit: SignedInVisit,
  edited: TextDraft,
  state: FormState,
  { status = 200, diff = null }: { readonly status?: number; readonly diff?: string | null } = {},
): Promise<WebReply> {
  const server = await serverOf(deps, visit);
  const { p } = placeOf(visit);
  const back = filesOf(server.id, split(p).directory);
  return withScript(
    server,
    split(p).name,
    <Editor action={`/servers/${server.id}/files/edit`} {...{ state, edited, back, diff }}>
      <Place {...{ server }} directory={split(p).directory} leaf={split(p).name} />
      <input type="hidden" name="p" value={p} />
      <input type="hidden" name="if_match" value={edited.sha256} />
      <input type="hidden" name="crlf" value={edited.crlf ? 'yes' : 'no'} />
    </Editor>,
    status,
  );
}

async function create(deps: FileDeps, visit: SignedInVisit): Promise<WebReply> {
  const { jailFileOps } = deps;
  const { id, p } = placeOf(visit);
  const { form, visitor, gone } = visit;
  const name = form.get('name') ?? '';
  const { text } = typedIn(visit);
  requireReadable(deps, visit);
  await jailFileOps.write(visitor.actor, id, {
    p,
    name,
    content: contentOf(text),
    onlyNew: true,
    signal: gone,
  });
  const to = savedAt(id, below(p, name), text);
  return saved(deps, visit, to, { directory: p, name, words: `File created: ${name}` });
}

async function newPage(
  deps: FileDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const server = await serverOf(deps, visit);
  const { p } = placeOf(visit);
  return withScript(
    server,
    'New text file',
    <Editor
      action={`/servers/${server.id}/files/new`}
      edited={typedIn(visit)}
      back={filesOf(server.id, p)}
      diff={null}
      state={state}
      named
    >
      <Place {...{ server }} directory={p} />
      <input type="hidden" name="p" value={p} />
    </Editor>,
    status,
  );
}

interface PlaceProps {
  readonly server: Server;
  readonly directory: string;
  readonly leaf?: string;
}

const Place = ({ server: { id, jail }, directory, leaf }: PlaceProps) => (
  <Crumbs
    root={jail ?? '/'}
    path={filesOf(id, '')}
    names={directory.split('/').filter(Boolean)}
    {...(leaf === undefined ? {} : { leaf })}
  />
);

const withScript = (...shown: Parameters<typeof filesPage>): WebReply => ({
  ...filesPage(...shown),
  script: 'editor',
});
