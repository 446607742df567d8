import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { ROOT } from '../docs/markdown.ts';
import { describeWith } from '../support/capabilities.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, kill } from '../support/processes.ts';
import { Service } from '../support/service.ts';
import { answered, throughProxy } from './call.ts';

const WITHIN_MS = 60_000;
const PROXY = '127.0.0.1';
/** All of 127/8 is this machine: callers can have separate addresses. */
const [ALLOWED, OTHER] = ['127.0.0.2', '127.0.0.3'];
const Token = z.object({ secret: z.string() });
const Health = z.object({ client_ip: z.string() });

describeWith('caddy', 'behind the Caddyfile that we ship', () => {
  let home: string;
  let service: Service;
  let caddy: ReturnType<typeof spawn>;
  let said = '';
  let httpsPort: number;
  let httpPort: number;
  let secret: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'drover-caddy-'));
    service = await Service.start({ settings: { SERVICE_TRUSTED_PROXIES: PROXY } });
    const args = ['token', 'create', '--name', 'here', '--scopes', 'read', '--cidr', `${ALLOWED}/32`];
    ({ secret } = await service.ask(Token, args));
    httpsPort = await freePort();
    httpPort = await freePort();
    caddy = spawn('caddy', ['run', '--config', join(ROOT, 'deploy/Caddyfile'), '--adapter', 'caddyfile'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        XDG_DATA_HOME: home,
        XDG_CONFIG_HOME: home,
        DROVER_HTTPS_PORT: String(httpsPort),
        DROVER_HTTP_PORT: String(httpPort),
        DROVER_UPSTREAMS: `${PROXY}:${service.port}`,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    caddy.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-8_000);
    });
    await eventually('Caddy passes requests on', WITHIN_MS, async () => {
      if (caddy.exitCode !== null) throw new Error(`Caddy ended: ${said}`);
      return (await through(ALLOWED).catch(() => null))?.status === 200 || undefined;
    });
  });
  afterAll(async () => {
    await kill(caddy);
    await service.remove();
    await rm(home, { recursive: true, force: true });
  });

  /** Over HTTPS by the proxy, from one of this machine's addresses. */
  const through = (from: string, headers: Record<string, string> = {}) =>
    throughProxy(
      { host: PROXY, port: httpsPort, name: 'localhost' },
      { path: '/api/v1/health', from, headers: { Authorization: `Bearer ${secret}`, ...headers } },
    );

  it('a token’s addresses see the caller, not the proxy', async () => {
    const { status, body } = await through(ALLOWED);
    expect([status, Health.parse(JSON.parse(body)).client_ip]).toEqual([200, ALLOWED]);
    expect((await through(OTHER)).status).toBe(403);
  });

  it.each(['X-Forwarded-For', 'X-Real-IP', 'Forwarded'])('a forged %s does not pass', async (name) => {
    const value = name === 'Forwarded' ? `for=${ALLOWED}` : ALLOWED;
    expect((await through(OTHER, { [name]: value })).status).toBe(403);
    expect((await through(OTHER, { [name]: `${value}, ${PROXY}` })).status).toBe(403);
    const own = await through(ALLOWED, { [name]: OTHER });
    expect(Health.parse(JSON.parse(own.body)).client_ip).toBe(ALLOWED);
  });

  /** In the clear, by the proxy. */
  const plainly = (path: string, headers: Record<string, string> = {}) =>
    answered(
      request({
        host: PROXY,
        port: httpPort,
        path,
        localAddress: ALLOWED,
        agent: false,
        headers: { Host: `localhost:${httpPort}`, ...headers },
      }),
    );

  it('browsers are sent to HTTPS, and told to stay there', async () => {
    for (const path of ['/', '/sign-in?next=%2Fjobs', '/settings/tokens/new']) {
      const { status, headers } = await plainly(path);
      expect([status, headers['location']]).toEqual([308, `https://localhost:${httpsPort}${path}`]);
    }
    expect((await through(ALLOWED)).headers['strict-transport-security']).toBe('max-age=2592000');
  });

  it('programs may use either port', async () => {
    const authorization = `Bearer ${secret}`;
    const { status, body, headers } = await plainly('/api/v1/health', { authorization });
    expect([status, Health.parse(JSON.parse(body)).client_ip]).toEqual([200, ALLOWED]);
    expect(headers['strict-transport-security']).toBeUndefined();
    for (const [path, expected] of [
      ['/mcp', 405],
      ['/metrics', 200],
      ['/healthz', 200],
      ['/.well-known/oauth-protected-resource', 404],
    ] as const)
      expect((await plainly(path)).status, path).toBe(expected);
  });

  it('headers of clients that bypass the proxy are not trusted', async () => {
    const past = (from: string, headers: Record<string, string>) =>
      answered(
        request({
          host: PROXY,
          port: service.port,
          path: '/api/v1/health',
          localAddress: from,
          agent: false,
          headers: { Authorization: `Bearer ${secret}`, ...headers },
        }),
      );
    expect((await past(OTHER, { 'X-Forwarded-For': ALLOWED })).status).toBe(403);
    expect((await past(ALLOWED, {})).status).toBe(200);
  });
});
