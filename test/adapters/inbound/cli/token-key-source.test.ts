import { beforeEach, describe, expect, test } from 'vitest';
import { tokenSchema } from '../../../../src/adapters/inbound/api/views/token-view.ts';
import { isTokenSecret } from '../../../../src/domain/access/token-secret.ts';
import { CliFixture } from './cli-fixture.ts';

let cli: CliFixture;

beforeEach(() => {
  cli = new CliFixture();
});

describe('token create', () => {
  test('shows the secret once, with a client file that is ready to use', async () => {
    const { code, out } = await cli.run('token create --name mcp-try --scopes read,jobs');
    const [secret = ''] = /drv_\w+/.exec(out) ?? [];
    expect(code).toBe(0);
    expect(isTokenSecret(secret)).toBe(true);
    const [before = '', file = ''] = out.split(/\n\n(?=\{)/);
    expect(before).toContain('SERVICE_PUBLIC_URL');
    expect(JSON.parse(file)).toEqual({
      mcpServers: {
        drover: {
          type: 'http',
          url: 'http://localhost:8888/mcp',
          headers: { Authorization: `Bearer ${secret}` },
        },
      },
    });
    expect((await cli.run('token list')).out).not.toContain(secret);
  });

  test('gives scripts the fields of the token and its secret', async () => {
    const { secret, ...token } = await cli.json(
      'token create --name nightly --scopes read --scopes jobs,feature:backup --expires 30d --cidr 192.0.2.0/24 --require-approval',
    );
    expect(isTokenSecret(secret)).toBe(true);
    expect(tokenSchema.parse(token)).toMatchObject({
      id: 1,
      scopes: ['read', 'jobs', 'feature:backup'],
      allowed_features: ['backup'],
      allowed_cidrs: ['192.0.2.0/24'],
      allowed_server_ids: null,
      require_approval: true,
      approval: 'reviewer',
      created_by: 'cli:tester',
      expires_at: '2026-12-20T12:00:00.000Z',
      active: true,
    });
  });

  test('names the public address where there is one, and warns of nothing then', async () => {
    cli.settings = { ...cli.settings, publicUrl: 'https://drover.example.org:8443' };
    const { out } = await cli.run('token create --name mcp --scopes read');
    expect(out).toContain('"url": "https://drover.example.org:8443/mcp"');
    expect(out).not.toContain('SERVICE_PUBLIC_URL');
  });

  test('shows the file of the client that is named, and how to use it', async () => {
    const { out } = await cli.run('token create --name mcp --scopes read --client codex');
    expect(out).toContain('SERVICE_PUBLIC_URL is not set');
    expect(out).toContain(
      '\n\n[mcp_servers.drover]\nurl = "http://localhost:8888/mcp"\nbearer_token_env_var = "DROVER_TOKEN"\n',
    );
    expect(out).toMatch(/environment variable DROVER_TOKEN/);
    expect((await cli.run('token rotate 1 --client stdio')).out).toContain('"/here/bin/drover-mcp.mjs"');
    expect(await cli.run('token create --name x --scopes read --client emacs')).toMatchObject({
      code: 2,
      err: expect.stringContaining('claude, cursor, vscode, codex, json, toml, stdio'),
    });
  });

  test('gives scripts the file as one more field, where they name a client', async () => {
    const { secret, client } = await cli.json('token create --name mcp --scopes read --client claude');
    expect(client).toMatchObject({ client: 'claude', language: 'json', warning: expect.any(String) });
    expect(JSON.parse(client.text).mcpServers.drover.headers.Authorization).toBe(`Bearer ${secret}`);
  });

  test('refuses servers that do not exist', async () => {
    expect(await cli.run('token create --name x --scopes read --server 1,2')).toMatchObject({
      code: 4,
      err: expect.stringContaining('server_not_found'),
    });
  });

  test('takes servers by id or name', async () => {
    for (const name of ['web', 'db']) {
      cli.hosts.host(name);
      await cli.run(`server add ${name} --host ${name}.test --yes --no-check`);
    }
    const { id } = await cli.json('token create --name x --scopes read --server web,2');
    expect(await cli.json(`token show ${id}`)).toMatchObject({ allowed_server_ids: [1, 2] });
    expect(await cli.json(`token edit ${id} --server db`)).toMatchObject({ allowed_server_ids: [2] });
    expect(await cli.json(`token edit ${id} --server all`)).toMatchObject({ allowed_server_ids: null });
  });
});

describe('token list, rotate and revoke', () => {
  beforeEach(async () => {
    await cli.run('token create --name mcp --scopes read');
  });

  test('list tells their state', async () => {
    await cli.run('token create --name other --scopes read,jobs --expires 2027-01-31');
    await cli.run('token revoke 1');
    const { out } = await cli.run('token list');
    expect(out).toMatch(/^ID +NAME +SECRET +SCOPES +SERVERS +GRANTED BY +LAST USED +EXPIRES +STATE\n/);
    expect(out).toMatch(/^ 2 +other +drv_\w{8} +read,jobs +all +- +never +3[01] Jan 2027, .* active$/m);
    expect(out).toMatch(/^ 1 +mcp .* revoked$/m);
    expect(await cli.json('token list')).toMatchObject({
      total: 2,
      tokens: [
        { id: 2, active: true },
        { id: 1, active: false },
      ],
    });
  });

  test('rotate gives another secret, and nothing else changes', async () => {
    const before = await cli.json('token list');
    const { secret, ...after } = await cli.json('token rotate 1');
    expect(isTokenSecret(secret)).toBe(true);
    expect(after).toEqual({ ...before.tokens[0], token_prefix: secret.slice(0, 12) });
    expect((await cli.run('token rotate 1')).out).toContain('refuses the old one within 3 s');
  });

  test('edit changes who approves, by one option or the older ones', async () => {
    const of = async (options: string) => {
      const { approval, require_approval: required } = await cli.json(`token edit 1 ${options}`);
      return [approval, required];
    };
    expect(await of('--approval client')).toEqual(['client', true]);
    expect((await cli.run('token show 1')).out).toContain('otherwise by a reviewer');
    expect(await of('--name mcp')).toEqual(['client', true]);
    expect(await of('--require-approval')).toEqual(['reviewer', true]);
    expect(await of('--approver-role administrator')).toEqual(['reviewer', true]);
    expect((await cli.run('token edit 1 --approval client --approvers 2')).code).toBe(2);
    expect(await of('--approval client')).toEqual(['client', true]);
    expect((await cli.json('token list')).tokens.find(({ id }: { id: number }) => id === 1)).toMatchObject({
      approval_rule: null,
    });
    expect(await of('--no-require-approval')).toEqual(['none', false]);
    expect((await cli.run('token edit 1 --approval client --require-approval')).code).toBe(2);
  });

  test('edit changes what is named, keeps the rest, and takes limits off again', async () => {
    const before = (await cli.json('token list')).tokens[0];
    expect(
      await cli.json(
        'token edit 1 --name mcp-2 --scopes read,jobs --cidr 192.0.2.0/24 --expires 30d --require-approval',
      ),
    ).toEqual({
      ...before,
      name: 'mcp-2',
      scopes: ['read', 'jobs'],
      allowed_cidrs: ['192.0.2.0/24'],
      expires_at: expect.stringMatching(/Z$/),
      require_approval: true,
      approval: 'reviewer',
      schedules_switched_off: [],
    });
    const back =
      'token edit 1 --name mcp --scopes read --cidr any --server all --expires never --no-require-approval';
    expect(await cli.json(back)).toEqual({ ...before, schedules_switched_off: [] });
    expect(await cli.run('token edit 1 --server 99')).toMatchObject({
      code: 4,
      err: expect.stringContaining('server_not_found'),
    });
    expect(await cli.run('token edit 1 --scopes king')).toMatchObject({ code: 2 });
    expect(await cli.run('token edit 9 --name x')).toMatchObject({ code: 4 });
  });

  test('revoke ends a token for good', async () => {
    expect(await cli.json('token revoke 1')).toMatchObject({
      id: 1,
      active: false,
      revoked_at: '2026-11-20T12:00:00.000Z',
    });
    expect(await cli.run('token rotate 1')).toMatchObject({
      code: 4,
      err: expect.stringContaining('token_not_found'),
    });
    expect(await cli.run('token revoke 7')).toMatchObject({ code: 4 });
  });
});

describe('token create without the scope read', () => {
  test('warns that the token is of little use, and names the command that adds it', async () => {
    const { code, err } = await cli.run('token create --name x --scopes jobs');
    expect(code).toBe(0);
    expect(err).toMatch(/^Warning: .*"read".*\n {2}drover token edit \d+ --scopes read,jobs\n$/);
    expect((await cli.run('token create --name y --scopes read,jobs')).err).toBe('');
  });

  test('a client file is JSON also if the address is a placeholder', async () => {
    const { client } = await cli.json('token create --name z --scopes read --client claude');
    expect(JSON.parse(client.block)).toHaveProperty('mcpServers.drover.url', 'http://localhost:8888/mcp');
  });
});

describe('key', () => {
  test('create shows the public half, and only that', async () => {
    const { out } = await cli.run('key create web');
    expect(out).toContain('\n\nssh-ed25519 AAAA1 drover-web\n');
    expect(await cli.run('key show web')).toEqual({
      code: 0,
      out: 'ssh-ed25519 AAAA1 drover-web\n',
      err: '',
    });
    expect(await cli.run('key create web')).toMatchObject({ code: 5 });
    expect(await cli.run('key show gone')).toMatchObject({ code: 4 });
    expect(await cli.json('key list')).toEqual({
      keys: [
        {
          id: 1,
          name: 'web',
          algorithm: 'ssh-ed25519',
          public_key: 'ssh-ed25519 AAAA1 drover-web',
          fingerprint: 'SHA256:AAAA1',
          created_at: '2026-11-20T12:00:00.000Z',
        },
      ],
      total: 1,
    });
  });

  test('remove deletes a key that no server uses, once that is confirmed', async () => {
    await cli.run('key create web');
    cli.hosts.host('web');
    await cli.run('server add web --host web.test --key web --yes --no-check');
    expect(await cli.run('key remove web')).toMatchObject({ code: 2 });
    expect(await cli.run('key remove web --yes')).toMatchObject({
      code: 5,
      err: expect.stringContaining('key_in_use'),
    });
    await cli.run('server remove web --yes');
    expect(await cli.json('key remove web --yes')).toMatchObject({ ok: true, key: { name: 'web' } });
    expect(await cli.json('key list')).toMatchObject({ total: 0 });
    expect(await cli.run('key remove web --yes')).toMatchObject({ code: 4 });
  });

  test.each([
    ['key import mine'],
    ['key import mine -'],
    ['key import mine id_ed25519'],
    ['key import mine /home/tester/id_ed25519'],
  ])('%s reads the key from where it is', async (line) => {
    cli.io.input = '-----BEGIN OPENSSH PRIVATE KEY-----';
    cli.io.files.set('/home/tester/id_ed25519', '-----BEGIN OPENSSH PRIVATE KEY-----');
    expect(await cli.run(line)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Imported the key mine'),
    });
  });

  test('import takes the passphrase from the configuration, or asks for it without showing it', async () => {
    cli.io.files.set('/home/tester/locked', 'ENCRYPTED PRIVATE KEY');
    expect(await cli.run('key import mine locked')).toMatchObject({
      code: 2,
      err: expect.stringContaining('passphrase'),
    });
    cli.io.interactive = true;
    cli.io.answers.push('opensesame');
    expect(await cli.run('key import mine locked')).toMatchObject({ code: 0 });
    expect(cli.io.questions).toEqual([{ question: 'Passphrase of the key: ', hidden: true }]);
    cli.settings = { ...cli.settings, keyPassphrase: 'opensesame' };
    expect(await cli.run('key import second locked')).toMatchObject({ code: 0 });
    cli.settings = { ...cli.settings, keyPassphrase: 'wrong' };
    expect(await cli.run('key import third locked')).toMatchObject({ code: 2 });
    expect(cli.io.questions).toHaveLength(1);
  });

  test('import says which file it could not read', async () => {
    expect(await cli.run('key import mine nowhere')).toMatchObject({
      code: 2,
      err: 'drover: cannot read the key from nowhere (ENOENT).\n',
    });
  });
});

describe('source', () => {
  beforeEach(async () => {
    cli.hosts.host('web');
    await cli.run('server add web --host web.test --yes --no-check');
  });

  test('add takes several paths and patterns, commas and all', async () => {
    const reply = await cli.json(
      'source add web --name www --path /srv/www --path "/srv/a,b" --exclude "*.tmp" --exclude "{a,b}" --keep-last 5 --keep-yearly 2',
    );
    expect(reply).toMatchObject({
      server_id: 1,
      name: 'www',
      kind: 'files',
      paths: ['/srv/www', '/srv/a,b'],
      excludes: ['*.tmp', '{a,b}'],
      retention: { keep_last: 5, keep_daily: 7, keep_weekly: 4, keep_monthly: 6, keep_yearly: 2 },
      last_success_at: null,
    });
    expect(await cli.json('source list web')).toEqual({ sources: [reply], total: 1 });
  });

  test('add says what comes next', async () => {
    expect((await cli.run('source add web --name www --path /srv/www')).out).toContain(
      'drover server features 1 backup=on',
    );
    await cli.run('server features web backup=on');
    expect((await cli.run('source add web --name etc --path /etc')).out).toContain(
      'drover job start 1 backup --source etc --follow',
    );
  });

  test('list lines up, and says how to start', async () => {
    expect((await cli.run('source list web')).out).toContain('drover source add 1 --name NAME --path PATH');
    await cli.run('source add web --name www --path /srv/www');
    expect((await cli.run('source list web')).out).toMatch(
      /^www +the service +\/srv\/www +- +- +- +sizes and times +3 last, 7 daily, 4 weekly, 6 monthly +never$/m,
    );
  });

  test('remove asks first', async () => {
    await cli.run('source add web --name www --path /srv/www');
    expect(await cli.run('source remove web www')).toMatchObject({ code: 2 });
    expect(await cli.json('source remove web www --yes')).toEqual({ ok: true, server_id: 1, name: 'www' });
    expect(await cli.run('source remove web www --yes')).toMatchObject({
      code: 4,
      err: expect.stringContaining('source_not_found'),
    });
  });

  test.each([
    ['source add web --name "Not good" --path /srv', 'name:'],
    ['source add web --name www --path srv', 'paths/0:'],
    ['source add web --name www --path /srv/../etc', 'paths/0:'],
  ])('%s is refused', async (line, fault) => {
    expect(await cli.run(line)).toMatchObject({ code: 2, err: expect.stringContaining(fault) });
  });
});
