import type { Listing } from '../../../../../application/files/jail-file-ops.ts';
import { MAX_READ } from '../../../../../application/files/read-part.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { below, Crumbs, withPlace } from '../../components/crumbs.tsx';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { size } from '../../components/size.ts';
import { EntryTable } from './entry-table.tsx';

/** Refused forms on the page. */
export interface DirectoryState {
  readonly upload?: FormState;
  readonly mkdir?: FormState;
}

interface DirectoryProps {
  readonly server: Server;
  readonly listing: Listing;
  readonly mostBytes: number;
  readonly forms: DirectoryState;
  readonly now: Instant;
  /** May do more than actions on single files. */
  readonly mayAll: boolean;
  /** May see more than the file root. */
  readonly mayLook: boolean;
  /** The place, and the order of its entries. */
  readonly query: URLSearchParams;
}

/** A directory of the file root, and the forms to add to it. */
export function Directory(props: DirectoryProps) {
  const { server, listing, mostBytes, forms, now, mayAll, mayLook, query } = props;
  const files = `/servers/${server.id}/files`;
  const p = String(listing.path);
  return (
    <>
      <div class="toolbar">
        <Crumbs root={listing.jail} path={files} names={listing.path.names} />
        <span class="row">
          <Menu
            id="directory-actions"
            label="More actions of this directory"
            button="quiet icon small"
            face={<Icon name="ellipsis" />}
          >
            {mayAll ? (
              <a href={withPlace(`${files}/all/zip`, p)}>
                <Icon name="download" /> Download as zip
              </a>
            ) : null}
            <a href={`/servers/${server.id}/settings`}>
              <Icon name="settings" /> File access folder…
            </a>
            {mayLook ? (
              <a href={`/servers/${server.id}/host`}>
                <Icon name="server" /> The whole host…
              </a>
            ) : null}
          </Menu>
          <details class="drop" name="add" open={forms.mkdir !== undefined}>
            <summary class="button quiet small">New…</summary>
            <form class="card" method="post" action={`${files}/mkdir`}>
              <div class="body">
                <p>
                  <a class="button quiet" href={withPlace(`${files}/new`, p)}>
                    <Icon name="file-text" /> New text file
                  </a>
                </p>
                <FormFault state={forms.mkdir ?? NEW_FORM} />
                <input type="hidden" name="p" value={p} />
                <Field state={forms.mkdir ?? NEW_FORM} name="name" label="New directory" />
                <button type="submit" class="quiet">
                  Create directory
                </button>
              </div>
            </form>
          </details>
          <details class="drop" name="add" open={forms.upload !== undefined}>
            <summary class="button small">
              <Icon name="plus" /> Upload
            </summary>
            <UploadForm {...{ files, p, mostBytes }} state={forms.upload ?? NEW_FORM} />
          </details>
        </span>
      </div>
      <EntryTable
        entries={listing.entries}
        now={now}
        empty="The directory is empty. Upload a file, or create one here."
        buttons={0}
        sorting={{ path: files, query }}
        hrefOf={(entry) => hrefOf(entry, files, below(p, entry.shown.text))}
        actions={(entry) => actionsOf(entry, mayAll, files, below(p, entry.shown.text))}
      />
      {listing.truncated ? <p class="quiet">Only the first {listing.entries.length} are shown.</p> : null}
    </>
  );
}

type Entry = Listing['entries'][number];

function hrefOf({ kind, denied, size: bytes }: Entry, files: string, place: string): string | null {
  if (denied) return null;
  if (kind === 'dir') return withPlace(files, place);
  return kind === 'file' && bytes <= MAX_READ ? withPlace(`${files}/edit`, place) : null;
}

function actionsOf({ kind, denied, shown }: Entry, mayAll: boolean, files: string, place: string) {
  if (denied || shown.escaped) return [];
  const actions: readonly (readonly [string, string, boolean])[] = [
    ['download', 'Download', kind === 'file'],
    ['rename', 'Rename', kind !== 'other'],
    ['all/mode', 'Permissions', mayAll && (kind === 'file' || kind === 'dir')],
    ['delete', 'Delete', kind !== 'other'],
  ];
  return actions
    .filter(([, , offered]) => offered)
    .map(([action, label]) => ({ label, href: withPlace(`${files}/${action}`, place) }));
}

interface UploadFormProps {
  readonly files: string;
  readonly p: string;
  readonly mostBytes: number;
  readonly state: FormState;
}

/** The fields come before the file, which is not read before they are. */
function UploadForm({ files, p, mostBytes, state }: UploadFormProps) {
  return (
    <form class="card" method="post" action={`${files}/upload`} encType="multipart/form-data" data-send>
      <div class="body">
        <FormFault state={state} />
        <input type="hidden" name="p" value={p} />
        <label class="choice">
          <input type="checkbox" name="replace" value="yes" checked={state.typed.get('replace') === 'yes'} />
          <span>Replace a file of the same name</span>
        </label>
        <div class="field">
          <label for="file">File</label>
          <input type="file" id="file" name="file" required aria-describedby="file-help" />
          <p class="help" id="file-help">
            Up to {size(mostBytes)}.
          </p>
        </div>
        <p class="actions">
          <button type="submit">Upload</button>
          <progress max={1} value={0} hidden aria-label="Sent" />
          <span class="quiet" role="status" />
        </p>
      </div>
    </form>
  );
}
