import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../docs/markdown.ts';
import { usePodmanHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';

const SECRET = 's3cret-of-the-unit';
/** Replaces the program: prints its user and environment, and names each process with the secret in its arguments. */
const STAND_IN = `#!/bin/sh
echo "$(id -un) $(pwd) $(umask)"
echo "$SERVICE_DATA_DIR $METRICS_TOKEN"
echo "$1|$2|$(cat)"
grep -la ${SECRET} /proc/[0-9]*/cmdline 2>/dev/null
exit 7
`;
/** The steps of docs/how-to/install.md: a user, the settings for root alone, the program and the wrapper. */
const INSTALL = `
id drover >/dev/null 2>&1 || useradd --system --home-dir /var/lib/drover --shell /usr/sbin/nologin drover
install -d -o drover -g drover /var/lib/drover
install -d /opt/drover/bin /etc/drover
(umask 077 && echo METRICS_TOKEN=${SECRET} > /etc/drover/environment)
printf %s "$1" > /usr/local/bin/drover && chmod 755 /usr/local/bin/drover
printf %s "$2" > /opt/drover/bin/drover.mjs && chmod 755 /opt/drover/bin/drover.mjs`;

describeWith('podman', 'the wrapper for commands beside the unit', () => {
  const host = usePodmanHost();

  it('runs them as the user of the unit, with its settings, which no process list shows', async () => {
    await host().exec(INSTALL, [await readFile(join(ROOT, 'deploy/systemd/drover'), 'utf8'), STAND_IN]);
    const { code, stdout, stderr } = await host().tryExec(
      'printf asked | /usr/local/bin/drover doctor "two words"',
    );
    expect([code, stdout.split('\n')], stderr).toEqual([
      7,
      ['drover /var/lib/drover 0077', `/var/lib/drover ${SECRET}`, 'doctor|two words|asked', ''],
    ]);
  });
});
