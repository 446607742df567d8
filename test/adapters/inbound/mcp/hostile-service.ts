import { setImmediate as settled } from 'node:timers/promises';
import { CAPABILITIES } from '../../../../src/domain/access/scope.ts';
import { end } from '../../../support/at-end.ts';
import { openApiFixture } from '../http/api-fixture.ts';

/** The service in a separate process, which reports its memory use on request. */
const fixture = await openApiFixture();
const token = await fixture.token(CAPABILITIES);

process.on('message', () => void tell());
process.on('disconnect', () => void end().finally(() => process.exit(0)));
process.send?.({ base: fixture.base, token });

async function tell(): Promise<void> {
  // The tests' own memory is not the service's.
  fixture.logger.lines.length = 0;
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await settled();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, used: heapUsed + external });
}
