import { describe, expect, test } from 'vitest';
import {
  type LogLevel,
  PinoLogger,
  TerminalLines,
} from '../../../../src/adapters/outbound/system/pino-logger.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { loggerContract } from '../../../contracts/logger.contract.ts';
import { RecordingLogger } from '../../../fakes/recording-logger.ts';

function captured(level: LogLevel = 'debug') {
  const written: string[] = [];
  const logger = PinoLogger.to({ write: (line) => void written.push(line) }, level);
  const lines = () =>
    written.map((line) => {
      const { time: _, ...parsed } = JSON.parse(line);
      const { level: label, message, ...fields } = parsed;
      return { level: label, message, fields };
    });
  return { logger, lines, written };
}

loggerContract('PinoLogger', () => captured());
loggerContract('RecordingLogger', () => {
  const logger = new RecordingLogger();
  return { logger, lines: () => logger.lines };
});

describe('On a terminal, a log line', () => {
  const shown = (log: (logger: PinoLogger) => void): string => {
    let text = '';
    const lines = new TerminalLines({ write: (line) => void (text += line) });
    log(PinoLogger.to(lines, 'debug'));
    return text;
  };

  test('is short: local time, level, message and fields', () => {
    const names = Array.from({ length: 26 }, (_, index) => `migration-${index}`);
    expect(shown((logger) => logger.info('up to date', { migrations: names, ms: 12 }))).toMatch(
      /^\d\d:\d\d:\d\d INFO {2}up to date migrations=\(26 entries\) ms=12\n$/,
    );
    expect(shown((logger) => logger.warn('look', { text: 'x'.repeat(500) })).length).toBeLessThan(150);
  });

  test('holds nothing that a terminal acts on, and no secret', () => {
    const line = shown((logger) =>
      logger.error('two\nlines\u001b[2J', { host: 'a\u001b]0;title\u0007b\r', password: 'hunter2' }),
    );
    // The colour of the level is Drover's own.
    const foreign = line.replace('\u001b[1;31mERROR\u001b[0m', 'ERROR');
    expect(foreign).toMatch(/ERROR two lines host=ab password=\S+\n$/);
    // oxlint-disable-next-line no-control-regex
    expect(foreign.slice(0, -1)).not.toMatch(/[\u0000-\u001f]/);
    expect(line).not.toContain('hunter2');
  });
});

describe('A log line', () => {
  test('is one JSON object on one line, with the time in UTC', () => {
    const { logger, written } = captured();
    logger.info('two\nlines');
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(JSON.parse(written[0] ?? '').time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('is left out below the level', () => {
    const { logger, lines } = captured('warn');
    logger.info('chatter');
    logger.child({ job: 1 }).debug('chatter');
    logger.warn('heard');
    expect(lines().map(({ message }) => message)).toEqual(['heard']);
  });

  test.each([
    'password',
    'privateKey',
    'private_key',
    'Authorization',
    'token',
    'secret',
    'passphrase',
    'set-cookie',
  ])('hides the field %s at any depth, in a child too', (name) => {
    const { logger, written } = captured();
    logger
      .child({ [name]: 'hunter2' })
      .info('hello', { [name]: 'hunter2', deep: [{ er: { [name]: ['hunter2'] } }] });
    expect(written[0]).not.toContain('hunter2');
    expect(written[0]).toContain('[hidden]');
  });

  test('hides secrets that are numbers, and leaves what it was given as it was', () => {
    const { logger, lines } = captured();
    const fields = { secret: 4711, port: 8888 };
    logger.info('hello', fields);
    expect(lines()[0]?.fields).toEqual({ secret: '[hidden]', port: 8888 });
    expect(fields).toEqual({ secret: 4711, port: 8888 });
  });

  test('keeps fields that only sound like secrets', () => {
    const { logger, lines } = captured();
    logger.info('hello', { token_id: 4, tokenPrefix: 'drv_abcdefgh', secret: null });
    expect(lines()[0]?.fields).toEqual({ token_id: 4, tokenPrefix: 'drv_abcdefgh', secret: null });
  });

  test.each([
    ['one of our tokens', `drv_${'a1B2'.repeat(9)}`],
    [
      'a private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----',
    ],
    ['a private key that was cut off', '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQ'],
    ['the password in an address', 'mysql://drover:hunter2@db.example.org/drover'],
  ])('hides %s in messages, fields and errors', (_, secret) => {
    const { logger, written } = captured();
    logger.error(`Refused ${secret}.`, {
      seen: secret,
      error: new Error(`bad: ${secret}`, { cause: new Error(secret) }),
    });
    for (const part of [secret, 'hunter2', 'b3BlbnNzaC1rZXk', 'MIIEpAIBAAKCAQ'])
      expect(written[0]).not.toContain(part);
    expect(written[0]).toContain('[hidden]');
  });

  test('writes an error out with its code and causes', () => {
    const { logger, lines } = captured();
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    logger.error('Gone.', { error: new DomainError('host_unreachable', 'It does not answer.', { cause }) });
    logger.error('Gone.', cause);
    expect(lines()[0]?.fields).toMatchObject({
      error: {
        type: 'DomainError',
        code: 'host_unreachable',
        message: 'It does not answer.',
        cause: { type: 'Error', code: 'ECONNREFUSED' },
      },
    });
    expect(lines()[1]).toMatchObject({ message: 'Gone.', fields: { error: { code: 'ECONNREFUSED' } } });
  });

  test('stays finite whatever it is given', () => {
    const { logger, lines } = captured();
    const loop: { self?: object } = {};
    loop.self = loop;
    logger.info('hello', {
      loop,
      big: 2n ** 70n,
      bytes: Buffer.alloc(1000),
      many: Array.from({ length: 1000 }, () => 1),
    });
    expect(lines()[0]?.fields).toMatchObject({ big: '1180591620717411303424', bytes: '[1000 bytes]' });
    expect(lines()[0]?.fields.many).toHaveLength(200);
  });
});
