import { ManageKeys } from '../../../application/fleet/manage-keys.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { toIso } from '../../../domain/base/instant.ts';
import type { SshKey } from '../../../domain/fleet/ssh-key.ts';
import type { Session } from './session.ts';

/** An SSH key by its name. Throws `key_not_found`. */
export async function existingKey(session: Session, name: string): Promise<SshKey> {
  const key = await session.useCases.get(ManageKeys).findByName(name);
  if (key) return key;
  throw new DomainError(
    'key_not_found',
    `There is no SSH key "${name.slice(0, 60)}"; see them with: drover key list`,
  );
}

/** A key without its private half. */
export const keyView = (key: SshKey) => ({
  id: key.id,
  name: key.name,
  algorithm: key.algorithm,
  public_key: key.publicKey,
  fingerprint: key.fingerprint,
  created_at: toIso(key.createdAt),
});
