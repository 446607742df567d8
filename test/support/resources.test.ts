import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ResourceClient } from './resource-client.ts';
import { SOCKET_VARIABLE, serveResources } from './resource-server.ts';

const former = process.env[SOCKET_VARIABLE];
const released: string[] = [];
let dir: string;
let close: () => Promise<void>;

beforeEach(async () => {
  released.length = 0;
  dir = await mkdtemp(join(tmpdir(), 'resources-'));
  process.env[SOCKET_VARIABLE] = join(dir, 'socket');
  close = await serveResources(join(dir, 'socket'), {
    echo: async (parameter) => parameter,
    fail: async () => {
      throw new Error('it is broken');
    },
    hold: async (name, releases) => {
      releases.push(() => void released.push(z.string().parse(name)));
      return null;
    },
  });
});
afterEach(async () => {
  await close();
  if (former === undefined) delete process.env[SOCKET_VARIABLE];
  else process.env[SOCKET_VARIABLE] = former;
  await rm(dir, { recursive: true });
});

it('answers each question with its own answer', async () => {
  const client = new ResourceClient();
  const answers = await Promise.all(['a', 'b', 'c'].map((text) => client.ask('echo', z.string(), text)));
  expect(answers).toEqual(['a', 'b', 'c']);
  client.close();
});

it('passes failures on', async () => {
  const client = new ResourceClient();
  await expect(client.ask('fail', z.null())).rejects.toThrow('it is broken');
  await expect(client.ask('nothing', z.null())).rejects.toThrow('there is no resource nothing');
  client.close();
});

it('releases what a connection held once it is closed', async () => {
  const [one, other] = [new ResourceClient(), new ResourceClient()];
  await one.ask('hold', z.null(), 'mine');
  await other.ask('hold', z.null(), 'yours');
  expect(released).toEqual([]);
  one.close();
  await expect.poll(() => released).toEqual(['mine']);
  await close();
  expect(released).toEqual(['mine', 'yours']);
});

it('says who may ask if no one is there to be asked', () => {
  delete process.env[SOCKET_VARIABLE];
  expect(() => new ResourceClient()).toThrow('*.sql.test.ts, *.fleet.test.ts and *.e2e.test.ts files only');
});
