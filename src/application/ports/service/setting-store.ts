import type { ChangeRecord } from '../events/change-record.ts';

/** Small facts that the service keeps about itself, as text. */
export interface SettingStore {
  get(name: string): Promise<string | null>;
  /** With its records, in one step. */
  set(name: string, value: string, record?: ChangeRecord): Promise<void>;
  /**
   * Writes it only if it does not exist yet; returns whether it did. Of several concurrent calls exactly one returns
   * true.
   */
  setOnce(name: string, value: string): Promise<boolean>;
}
