import type { PushSender, VapidKeys } from './ports/push-sender.ts';
import type { SecretBox } from './ports/secret-box.ts';
import type { SettingStore } from './ports/setting-store.ts';

const SETTING = 'vapid';
const PLACE = { table: 'settings', column: 'value', row: SETTING };

/** The keys by which push services know this service: made once, the same in every replica. */
export class PushIdentity {
  readonly #settings: SettingStore;
  readonly #box: SecretBox;
  readonly #sender: PushSender;
  #keys: VapidKeys | null = null;

  constructor(deps: { settings: SettingStore; box: SecretBox; sender: PushSender }) {
    this.#settings = deps.settings;
    this.#box = deps.box;
    this.#sender = deps.sender;
  }

  async keys(): Promise<VapidKeys> {
    if (this.#keys) return this.#keys;
    const kept = (await this.#settings.get(SETTING)) ?? (await this.#make());
    const { publicKey, sealed } = JSON.parse(kept) as { publicKey: string; sealed: string };
    this.#keys = { publicKey, privateKey: this.#box.open(sealed, PLACE) };
    return this.#keys;
  }

  async #make(): Promise<string> {
    const { publicKey, privateKey } = this.#sender.makeKeys();
    const made = JSON.stringify({ publicKey, sealed: this.#box.seal(privateKey, PLACE) });
    await this.#settings.setOnce(SETTING, made);
    // Where another replica was faster, its keys are the ones.
    return (await this.#settings.get(SETTING)) ?? made;
  }
}
