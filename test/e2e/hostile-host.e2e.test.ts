import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_SHAPES } from '../support/hostile-output.ts';
import { PageClient } from '../support/page-client.ts';
import { questionOf, recordedAnswer } from '../support/recorded-debian.ts';
import { useService } from '../support/service.ts';
import { SimulatedSshd } from '../support/simulated-sshd.ts';

const PERSON = { name: 'ann', password: 'a long enough password of hers' };

/** Sections of the recorded host, the one of its disks in the place of which is the text. */
function flooded([mark = '']: readonly string[], text: string): string {
  const real = recordedAnswer('facts', [mark]);
  return `\n${mark} begin disks\next4 /dev/vda1 ${text}\n${mark} end 0\n${real}`;
}

describe('a host that lies', () => {
  const service = useService();
  let sshd: SimulatedSshd;
  let page: PageClient;
  /** Its answer about a file root. */
  let directory = '';
  /** Its answer about a container's labels. */
  let labels: readonly string[] = ['shop', 'web', '/srv/shop'];
  let unit = 'nginx.service';

  /** Its output for disks and packages. */
  let flood: string | null = null;

  const answer = (script: string, args: readonly string[]): string | undefined => {
    if (flood !== null) return flooded(args, flood);
    if (script.includes('$HOME/compose')) return directory;
    if (!script.includes('at_once facts ')) return undefined;
    const [mark = ''] = args;
    const container = JSON.stringify(['shop-web-1', 'running', 'app:1', 'Up', ...labels, 'a'.repeat(64)]);
    const own = { docker: container, 'failed-units': `${unit} loaded failed failed Anything` };
    const sections = Object.entries(own).map(
      ([name, text]) => `\n${mark} begin ${name}\n${text}\n${mark} end 0\n`,
    );
    return `${sections.join('')}${recordedAnswer(questionOf(script), args)}`;
  };

  beforeAll(async () => {
    sshd = await SimulatedSshd.start(0, answer);
    await PageClient.setUp(service().url, service().process.stdout, PERSON);
    page = await PageClient.signIn(service().url, PERSON);
    expect(await service().cli(['key', 'create', 'k'])).toMatchObject({ code: 0 });
    const { hostname, ssh_port, host_key_blob } = sshd.host;
    const digest = createHash('sha256').update(Buffer.from(host_key_blob, 'base64')).digest('base64');
    const address = ['--host', hostname, '--port', String(ssh_port), '--key', 'k'];
    const trust = ['--host-key', `SHA256:${digest.replace(/=+$/, '')}`];
    expect(await service().cli(['server', 'add', 'evil', ...address, ...trust])).toMatchObject({ code: 0 });
  });
  afterAll(() => sshd?.stop());

  const marker = (): string => join(service().dataDir, 'pwned');
  const check = () => service().cli(['server', 'check', 'evil']);

  /** The words of each command that a text suggests, as a shell reads the pasted line. */
  function pasted(text: string): readonly (readonly string[])[] {
    const lines = text.split('\n').flatMap((line) => /(?:npx )?drover [a-z].*/.exec(line)?.[0] ?? []);
    return lines.map((line) => {
      const script = `npx() { "$@"; }; drover() { printf '%s\\0' "$@"; }\n${line}`;
      return execFileSync('sh', ['-c', script], { cwd: '/', encoding: 'utf8' }).split('\0').slice(0, -1);
    });
  }

  it('has its directory quoted, and what it wrote there does nothing', async () => {
    // a slash would make another part of the path
    const touch = 'touch "$DROVER_PWNED"';
    process.env['DROVER_PWNED'] = marker();
    directory = `/srv/compose'; ${touch}; : '$(${touch})\`${touch}\`" && ${touch} && echo "`;
    const { code, stdout } = await check();
    expect(code).toBe(0);
    expect(pasted(stdout)).toEqual([['server', 'edit', '2', '--jail', directory]]);
    expect(existsSync(marker())).toBe(false);
  });

  it.each(['/srv/a\n  drover server remove evil', '/srv/\u001b[2K\u001b[1Adrover server remove 1', '--help'])(
    'suggests %j, which is not shown: a note says so',
    async (suggested) => {
      directory = suggested;
      const { code, stdout, stderr } = await check();
      expect(code).toBe(0);
      expect(stdout).toContain('not shown');
      expect(pasted(`${stdout}${stderr}`)).toEqual([]);
      const { status, location } = await page.post(`${service().url}/servers/2/check`);
      expect(status).toBe(303);
      expect(location).not.toContain('jail');
    },
  );

  it.each(["'; reboot; '$(reboot)`reboot`", '\u001b[31mred\n-rf'])(
    'names a project, a service, a directory and a unit %j, which is never shown',
    async (word) => {
      labels = [word, word, `/srv/${word}/..`];
      unit = word;
      expect(await page.post(`${service().url}/servers/2/check`)).toMatchObject({ status: 303 });
      for (const path of ['/servers/2', '/servers/2/inventory', '/servers/2/containers']) {
        const { text } = await page.get(`${service().url}${path}`);
        expect(text).not.toMatch(/reboot;|\$\(reboot|\u001b|31mred/);
      }
      const { json } = await service().cli(['server', 'check', 'evil', '--json']);
      const { containers } = (json as { inventory: { containers: readonly unknown[] } }).inventory;
      expect(containers).toMatchObject([{ name: 'shop-web-1', project: null, service: null, path: null }]);
    },
  );

  it.each(['blanks', 'nested JSON', 'many lines', 'words of tools'] as const)(
    'floods the service with %s, which goes on answering',
    async (shape) => {
      const waits: number[] = [];
      // within the limit of an answer, where each section is read, and far beyond it
      for (const bytes of [8, 16].map((mebibytes) => mebibytes * 1024 * 1024)) {
        flood = HOSTILE_SHAPES[shape]?.(bytes) ?? '';
        const over = new AbortController();
        const checked = page.post(`${service().url}/servers/2/check`).finally(() => {
          over.abort();
        });
        while (!over.signal.aborted) {
          const began = performance.now();
          expect((await fetch(`${service().url}/healthz`)).status).toBe(200);
          waits.push(performance.now() - began);
        }
        expect([200, 303, 422]).toContain((await checked).status);
      }
      flood = null;
      // No measurement, which is bench/hostile-output.ts: it was 7 s and more, and is some milliseconds.
      expect(Math.max(...waits)).toBeLessThan(3_500);
    },
  );
});
