import { createHmac } from 'node:crypto';
import type { Randomness } from '../../../../application/ports/base/randomness.ts';
import type { SecretBox, SecretPlace } from '../../../../application/ports/base/secret-box.ts';
import type { SettingStore } from '../../../../application/ports/service/setting-store.ts';
import type { Mac } from '../../../../domain/events/audit-chain.ts';

const SETTING = 'audit_key';
const PLACE: SecretPlace = { table: 'settings', column: 'value', row: SETTING };

/**
 * Keyed hashes for the audit log. The key is created once and stored encrypted with the master key, so that it stays
 * the same when that is replaced; access to the database alone does not give it away. Throws `secret_unreadable`.
 */
export async function openAuditMac(
  settings: SettingStore,
  box: SecretBox,
  randomness: Randomness,
): Promise<Mac> {
  const made = (): string => box.seal(Buffer.from(randomness.bytes(32)).toString('base64'), PLACE);
  const kept = await settings.get(SETTING);
  if (kept === null) await settings.setOnce(SETTING, made());
  const key = Buffer.from(box.open(kept ?? (await settings.get(SETTING)) ?? '', PLACE), 'base64');
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
