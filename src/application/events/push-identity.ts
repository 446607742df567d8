import { UseCase } from '../base/use-case.ts';
import type { VapidKeys } from '../ports/events/push-sender.ts';

const SETTING = 'vapid';
const PLACE = { table: 'settings', column: 'value', row: SETTING };

/** The keys by which push services know this service: made once, the same in every replica. */
export class PushIdentity extends UseCase<'settings' | 'box' | 'pushSender'> {
  #keys: VapidKeys | null = null;

  async keys(): Promise<VapidKeys> {
    if (this.#keys) return this.#keys;
    const kept = (await this.deps.settings.get(SETTING)) ?? (await this.#make());
    const { publicKey, sealed } = JSON.parse(kept) as { publicKey: string; sealed: string };
    this.#keys = { publicKey, privateKey: this.deps.box.open(sealed, PLACE) };
    return this.#keys;
  }

  async #make(): Promise<string> {
    const { publicKey, privateKey } = this.deps.pushSender.makeKeys();
    const made = JSON.stringify({ publicKey, sealed: this.deps.box.seal(privateKey, PLACE) });
    await this.deps.settings.setOnce(SETTING, made);
    // If another replica was faster, its keys are used.
    return (await this.deps.settings.get(SETTING)) ?? made;
  }
}
