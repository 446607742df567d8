import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { ROOT } from '../docs/markdown.ts';
import { describeWith } from '../support/capabilities.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, kill } from '../support/processes.ts';
import { Service } from '../support/service.ts';
import { answered, type Reply, throughProxy } from './call.ts';

const WITHIN_MS = 60_000;
const PROXY = '127.0.0.1';
/** A client's address, which no one trusts. */
const CLIENT = '127.0.0.2';
const SAME = { 'Sec-Fetch-Site': 'same-origin' };
const SIGN_IN = '/sign-in/proxy';
const FORGED = { 'Remote-User': 'mallory', 'Remote-Groups': 'admins', 'Remote-Email': 'm@example.org' };
const Users = z.object({ users: z.array(z.object({ name: z.string(), role: z.string() })) });

/** What the authentication server answers for each user who is signed in there. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ann: { 'Remote-User': 'ann', 'Remote-Groups': 'staff,wheel', 'Remote-Email': 'ann@example.org' },
  nogroups: { 'Remote-User': 'nogroups' },
  noname: { 'Remote-Groups': 'staff' },
};

describeWith('caddy', 'forward authentication with the Caddyfile of the documentation', () => {
  let home: string;
  let service: Service;
  let caddy: ReturnType<typeof spawn>;
  let authentication: Server;
  let port: number;
  let said = '';
  const answers = { ...ANSWERS };
  const asked: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'drover-forward-auth-'));
    authentication = createServer((incoming, reply) => {
      asked.push(incoming.headers);
      const who = /portal=(\w+)/.exec(incoming.headers.cookie ?? '')?.[1] ?? '';
      const named = answers[who];
      if (named === undefined) reply.writeHead(302, { location: 'https://auth.example.org/' }).end();
      else reply.writeHead(200, named).end();
    });
    await new Promise<void>((resolve) => authentication.listen(0, PROXY, resolve));
    port = await freePort();
    service = await Service.start({
      settings: {
        SERVICE_TRUSTED_PROXIES: PROXY,
        SERVICE_PUBLIC_URL: `https://localhost:${port}`,
        SERVICE_FORWARD_AUTH: '1',
        SERVICE_FORWARD_AUTH_ROLES: 'admins=administrator,staff=viewer',
      },
    });
    const { url } = await service.ask(z.object({ url: z.string() }), ['user', 'setup']);
    const account = { name: 'root', password: 'quilt-harbor-ninety-violin', link: url.split('#')[1] ?? '' };
    expect((await directly('/welcome/password', SAME, account)).status).toBe(303);
    await writeFile(join(home, 'Caddyfile'), await caddyfile());
    const config = ['--config', join(home, 'Caddyfile'), '--adapter', 'caddyfile'];
    caddy = spawn('caddy', ['run', ...config], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    caddy.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-8_000);
    });
    await eventually('Caddy passes requests on', WITHIN_MS, async () => {
      if (caddy.exitCode !== null) throw new Error(`Caddy ended: ${said}`);
      return (await through('/healthz').catch(() => null))?.status === 200 || undefined;
    });
  });
  afterAll(async () => {
    await kill(caddy);
    await service.remove();
    authentication.closeAllConnections();
    await new Promise((resolve) => authentication.close(resolve));
    await rm(home, { recursive: true, force: true });
  });

  /** Only names, addresses and ports are those of the test. */
  async function caddyfile(): Promise<string> {
    const guide = await readFile(join(ROOT, 'docs/how-to/single-sign-on.md'), 'utf8');
    const shown = /```caddyfile\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const here: readonly (readonly [string, string])[] = [
      ['drover.example.org {', `https://localhost:${port} {\n\ttls internal`],
      ['authelia:9091', `${PROXY}:${(authentication.address() as AddressInfo).port}`],
      ['127.0.0.1:8888', `${PROXY}:${service.port}`],
    ];
    for (const [from] of here) expect(shown.split(from)).toHaveLength(2);
    const options = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n';
    return options + here.reduce((text, [from, to]) => text.replace(from, to), shown);
  }

  const through = (path: string, headers: Record<string, string> = {}, form?: Record<string, string>) =>
    throughProxy(
      { host: PROXY, port, name: 'localhost' },
      { path, from: CLIENT, headers, ...(form ? { form } : {}) },
    );
  /** Past the proxy. */
  const directly = (path: string, headers: Record<string, string>, form?: Record<string, string>) =>
    answered(
      request({
        host: PROXY,
        port: service.port,
        localAddress: CLIENT,
        agent: false,
        method: form ? 'POST' : 'GET',
        path,
        headers: {
          Host: `localhost:${port}`,
          ...(form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
          ...headers,
        },
      }),
      form ? new URLSearchParams(form).toString() : '',
    );
  const signIn = (who: string, headers: Record<string, string> = {}): Promise<Reply> =>
    through(SIGN_IN, { Cookie: `portal=${who}`, ...SAME, ...headers }, { next: '/account' });
  /** Every session that a reply opened, as a browser sends it. */
  const cookieOf = ({ headers }: Reply): string =>
    (headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ');
  const usersOf = async () =>
    (await service.ask(Users, ['user', 'list'])).users.map(({ name, role }) => `${name} ${role}`);

  it('lets no one pass whom the authentication server does not know', async () => {
    for (const path of ['/', '/sign-in', '/servers']) {
      const { status, headers } = await through(path, FORGED);
      expect([path, status, headers['location']]).toEqual([path, 302, 'https://auth.example.org/']);
    }
    expect(await usersOf()).toEqual(['root administrator']);
  });

  it('signs in as the user of the headers, whatever headers the client sends', async () => {
    const offer = await through('/sign-in', { Cookie: 'portal=ann', ...FORGED });
    expect([offer.status, offer.body.includes('Sign in as ann')]).toEqual([200, true]);
    const opened = await signIn('ann', FORGED);
    expect([opened.status, opened.headers['location']]).toEqual([303, '/account']);
    const cookie = `portal=ann; ${cookieOf(opened)}`;
    expect(cookie).toContain('__Host-');
    expect((await through('/account', { Cookie: cookie })).body).toContain('ann');
    expect((await through('/account', { Cookie: cookie, ...FORGED })).status).toBe(200);
    expect((await through('/settings/users', { Cookie: cookie, ...FORGED })).status).toBe(403);
    expect(await usersOf()).toEqual(['ann viewer', 'root administrator']);
    // The authentication server is not asked by headers of the client either.
    expect(asked.every((headers) => headers['remote-user'] === undefined)).toBe(true);
  });

  it('takes no header of the client in place of one that the authentication server does not send', async () => {
    expect((await signIn('nogroups', FORGED)).status).toBe(403);
    expect((await signIn('noname', FORGED)).status).toBe(401);
    expect(await usersOf()).toEqual(['ann viewer', 'root administrator']);
  });

  it('refuses the same headers from clients that bypass the proxy, also with a session', async () => {
    const headers = { ...FORGED, 'X-Forwarded-For': PROXY, 'X-Forwarded-Proto': 'https' };
    expect((await directly('/sign-in', headers)).body).not.toContain('Sign in as');
    const forged = await directly(SIGN_IN, { ...headers, ...SAME }, {});
    expect([forged.status, cookieOf(forged)]).toEqual([401, '']);
    expect(await usersOf()).toEqual(['ann viewer', 'root administrator']);
    const stolen = cookieOf(await signIn('ann'));
    const ann = { 'Remote-User': 'ann', 'Remote-Groups': 'staff,wheel', Cookie: stolen };
    expect((await directly('/account', ann)).status).toBe(303);
    expect(service.log).toContain('does not come from a trusted proxy');
  });

  it('ends the session if the authentication server names other groups, or signs the user out', async () => {
    const Cookie = `portal=ann; ${cookieOf(await signIn('ann'))}`;
    expect((await through('/account', { Cookie })).status).toBe(200);
    answers['ann'] = { ...ANSWERS['ann'], 'Remote-Groups': 'admins' };
    expect((await through('/account', { Cookie })).headers['location']).toMatch(/^\/sign-in/);
    delete answers['ann'];
    expect((await through('/account', { Cookie })).headers['location']).toBe('https://auth.example.org/');
  });

  it('lets programs pass, which need a token', async () => {
    expect((await through('/api/v1/servers', FORGED)).status).toBe(401);
    expect((await through('/mcp', FORGED)).status).toBe(405);
    const created = ['token', 'create', '--name', 'here', '--scopes', 'read'];
    const { secret } = await service.ask(z.object({ secret: z.string() }), created);
    const Authorization = `Bearer ${secret}`;
    expect((await through('/api/v1/servers', { ...FORGED, Authorization })).status).toBe(200);
  });
});
