import type { ChangeRecord } from '../events/change-record.ts';

/** Small facts that the service keeps about itself, as text. */
export interface SettingStore {
  get(name: string): Promise<string | null>;
  /** With what it leaves behind, in one step. */
  set(name: string, value: string, record?: ChangeRecord): Promise<void>;
  /** Writes it only where it is not there yet; tells whether it did. Of several at once exactly one is told true. */
  setOnce(name: string, value: string): Promise<boolean>;
}
