import { expect, it } from 'vitest';
import { useHost } from '../fleet/use-host.ts';
import { SlowPatches } from './slow-patches.ts';
import { patchTroubles } from './troubled-patches.ts';

patchTroubles({
  name: 'a patch',
  needs: 'fleet',
  feature: 'os_patch',
  shortRounds: 2,
  useHost,
  patchesOn: (host) => new SlowPatches(host),
  also: (patches, scene) =>
    it('is followed to its end although it is cancelled', async () => {
      const { rest, id } = scene();
      const job = await patches.begin(rest, id);
      expect(await rest.post(`/api/v1/jobs/${job}/cancel`)).toMatchObject({ status: 202 });
      const ended = await patches.end(rest, job);
      expect(ended.log_lines?.join('\n')).toContain('otherwise the job waits for its end');
      await patches.expectWhole(ended);
    }),
});
