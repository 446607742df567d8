import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { bundled } from '../../../../support/bundled.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { type MakeDatabase, mariaDbDatabase, sqliteDatabase } from '../../../../support/databases.ts';
import { rounds } from '../../../../support/rounds.ts';

const PROCESSES = 3;
/** The start time of a process here, with a margin. */
const HEAD_START_MS = 2_000;

const Names = z.array(z.string());
const Won = z.object({ setting: Names, lease: Names, server: Names });

const script = await bundled(new URL('./race-process.ts', import.meta.url));

function races(makeDatabase: MakeDatabase): void {
  it('give each setting, lease and server name to exactly one of several processes', async () => {
    const { url, dataDir, drop } = await makeDatabase();
    onTestFinished(drop);
    const count = rounds(40, 2_000);
    const startAt = Date.now() + HEAD_START_MS;
    const processes = Array.from({ length: PROCESSES }, (_, index) => {
      const argv = [url ?? '', dataDir, `process-${index}`, String(count), String(startAt)];
      return promisify(execFile)(process.execPath, [script, ...argv]);
    });
    const won = (await Promise.all(processes)).map(({ stdout }) => Won.parse(JSON.parse(stdout)));
    const names = Array.from({ length: count }, (_, index) => `name-${index}`).toSorted();
    for (const kind of ['setting', 'lease', 'server'] as const) {
      expect(won.flatMap((each) => each[kind]).toSorted()).toEqual(names);
    }
  });
}

describe('races on SQLite', () => races(sqliteDatabase));
describeWith('mariadb', 'races on MariaDB', () => races(mariaDbDatabase));
