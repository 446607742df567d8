import {
  type FoundService,
  SERVICE_STATES,
  type Service,
  type ServiceKind,
} from '../../../../../domain/fleet/service.ts';
import { type Column, columns, hostWritten, int, named, oneOf, orNull, type Row } from './columns.ts';
import { SEARCH_SEPARATOR } from './server-row.ts';

export const severityOf = (state: FoundService['state']): number => SERVICE_STATES.indexOf(state);

const state: Column<FoundService['state'], number> = {
  read: (severity) => SERVICE_STATES[severity] ?? 'unknown',
  write: severityOf,
};

const FOUND_SERVICES = columns({
  kind: oneOf<ServiceKind>(),
  label: hostWritten,
  state: named('severity', state),
  message: hostWritten,
  project: orNull(hostWritten),
  container: orNull(hostWritten),
  checkedAt: int,
});
const SERVICES = columns({ id: int, serverId: int, ...FOUND_SERVICES.shape });

export type ServiceRow = Row<typeof SERVICES>;
export const SERVICE_COLUMNS = SERVICES.names;
export const toFoundService: (row: Row<typeof FOUND_SERVICES>) => FoundService = FOUND_SERVICES.read;

export const toService = (row: ServiceRow & { readonly server_name: string }): Service => ({
  ...SERVICES.read(row),
  serverName: row.server_name,
});

/** All but the id and the server's; `search_text` is only ever searched, not read. */
export const serviceColumns = (service: FoundService) => ({
  ...FOUND_SERVICES.write(service),
  search_text: [service.label, service.project ?? '', service.container ?? '']
    .join(SEARCH_SEPARATOR)
    .toLowerCase(),
});
