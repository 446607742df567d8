import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  readSections,
  SECTIONS_PRELUDE,
} from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';
import { FIXES, readFixes } from '../../../../../src/adapters/outbound/hosts/state/reported-fixes.ts';
import type { InstalledPackage } from '../../../../../src/domain/fleet/installed-package.ts';
import { POSIX_SHELLS } from '../../../../support/posix-shells.ts';

const MARK = '0123456789abcdef0123456789abcdef';
const run = promisify(execFile);
const fixture = (name: string): URL => new URL(`../../../../fixtures/feeds/${name}`, import.meta.url);

/** As rpm prints it; `0:` where a package has this epoch. */
const INSTALLED = [
  'openssh-server 8.7p1-38.el9',
  'bash 5.1-1.el9',
  'libopenssl3 0:3.1.4-150600.5.7.1',
  'kernel-default 6.4.0-150600.23.7.1',
  'kernel-default 6.4.0-150600.23.14.2',
  'nodejs 1:16.20.2-8.module_el9.4.0+100+71fc9528',
  'npm 1:10.5.0-1.18.20.2.1.module_el9.4.0+100+71fc9528',
];
const installed = INSTALLED.map((line): InstalledPackage => {
  const [name = '', version = ''] = line.split(' ');
  return { name, version, source: name, sourceVersion: version };
});

describe.each(POSIX_SHELLS)('Fixes that a host knows of, read with %s', (program, ...options) => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'drover-fixes-'));
    await writeFile(join(dir, 'rpm'), `#!/bin/sh\ncat ${dir}/installed\n`, { mode: 0o755 });
    await writeFile(join(dir, 'installed'), `${INSTALLED.join('\n')}\n`);
    const alma = await readFile(fixture('almalinux-updateinfo.xml'));
    await writeFile(join(dir, 'a-updateinfo.xml.gz'), gzipSync(alma));
    await copyFile(fixture('opensuse-updateinfo.xml'), join(dir, 'b-updateinfo.xml'));
    await writeFile(join(dir, 'c-updateinfo.xml.gz'), 'not gzip');
    await writeFile(join(dir, 'd-updateinfo.xml.zck'), 'unknown');
  });
  afterAll(() => rm(dir, { recursive: true }));

  const read = async (...names: readonly string[]) => {
    const files = names.map((name) => join(dir, name));
    const script = `${SECTIONS_PRELUDE}${FIXES}PATH=${dir}:$PATH; shift; section state-fixes 2000000 fixes_in "$@"`;
    const { stdout } = await run(program, [...options, '-c', script, 'x', MARK, ...files]);
    return readSections(stdout, MARK);
  };

  it('are those of the versions that are installed, and have a CVE', async () => {
    const found = readFixes(await read('a-updateinfo.xml.gz', 'b-updateinfo.xml'), installed);
    const kernel = {
      advisory: 'openSUSE-SLE-15.6-2024-2276',
      package: 'kernel-default',
      version: '6.4.0-150600.23.7.1',
      fixed: '6.4.0-150600.23.14.2',
    };
    expect(found).toEqual([
      {
        advisory: 'ALSA-2024:4312',
        cve: 'CVE-2024-6387',
        package: 'openssh-server',
        version: '8.7p1-38.el9',
        fixed: '8.7p1-38.el9_4.1',
      },
      {
        advisory: 'ALSA-2024:6147',
        cve: 'CVE-2024-22020',
        package: 'npm',
        version: '1:10.5.0-1.18.20.2.1.module_el9.4.0+100+71fc9528',
        fixed: '1:10.7.0-1.18.20.4.1.module_el9.4.0+112+9b2e9f0c',
      },
      { ...kernel, cve: 'CVE-2024-5535' },
      { ...kernel, cve: 'CVE-2024-4741' },
    ]);
  });

  it('are read in spite of files that the host cannot read', async () => {
    const found = readFixes(
      await read('c-updateinfo.xml.gz', 'd-updateinfo.xml.zck', 'a-updateinfo.xml.gz'),
      installed,
    );
    expect(found?.map(({ cve }) => cve)).toEqual(['CVE-2024-6387', 'CVE-2024-22020']);
  });
});
