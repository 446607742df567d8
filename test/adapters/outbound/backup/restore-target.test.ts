import { expect, test } from 'vitest';
import { prepareTarget } from '../../../../src/adapters/outbound/backup/restore-target.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';

const answering = (stdout: string, exitCode = 0, stderr = ''): RemoteHost =>
  ({
    run: async () => ({ exitCode, signal: null, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) }),
  }) as unknown as RemoteHost;
const { signal } = new AbortController();
const prepare = (host: RemoteHost) =>
  prepareTarget(host, { directory: '/srv', overwrite: true, above: [] }, signal, 'tar');

test('However much a host answers, little of it goes into the error', async () => {
  const huge = 'x'.repeat(1_000_000);
  for (const host of [
    answering(`0\0 1 1% \0${huge}\0${huge}\0`),
    answering(huge, 43, huge),
    answering('', 43, `${huge}\n`),
  ]) {
    const { message } = await expectRefusal(prepare(host), 'restore_failed');
    expect(message.length).toBeLessThan(2_000);
  }
});
