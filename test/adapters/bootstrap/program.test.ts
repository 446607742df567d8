import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/adapters/bootstrap/config.ts';
import { type Core, openCore } from '../../../src/adapters/bootstrap/core.ts';
import { loopsOf } from '../../../src/adapters/bootstrap/modules/loops.ts';
import { SHARED } from '../../../src/application/base/shared-classes.ts';
import { ListServers } from '../../../src/application/fleet/list-servers.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';

let core: Core;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'drover-program-'));
  core = await openCore(
    readConfig({ SERVICE_DATA_DIR: dataDir }, () => ''),
    new RecordingLogger(),
  );
});
afterAll(async () => {
  await core.close();
  await rm(dataDir, { recursive: true });
});

it('makes every part', () => {
  const names = Object.keys(core.parts) as (keyof typeof core.parts)[];
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => core.parts[name] === undefined)).toEqual([]);
  expect(() => loopsOf(core)).not.toThrow();
});

it('has one instance of a class, by its name and by the class', () => {
  for (const [name, shared] of Object.entries(SHARED))
    expect(core.parts[name as keyof typeof SHARED], name).toBe(core.get(shared as typeof SHARED.wakeup));
  expect(core.get(ListServers)).toBe(core.get(ListServers));
});

it('does not compile for a class that asks for what there is not', () => {
  class Astray {
    readonly moon: string;
    constructor({ moon }: { moon: string }) {
      this.moon = moon;
    }
  }
  // @ts-expect-error: no part is called moon
  expect(core.get(Astray).moon).toBeUndefined();
});
