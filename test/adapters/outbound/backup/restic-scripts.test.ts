import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  argumentLines,
  EXIT,
  RUN_SCRIPT,
} from '../../../../src/adapters/outbound/backup/restic/restic-scripts.ts';

/** A `restic` that prints its password, its arguments and its input. */
const RESTIC = `#!/bin/sh
printf '%s\\0' "$RESTIC_PASSWORD" "$@"
cat
`;
const ENVIRONMENT = 'RESTIC_PASSWORD=pass \\n word\n\n';

describe('the script that starts restic', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'drover-restic-script-'));
    writeFileSync(join(directory, 'restic'), RESTIC, { mode: 0o755 });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const run = (input: string) =>
    spawnSync('/bin/sh', ['-c', RUN_SCRIPT, 'sh', ''], {
      input,
      env: { PATH: `${directory}:/usr/bin:/bin` },
      encoding: 'utf8',
    });

  it('passes arguments and input unchanged', () => {
    const args = ['backup', '', ' a  b ', '-n', '=x', '--exclude=a\\nb\\', 'line\nbreak\n', '$(id)', 'ü*?'];
    const { stdout, status } = run(`${ENVIRONMENT}${argumentLines(args)}in\n\nput`);
    expect(stdout.split('\0')).toEqual(['pass \\n word', ...args, 'in\n\nput']);
    expect(status).toBe(0);
  });

  it.each([
    ['an argument', `${ENVIRONMENT}=forget\n=abc`],
    ['the last argument', `${ENVIRONMENT}=forget\n`],
    ['the environment', ENVIRONMENT],
  ])('starts nothing if its input ends after %s', (_, input) => {
    expect(run(input)).toMatchObject({ status: EXIT.noArguments, stdout: '' });
  });
});
