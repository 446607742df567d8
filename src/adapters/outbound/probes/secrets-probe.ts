import type { Probe } from '../../../application/ports/service/probe.ts';
import type { SealedSecrets } from '../../../application/ports/service/sealed-secrets.ts';
import { keyUse } from '../../../domain/access/master-key-use.ts';
import { fail, ok, warn } from './finding.ts';

/** Which master keys the secrets are encrypted by. `keyIds`: those that are there, the current one first. */
export const secretsProbe = (
  keyIds: () => Promise<readonly string[]>,
  secrets: Pick<SealedSecrets, 'counts'>,
): Probe => ({
  name: 'secrets',
  look: async () => {
    const keys = keyUse(await keyIds(), await secrets.counts());
    const detail =
      keys.length === 0
        ? 'Nothing is encrypted yet.'
        : `Secrets by key: ${keys.map(({ id, state, secrets: n }) => `${id} (${state}) ${n}`).join(', ')}.`;
    const found = { name: 'secrets', detail };
    if (keys.some(({ state }) => state === 'unknown')) {
      const remedy =
        'put your backup of the unknown key behind the others; without it, enter those secrets again';
      return fail({ ...found, remedy });
    }
    if (keys.some(({ state, secrets: n }) => state === 'old' && n > 0))
      return warn({ ...found, remedy: 'drover master-key rotate' });
    return ok('secrets', detail);
  },
});
