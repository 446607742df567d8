import { setImmediate as settled } from 'node:timers/promises';
import { CAPABILITIES } from '../../../../src/domain/access/scope.ts';
import { end } from '../../../support/at-end.ts';
import { openDoors } from '../http/doors.ts';

/** The service in a separate process, which reports its memory use on request. */
const doors = await openDoors();
const token = await doors.token(CAPABILITIES);

process.on('message', () => void tell());
process.on('disconnect', () => void end().finally(() => process.exit(0)));
process.send?.({ base: doors.base, token });

async function tell(): Promise<void> {
  // The tests' own memory is not the service's.
  doors.logger.lines.length = 0;
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await settled();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, used: heapUsed + external });
}
