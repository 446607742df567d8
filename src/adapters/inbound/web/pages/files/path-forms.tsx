import type { Instant } from '../../../../../domain/base/instant.ts';
import type { EntryFacts } from '../../../../../domain/files/directory-entry.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { withPlace } from '../../components/crumbs.tsx';
import { Field, FormFault, type FormState } from '../../components/form.tsx';
import { size } from '../../components/size.ts';
import { Ago } from '../../components/time.tsx';

interface PathFormProps {
  readonly server: Server;
  readonly p: string;
  readonly state: FormState;
}

const nameOf = (p: string): string => p.slice(p.lastIndexOf('/') + 1);
const aboveOf = ({ id }: Server, p: string): string =>
  withPlace(`/servers/${id}/files`, p.slice(0, Math.max(p.lastIndexOf('/'), 0)));

/** Another name in the same directory. */
export function RenameForm({ server, p, state }: PathFormProps) {
  return (
    <form method="post" action={`/servers/${server.id}/files/rename`} class="column">
      <FormFault state={state} />
      <p>
        On {server.name}: <code>{`${server.jail}/${p}`}</code>
      </p>
      <input type="hidden" name="p" value={p} />
      <Field
        state={state}
        name="dest"
        label="New name"
        value={nameOf(p)}
        help="In the same directory. Existing files are not replaced."
        focus
      />
      <p class="actions">
        <button type="submit">Rename</button>
        <a href={aboveOf(server, p)}>Cancel</a>
      </p>
    </form>
  );
}

interface DeleteFormProps extends PathFormProps {
  readonly facts: EntryFacts | null;
  readonly now: Instant;
  /** May delete directories with their contents. */
  readonly mayAll: boolean;
}

const WHAT = {
  file: 'file',
  dir: 'directory, which must be empty',
  link: 'link (its target is kept)',
  other: 'special file',
} as const;

/** Names what will be deleted. */
export function DeleteForm({ server, p, state, facts, now, mayAll }: DeleteFormProps) {
  const path = `/servers/${server.id}/files/delete`;
  return (
    <form method="post" action={path} class="column">
      <FormFault state={state} />
      <p>
        On {server.name}: <code>{`${server.jail}/${p}`}</code>
        {facts === null ? null : (
          <>
            , a {WHAT[facts.kind]}
            {facts.kind === 'file' ? ` of ${size(facts.size)}` : ''}, changed{' '}
            <Ago at={facts.modifiedAt} now={now} />
          </>
        )}
        .
      </p>
      <p>You can only restore it from a backup.</p>
      <input type="hidden" name="p" value={p} />
      <p class="actions">
        <button type="submit" class="danger">
          Delete
        </button>
        <a href={aboveOf(server, p)}>Cancel</a>
        {facts?.kind === 'dir' && mayAll ? (
          <a href={withPlace(`/servers/${server.id}/files/all/delete`, p)}>Delete with contents…</a>
        ) : null}
      </p>
    </form>
  );
}
