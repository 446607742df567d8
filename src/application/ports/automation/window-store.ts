import type { MaintenanceWindow, NewWindow } from '../../../domain/automation/maintenance-window.ts';
import type { Trail } from '../events/trail.ts';

/** Maintenance windows; there are few. */
export interface WindowStore {
  /** Throws `name_taken`. */
  add(window: NewWindow, trail: (window: MaintenanceWindow) => Trail): Promise<MaintenanceWindow>;
  /** All, by name. */
  list(): Promise<readonly MaintenanceWindow[]>;
  /** Whoever made it, when, and whether it is switched on, stays. Throws `window_not_found`, `name_taken`. */
  change(
    id: number,
    window: NewWindow,
    trail: (window: MaintenanceWindow) => Trail,
  ): Promise<MaintenanceWindow>;
  /** Throws `window_not_found`. */
  enable(
    id: number,
    enabled: boolean,
    trail: (window: MaintenanceWindow) => Trail,
  ): Promise<MaintenanceWindow>;
  /** Throws `window_not_found`. */
  remove(id: number, trail: Trail): Promise<void>;
}
