import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../../../src/adapters/bootstrap/read-variables.ts';
import { statusOf } from '../../../../src/adapters/inbound/api/error-table.ts';
import { type CliContext } from '../../../../src/adapters/inbound/cli/context.ts';
import { EXIT, exitCodeOf } from '../../../../src/adapters/inbound/cli/exit-codes.ts';
import { runCli } from '../../../../src/adapters/inbound/cli/run-cli.ts';
import { ERROR_CODES } from '../../../../src/domain/base/errors.ts';
import { CliFixture } from './cli-fixture.ts';

describe('Help and version', () => {
  test.each(['--help', 'server --help', 'help job', 'job start --help'])(
    '%s exits with 0 and needs no database',
    async (line) => {
      const cli = new CliFixture();
      const { code, out, err } = await cli.run(line);
      expect([code, err, cli.opened]).toEqual([0, '', 0]);
      expect(out).toContain('Usage: drover');
    },
  );

  test('name every verb', async () => {
    const { out } = await new CliFixture().run('--help');
    for (const verb of [
      'serve',
      'server',
      'key',
      'source',
      'job',
      'snapshot',
      'restore',
      'token',
      'doctor',
    ]) {
      expect(out).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
    }
  });

  test('the version is printed alone', async () => {
    for (const line of ['--version', 'version']) {
      const cli = new CliFixture();
      expect(await cli.run(line)).toEqual({ code: 0, out: '1.2.3\n', err: '' });
      expect(cli.opened).toBe(0);
    }
    expect(await new CliFixture().json('version')).toEqual({ version: '1.2.3' });
  });
});

describe('Wrong usage exits with 2, and says what is wrong', () => {
  test.each([
    ['serv', "unknown command 'serv'. Did you mean serve?\nSee: drover --help\n"],
    ['server lst', "unknown command 'lst'. Did you mean list?\nSee: drover server --help\n"],
    ['xylophone', "unknown command 'xylophone'.\nSee: drover --help\n"],
    ['server list --frobnicate', "unknown option '--frobnicate'"],
    ['server show', "missing required argument 'server'"],
    ['job show one', 'An id is a whole number from 1'],
    ['job show 0', 'An id is a whole number from 1'],
    ['job show -1', 'An id is a whole number from 1'],
    ['job show 9007199254740992', 'An id is a whole number from 1'],
    ['job show 1 2', 'too many arguments'],
    ['job list --limit 101', 'Enter a whole number from 1 to 100'],
    ['job list --limit 1e1', 'Enter a whole number from 1 to 100'],
    ['job start 1 frobnicate', 'Allowed choices are backup'],
    ['server features 1 backup=maybe', 'Use NAME=on or NAME=off'],
    ['server features 1 colour=on', 'the names are backup, os_patch, docker'],
    ['token create --name x', "required option '--scopes <list>' not specified"],
    ['server add web --host a --key k --agent', 'cannot be used with'],
    ['restore 1 --in-place --to /x', 'cannot be used with'],
    ['server add web', '--host HOST, or --local'],
    ['restore 1', '--to DIRECTORY, or --in-place'],
    ['restore 1 --on-host --to here', 'an absolute path'],
  ])('%s', async (line, fault) => {
    const { code, out, err } = await new CliFixture().run(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^drover: /);
    expect(err).toContain(fault);
  });

  test.each(['', 'server', 'job'])('%j alone shows its help on standard error', async (line) => {
    const { code, out, err } = await new CliFixture().run(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('Usage: drover');
  });

  test('with --json there is a problem to read', async () => {
    const { code, out, err } = await new CliFixture().run('job show one --json');
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: expect.stringContaining('whole number'),
    });
    expect(err).toMatch(/^drover: /);
  });
});

describe('An error', () => {
  test('is one sentence with its code on standard error', async () => {
    const { code, out, err } = await new CliFixture().run('server show 9');
    expect([code, out, err]).toEqual([4, '', 'drover: There is no server with id 9. [server_not_found]\n']);
  });

  test('with --json is a problem on standard output, too', async () => {
    const { code, out, err } = await new CliFixture().run('server show nobody --json');
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({ status: 404, code: 'server_not_found' });
    expect(err).toContain('There is no server "nobody"');
  });

  test('of the input names every fault on a separate line', async () => {
    const { code, err } = await new CliFixture().run(
      'server add -x- --host "not a host" --user "no user" --yes',
    );
    expect(code).toBe(2);
    const other = await new CliFixture().run(
      'token create --name mcp --scopes read,root --cidr 10.0.0.1/8 --expires tomorrow',
    );
    expect(other.code).toBe(2);
    expect(other.err).toMatch(
      /^drover: The input is not valid\. \[invalid_input\]\n {2}scopes\/1: .*\n {2}allowed_cidrs\/0: .*\n {2}expires_at: .*\n$/,
    );
    expect(err).toMatch(/^drover: /);
  });

  test('of the configuration keeps its own exit code', async () => {
    const cli = new CliFixture();
    const broken: CliContext = {
      version: '',
      io: cli.io,
      clock: cli.clock,
      actor: null as never,
      directory: '/',
      signal: new AbortController().signal,
      open: () =>
        Promise.reject(new ConfigurationError([{ name: 'SERVICE_HTTP_PORT', detail: 'it is wrong' }])),
      serve: async () => 0,
      diagnose: async () => [],
      backups: () => {
        throw new Error('no backups here');
      },
    };
    expect(await runCli(['server', 'list'], broken)).toBe(2);
    expect(cli.io.stderr).toContain('SERVICE_HTTP_PORT: it is wrong');
  });

  test('that is unexpected exits with 1', async () => {
    const cli = new CliFixture();
    cli.servers.list = () => Promise.reject(new Error('the roof is on fire'));
    expect(await cli.run('server list')).toEqual({ code: 1, out: '', err: 'drover: the roof is on fire\n' });
    expect(JSON.parse((await cli.run('server list --json')).out)).toMatchObject({
      status: 500,
      code: 'internal',
    });
  });

  test('shows nothing that could take over a terminal', async () => {
    const { err } = await new CliFixture().run('server show "\u001b]0;owned\u0007\u001b[2Jweb"');
    expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('The exit code of every refusal', () => {
  test.each(ERROR_CODES)('%s agrees with its HTTP status', (code) => {
    const status = statusOf(code);
    const exit = exitCodeOf(code);
    if (status === 404) expect(exit).toBe(EXIT.notFound);
    if (exit === EXIT.notFound) expect(status).toBe(404);
    if (exit === EXIT.conflict) expect(status).toBe(409);
    if (exit === EXIT.refused) expect(status).not.toBe(500);
    if (status >= 500 && !code.startsWith('host_key_')) expect(exit).toBe(EXIT.failed);
    expect(exit).not.toBe(EXIT.done);
  });
});

describe('serve', () => {
  test('runs the service, and needs nothing opened before', async () => {
    const cli = new CliFixture();
    expect((await cli.run('serve')).code).toBe(0);
    expect([cli.served, cli.opened]).toEqual([1, 0]);
  });
});

describe('doctor', () => {
  const well = { name: 'node', verdict: 'ok', detail: 'Node 20.20.', remedy: null } as const;
  const slow = { name: 'ssh', verdict: 'warn', detail: 'Slow ciphers.', remedy: 'npm rebuild ssh2' } as const;
  const broken = { name: 'database', verdict: 'fail', detail: 'It is gone.', remedy: 'Start it.' } as const;

  test('says what to do about each finding, and exits with 1 when something fails', async () => {
    const cli = new CliFixture();
    cli.findings = [well, slow, broken];
    const { code, out } = await cli.run('doctor');
    expect(code).toBe(1);
    expect(out).toBe(
      'ok    node: Node 20.20.\nwarn  ssh: Slow ciphers.\n      -> npm rebuild ssh2\nFAIL  database: It is gone.\n      -> Start it.\n\nFix 1 problem.\n',
    );
    expect(await cli.json('doctor')).toEqual({ ok: false, findings: [well, slow, broken] });
  });

  test('exits with 0 when there are only warnings', async () => {
    const cli = new CliFixture();
    cli.findings = [well, slow];
    expect(await cli.run('doctor')).toMatchObject({
      code: 0,
      out: expect.stringContaining('No problems, 1 warning.'),
    });
  });
});
