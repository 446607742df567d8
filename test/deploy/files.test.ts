import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { capture } from '../../scripts/lib/programs.mjs';
import { VARIABLES } from '../../src/adapters/bootstrap/config-variables.ts';
import { namesOf } from '../../src/adapters/bootstrap/read-variables.ts';
import { VERSION } from '../../src/adapters/bootstrap/version.ts';
import { ROOT } from '../docs/markdown.ts';
import { copiesOf, only, stages, words } from './dockerfile.ts';

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
const known = new Set(namesOf(VARIABLES));
const unknownOf = (names: readonly string[]): readonly string[] =>
  names.filter((name) => /^(SERVICE|METRICS|WEBHOOK)_/.test(name) && !known.has(name));

const Scripts = z.object({ scripts: z.record(z.string(), z.string()) });
const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      environment: z.record(z.string(), z.string()).optional(),
      ports: z.array(z.string()).optional(),
      volumes: z.array(z.string()).optional(),
      secrets: z.array(z.string()).optional(),
      networks: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

describe('the Dockerfile', () => {
  it('copies what is there and what is let into the build', async () => {
    const let_in = (await read('.dockerignore')).split('\n').map((line) => line.replace(/^!/, ''));
    for (const stage of await stages()) {
      for (const { sources, stage: from } of copiesOf(stage)) {
        for (const source of sources) {
          const path = from === null ? source : source.replace(/^\/opt\/drover\//, '');
          if (path !== 'dist' && path !== 'node_modules')
            expect(existsSync(join(ROOT, path)), path).toBe(true);
          if (from === null)
            expect(
              let_in.some((each) => path === each || path.startsWith(`${each}/`)),
              path,
            ).toBe(true);
        }
      }
    }
  });

  it('runs what package.json has, and nothing as root', async () => {
    const [build, image] = await stages();
    if (!build || !image) throw new Error('there are two stages');
    const { scripts } = Scripts.parse(JSON.parse(await read('package.json')));
    const runs = build.instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    for (const [, script = ''] of runs.join(' ').matchAll(/npm run (\S+)/g))
      expect(scripts).toHaveProperty(script);
    expect(only(image, 'USER')).toBe('node');
    expect(words(only(image, 'CMD'))).toEqual(['node', 'bin/drover.mjs', 'serve']);
    expect(only(image, 'EXPOSE').split(' ')).toEqual([
      String(VARIABLES.httpPort.fallback),
      String(VARIABLES.httpsPort.fallback),
    ]);
    const set = [...only(image, 'ENV').matchAll(/(\w+)=/g)].map(([, name = '']) => name);
    expect(unknownOf(set)).toEqual([]);
    for (const { from } of [build, image]) expect(from).toMatch(/^node:22-/);
  });
});

describe.each(['deploy/compose.yaml', 'deploy/compose.galera.yaml'])('%s', (path) => {
  const compose = async () => Compose.parse(parse(await read(path), { merge: true }));

  it('sets variables that there are, and asks for no secret in them', async () => {
    for (const { environment = {} } of Object.values((await compose()).services)) {
      expect(unknownOf(Object.keys(environment))).toEqual([]);
      expect(
        Object.keys(environment).filter(
          (name) => /(URL|KEY|PASSWORD)$/.test(name) && !/PUBLIC_URL|RANDOM_ROOT/.test(name),
        ),
      ).toEqual([]);
    }
  });

  it('names volumes, secrets and files that there are, and versions', async () => {
    const { services, volumes, secrets } = await compose();
    for (const service of Object.values(services)) {
      expect(service.image).toMatch(/:\d/);
      for (const secret of service.secrets ?? []) expect(secrets).toHaveProperty(secret);
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect(existsSync(join(ROOT, 'deploy', source)), source).toBe(true);
        else expect(volumes).toHaveProperty(source);
      }
    }
    const made = await read('deploy/make-secrets.sh');
    for (const { file } of Object.values(secrets)) expect(made).toContain(file.replace('./', ''));
    expect(services['drover']?.image).toBe(`drover:${VERSION}`);
  });

  it('publishes the two ports by the proxy alone, and lets the service believe that proxy alone', async () => {
    const { services } = await compose();
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['caddy', ['8443:8443', '8888:8888']],
    ]);
    const trusted = services['drover']?.environment?.['SERVICE_TRUSTED_PROXIES'];
    expect(services['caddy']?.networks).toEqual({ inside: { ipv4_address: trusted } });
  });
});

describe('the unit for systemd', () => {
  const unit = async (): Promise<ReadonlyMap<string, string>> =>
    new Map(
      (await read('deploy/systemd/drover.service'))
        .split('\n')
        .filter((line) => /^\w+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );

  it('starts the command as a separate user, and gives it time to stop', async () => {
    const set = await unit();
    const [, program = ''] =
      /^\/usr\/bin\/node \/opt\/drover\/(\S+) serve$/.exec(set.get('ExecStart') ?? '') ?? [];
    expect(existsSync(join(ROOT, program))).toBe(true);
    expect([set.get('User'), set.get('NoNewPrivileges'), set.get('ProtectSystem')]).toEqual([
      'drover',
      'yes',
      'strict',
    ]);
    expect(Number.parseInt(set.get('TimeoutStopSec') ?? '', 10)).toBeGreaterThan(30);
    expect(
      unknownOf((set.get('Environment') ?? '').split(' ').map((each) => each.split('=')[0] ?? '')),
    ).toEqual([]);
  });

  it('is understood by systemd, where that is installed', async () => {
    const { code, output } = await capture('systemd-analyze', [
      'verify',
      '--man=no',
      join(ROOT, 'deploy/systemd/drover.service'),
    ]).catch(() => ({ code: null, output: '' }));
    // It also looks for the program and for this machine's other units.
    const faults = output
      .split('\n')
      .filter((line) => line.includes('drover.service') && !/not executable|No such file/.test(line));
    expect(faults, String(code)).toEqual([]);
  });
});
