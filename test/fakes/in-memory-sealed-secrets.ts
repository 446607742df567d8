import type { SealedSecret, SealedSecrets } from '../../src/application/ports/service/sealed-secrets.ts';

const keyIdOf = (sealed: string): string => sealed.split('.')[1] ?? '';

export class InMemorySealedSecrets implements SealedSecrets {
  /** Those that are there; tests put theirs in. */
  readonly all: SealedSecret[] = [];

  async counts(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const { sealed } of this.all) counts.set(keyIdOf(sealed), (counts.get(keyIdOf(sealed)) ?? 0) + 1);
    return counts;
  }

  async *notUnder(keyId: string): AsyncGenerator<readonly SealedSecret[]> {
    yield this.all.filter(({ sealed }) => keyIdOf(sealed) !== keyId);
  }

  async replace({ place, sealed }: SealedSecret, again: string): Promise<boolean> {
    const at = this.all.findIndex(
      (each) => each.sealed === sealed && JSON.stringify(each.place) === JSON.stringify(place),
    );
    if (at < 0) return false;
    this.all[at] = { place, sealed: again };
    return true;
  }
}
