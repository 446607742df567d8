import type { MaintenanceWindow, NewWindow } from '../../../domain/automation/maintenance-window.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** Maintenance windows; there are few. */
export interface WindowStore {
  /** Throws `name_taken`. */
  add(window: NewWindow, record: (window: MaintenanceWindow) => ChangeRecord): Promise<MaintenanceWindow>;
  /** All, by name. */
  list(): Promise<readonly MaintenanceWindow[]>;
  /** Its creator, the time, and whether it is switched on stay. Throws `window_not_found`, `name_taken`. */
  change(
    id: number,
    window: NewWindow,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow>;
  /** Throws `window_not_found`. */
  enable(
    id: number,
    enabled: boolean,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow>;
  /** Throws `window_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
}
