import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { CliFixture } from './cli-fixture.ts';

const feed = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/osv/${name}.jsonl`, import.meta.url), 'utf8');

const openssh = (name: string, version: string) => ({
  name,
  version,
  source: 'openssh',
  sourceVersion: version,
});

describe('packages and CVEs', () => {
  let cli: CliFixture;
  beforeEach(async () => {
    cli = new CliFixture();
    for (const name of ['alma', 'alpine', 'bookworm', 'fixed', 'jammy'])
      await cli.run(`server add ${name} --local`);
    const save = (id: number, system: string, name: string, version: string) =>
      cli.stores.packages.save(id, system, [openssh(name, version)]);
    await save(1, 'almalinux:9', 'openssh-server', '8.7p1-38.el9');
    await save(2, 'alpine:3.20', 'openssh-server', '9.7_p1-r3');
    await save(3, 'debian:12', 'openssh-server', '1:9.2p1-2+deb12u2');
    await save(4, 'debian:12', 'openssh-server', '1:9.2p1-2+deb12u3');
    await save(5, 'ubuntu:22.04', 'openssh-server', '1:8.9p1-3ubuntu0.9');
  });

  const load = async (...names: readonly string[]): Promise<unknown[]> => {
    const results = [];
    for (const name of names) {
      cli.io.files.set(`/feeds/${name}`, feed(name));
      results.push(await cli.json(`cve import /feeds/${name}`));
    }
    return results;
  };

  it('finds installed packages over the fleet', async () => {
    expect(await cli.json('package search openssh --package-version deb12')).toMatchObject({
      total: 2,
      complete: true,
      packages: [
        { server_name: 'bookworm', system: 'debian:12', source: 'openssh' },
        { server_name: 'fixed', version: '1:9.2p1-2+deb12u3' },
      ],
    });
    expect(await cli.json('package search --server alma')).toMatchObject({ total: 1 });
    expect(await cli.run('package search')).toMatchObject({ code: 2 });
    expect(await cli.run('package search x --server nobody')).toMatchObject({ code: 4 });
  });

  it('finds the servers that a CVE affects, by the feeds of four distributions', async () => {
    expect(await cli.json('cve show CVE-2024-6387')).toMatchObject({ known: false, total: 0, packages: [] });
    expect(await load('debian', 'ubuntu', 'alpine', 'almalinux')).toEqual([
      { ok: true, advisories: 3, vulnerabilities: 5 },
      { ok: true, advisories: 1, vulnerabilities: 3 },
      { ok: true, advisories: 1, vulnerabilities: 2 },
      { ok: true, advisories: 1, vulnerabilities: 3 },
    ]);
    const found = await cli.json('cve show cve-2024-6387');
    expect(found).toMatchObject({
      id: 'CVE-2024-6387',
      known: true,
      advisories: ['ALPINE-CVE-2024-6387', 'ALSA-2024:4312', 'DSA-5724-1', 'USN-6859-1'],
      total: 4,
      packages: [
        { server_name: 'alma', fixed_in: '8.7p1-38.el9_4.1' },
        { server_name: 'alpine', fixed_in: '9.7_p1-r4' },
        { server_name: 'bookworm', fixed_in: '1:9.2p1-2+deb12u3' },
        { server_name: 'jammy', fixed_in: '1:8.9p1-3ubuntu0.10' },
      ],
    });
    await load('debian');
    expect(await cli.json('cve show CVE-2024-6387')).toEqual(found);
    expect((await cli.run('cve show CVE-2024-6387')).out).toContain('1:9.2p1-2+deb12u3');
  });

  it('imports what distributions publish themselves, and adds what a server reports', async () => {
    const native = (name: string): string =>
      readFileSync(new URL(`../../../fixtures/feeds/${name}.json`, import.meta.url), 'utf8');
    const imported: unknown[] = [];
    for (const name of ['debian-tracker', 'ubuntu-notices', 'alpine-secdb']) {
      cli.io.files.set(`/feeds/${name}`, native(name));
      imported.push(await cli.json(`cve import /feeds/${name}`));
    }
    expect(imported).toEqual([
      { ok: true, advisories: 2, vulnerabilities: 3 },
      { ok: true, advisories: 2, vulnerabilities: 4 },
      { ok: true, advisories: 2, vulnerabilities: 4 },
    ]);
    const fix = { advisory: 'ALSA-2024:4312', cve: 'CVE-2024-6387', package: 'openssh-server' };
    await cli.stores.vulnerabilities.saveFixes(1, 'almalinux:9', [
      { ...fix, version: '8.7p1-38.el9', fixed: '8.7p1-38.el9_4.1' },
    ]);
    expect(await cli.json('cve show CVE-2024-6387')).toMatchObject({
      known: true,
      advisories: ['ALSA-2024:4312', 'DEBIAN-CVE-2024-6387', 'USN-6859-1', 'secdb-3.20/main/openssh'],
      total: 4,
      packages: [
        { server_name: 'alma', fixed_in: '8.7p1-38.el9_4.1' },
        { server_name: 'alpine', fixed_in: '9.7_p1-r4' },
        { server_name: 'bookworm', fixed_in: '1:9.2p1-2+deb12u3' },
        { server_name: 'jammy', fixed_in: '1:8.9p1-3ubuntu0.10' },
      ],
    });
  });

  it('refuses ids and files that are none', async () => {
    expect(await cli.run('cve show openssh')).toMatchObject({ code: 2 });
    cli.io.files.set('/feeds/bad', '{"id":"DSA-1-1"}\n{"id":"DSA-2-1"\n');
    const { code, err } = await cli.run('cve import /feeds/bad');
    expect(code).toBe(2);
    expect(err).toContain('line 2');
  });
});
