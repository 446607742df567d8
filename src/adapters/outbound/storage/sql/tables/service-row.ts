import {
  type FoundService,
  SERVICE_STATES,
  type Service,
  type ServiceKind,
} from '../../../../../domain/fleet/service.ts';
import { hostText } from './host-text.ts';
import { SEARCH_SEPARATOR } from './server-row.ts';

export interface ServiceRow {
  readonly id: number;
  readonly server_id: number;
  readonly kind: ServiceKind;
  readonly label: string;
  readonly severity: number;
  readonly message: string;
  readonly project: string | null;
  readonly container: string | null;
  readonly checked_at: number;
}

export const SERVICE_COLUMNS = [
  'id',
  'server_id',
  'kind',
  'label',
  'severity',
  'message',
  'project',
  'container',
  'checked_at',
] as const satisfies readonly (keyof ServiceRow)[];

export const toFoundService = (row: ServiceRow): FoundService => ({
  kind: row.kind,
  label: hostText(row.label),
  state: SERVICE_STATES[row.severity] ?? 'unknown',
  message: hostText(row.message),
  project: hostText(row.project),
  container: hostText(row.container),
  checkedAt: row.checked_at,
});

export const toService = (row: ServiceRow & { readonly server_name: string }): Service => ({
  ...toFoundService(row),
  id: row.id,
  serverId: row.server_id,
  serverName: row.server_name,
});

export const severityOf = (state: FoundService['state']): number => SERVICE_STATES.indexOf(state);

/** All but the id and the server's; `search_text` is only ever searched, not read. */
export const serviceColumns = (service: FoundService) => ({
  kind: service.kind,
  label: service.label,
  severity: severityOf(service.state),
  message: service.message,
  project: service.project,
  container: service.container,
  search_text: [service.label, service.project ?? '', service.container ?? '']
    .join(SEARCH_SEPARATOR)
    .toLowerCase(),
  checked_at: service.checkedAt,
});
