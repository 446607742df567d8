import { DEVICE_LIFE, MAX_DEVICES } from '../../domain/access/known-device.ts';
import { UseCase } from '../base/use-case.ts';
import { looksLikeSecret, makeSecret } from './link-secret.ts';

/** Recognises browsers by the secret in their device cookie, and gives them a new one at each sign-in. */
export class KnownDevices extends UseCase<'deviceStore' | 'randomness' | 'digest' | 'clock'> {
  /** Null if this browser never signed in as the user. Takes equally long if there is no such user. */
  async find(userId: number | null, secret: string | null): Promise<number | null> {
    if (secret === null || !looksLikeSecret(secret)) return null;
    return this.deps.deviceStore.find(
      userId ?? 0,
      this.deps.digest.sha256(secret),
      this.deps.clock.now() - DEVICE_LIFE,
    );
  }

  /** After a sign-in. The previous secret becomes void. */
  async remember(
    userId: number,
    former: string | null,
  ): Promise<{ readonly id: number; readonly secret: string }> {
    const { secret, hash } = makeSecret(this.deps.randomness, this.deps.digest);
    const formerHash = former !== null && looksLikeSecret(former) ? this.deps.digest.sha256(former) : null;
    const id = await this.deps.deviceStore.remember(
      userId,
      { hash, formerHash },
      this.deps.clock.now(),
      MAX_DEVICES,
    );
    return { id, secret };
  }
}
