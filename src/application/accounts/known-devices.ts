import { DEVICE_LIFE, MAX_DEVICES } from '../../domain/known-device.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceStore } from '../ports/device-store.ts';
import type { Digest } from '../ports/digest.ts';
import type { Randomness } from '../ports/randomness.ts';
import { looksLikeSecret, makeSecret } from './link-secret.ts';

/** Recognises browsers by the secret in their device cookie, and gives them a new one at each sign-in. */
export class KnownDevices {
  readonly #devices: DeviceStore;
  readonly #randomness: Randomness;
  readonly #digest: Digest;
  readonly #clock: Clock;

  constructor(deps: { devices: DeviceStore; randomness: Randomness; digest: Digest; clock: Clock }) {
    this.#devices = deps.devices;
    this.#randomness = deps.randomness;
    this.#digest = deps.digest;
    this.#clock = deps.clock;
  }

  /** Null if this browser never signed in as the user. Takes as long without such a user. */
  async find(userId: number | null, secret: string | null): Promise<number | null> {
    if (secret === null || !looksLikeSecret(secret)) return null;
    return this.#devices.find(userId ?? 0, this.#digest.sha256(secret), this.#clock.now() - DEVICE_LIFE);
  }

  /** After a sign-in. The former secret is void. */
  async remember(
    userId: number,
    former: string | null,
  ): Promise<{ readonly id: number; readonly secret: string }> {
    const { secret, hash } = makeSecret(this.#randomness, this.#digest);
    const formerHash = former !== null && looksLikeSecret(former) ? this.#digest.sha256(former) : null;
    const id = await this.#devices.remember(userId, { hash, formerHash }, this.#clock.now(), MAX_DEVICES);
    return { id, secret };
  }
}
