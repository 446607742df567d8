import type { LookAtHost } from '../../../../../application/fleet/look-at-host.ts';
import { below, Crumbs, withPlace } from '../../components/crumbs.tsx';
import { fileReply, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { EntryTable } from './entry-table.tsx';
import { type FileDeps, filesPage, placeOf, serverOf } from './files.tsx';

export interface HostFileDeps extends Pick<FileDeps, 'getServer'> {
  readonly lookAtHost: Pick<LookAtHost, 'list' | 'download' | 'enabled'>;
}

const PATH = '/servers/:id/host';

/** All of a host's files, read-only. */
export function hostFileRoutes(deps: HostFileDeps): readonly WebRoute[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'administrator',
      confirm: true,
      handle: (visit) => directoryPage(deps, visit),
    },
    {
      method: 'GET',
      path: `${PATH}/download`,
      needs: 'administrator',
      confirm: true,
      handle: async (visit) => {
        const { id, p } = placeOf(visit);
        const file = await deps.lookAtHost.download(visit.visitor, id, p, visit.gone);
        return fileReply({ ...file, name: file.path.names.at(-1) ?? '' });
      },
    },
  ];
}

async function directoryPage(deps: HostFileDeps, visit: SignedInVisit): Promise<WebReply> {
  const { id, p } = placeOf(visit);
  const server = await serverOf(deps, visit);
  const { entries, path, truncated } = await deps.lookAtHost.list(visit.visitor, id, p);
  const own = `/servers/${id}/host`;
  return filesPage(
    server,
    `Files of ${server.name}`,
    <>
      <p class="quiet">
        Read-only, with the permissions of the login account. The audit log records every access.
      </p>
      <div class="toolbar">
        <Crumbs root="/" path={own} names={path.names} />
      </div>
      <EntryTable
        entries={entries}
        now={visit.now}
        sorting={{ path: own, query: visit.query }}
        buttons={1}
        hrefOf={({ kind, denied, shown }) =>
          kind === 'dir' && !denied && !shown.escaped ? withPlace(own, below(p, shown.text)) : null
        }
        actions={({ kind, denied, shown }) =>
          kind === 'file' && !denied && !shown.escaped
            ? [{ label: 'Download', href: withPlace(`${own}/download`, below(p, shown.text)) }]
            : []
        }
      />
      {truncated ? <p class="quiet">Only the first {entries.length} are shown.</p> : null}
    </>,
  );
}
