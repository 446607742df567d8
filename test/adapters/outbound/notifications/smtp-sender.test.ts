import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { SmtpSender } from '../../../../src/adapters/outbound/notifications/smtp-sender.ts';
import { channelValues } from '../../../../src/domain/events/channels/channel-fields.ts';
import { messageOf } from '../../../../src/domain/events/channels/channel-message.ts';
import { EMAIL } from '../../../../src/domain/events/channels/mail-kind.ts';

const NEVER = new AbortController().signal;
const PASSWORD = 'between the lines';
const message = messageOf(
  {
    uid: 'event-1',
    type: 'backup.stale',
    severity: 'critical',
    at: Date.UTC(2026, 10, 23, 12),
    title: 'Backup <b>overdue</b>\r\nBcc: victim@example.org',
    message: 'web-1 & others\r\n.\r\nQUIT',
    serverId: 1,
    jobId: null,
  },
  'https://drover.example.org/servers/1',
);

interface Got {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly secure: boolean;
  readonly source: string;
}

describe('E-mail, over a real SMTP server', () => {
  const got: Got[] = [];
  let server: SMTPServer | null = null;
  afterEach(async () => {
    got.length = 0;
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    server = null;
  });

  async function listen(options: SMTPServerOptions = {}): Promise<string> {
    const made = new SMTPServer({
      authOptional: true,
      onAuth: ({ username, password }, _session, done) =>
        password === PASSWORD ? done(null, { user: username }) : done(new Error('no')),
      onData: (stream, { envelope, user, secure }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
        stream.on('end', () => {
          got.push({
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            user: user as string | undefined,
            secure,
            source: Buffer.concat(chunks).toString(),
          });
          done();
        });
      },
      ...options,
    });
    made.on('error', () => {});
    server = made;
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    return String((made.server.address() as AddressInfo).port);
  }

  const values = {
    host: '127.0.0.1',
    security: 'none',
    from: 'drover@example.org',
    to: 'a@example.org, b@example.org',
  };
  const send = (over: Record<string, string>, allowPrivate = true) =>
    new SmtpSender({ allowPrivate: false }).send(
      EMAIL,
      { values: { ...values, ...over }, allowPrivate, message },
      NEVER,
    );

  test('arrives with a text and an HTML part, and no header from a host', async () => {
    const port = await listen({ disabledCommands: ['STARTTLS', 'AUTH'] });
    expect(await send({ port })).toMatchObject({ result: 'delivered', statusCode: 250, error: null });
    expect(got).toMatchObject([{ from: 'drover@example.org', to: ['a@example.org', 'b@example.org'] }]);
    const [head = '', ...parts] = (got[0]?.source ?? '').split('\r\n\r\n');
    expect(head).toContain('Message-ID: <event-1@example.org>');
    expect(head).toMatch(/^Subject: \[critical\] Backup/m);
    expect(head).not.toMatch(/^Bcc:/im);
    const body = parts.join('\n');
    expect(body).toContain('text/html');
    expect(body).toContain('Backup &lt;b&gt;overdue&lt;/b&gt;');
    expect(body).toContain('web-1 &amp; others');
  });

  test('refuses a certificate that is not valid, and sends no password then', async () => {
    const port = await listen();
    const sent = await send({ port, security: 'starttls', login: 'drover', password: PASSWORD });
    expect(sent).toMatchObject({
      result: 'failed',
      error: expect.stringMatching(/certificate/),
    });
    expect(got).toEqual([]);
  });

  test('refuses a server without STARTTLS if it is required', async () => {
    const port = await listen({ disabledCommands: ['STARTTLS'] });
    expect(await send({ port, security: 'starttls' })).toMatchObject({ result: 'failed' });
    expect(got).toEqual([]);
  });

  test('says plainly what went wrong', async () => {
    const port = await listen({
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, done) => done(new Error('words of the server')),
    });
    const refused = await send({ port });
    expect(refused.error).toMatch(
      /^It answered 5\d\d\. The mail server refused the sender or a recipient\.$/,
    );
    expect(await send({ port }, false)).toMatchObject({ error: '127.0.0.1 is not a public address.' });
    expect(await send({ port: '1' })).toMatchObject({
      result: 'failed',
      error: expect.stringContaining('mail server'),
    });
  });

  test('names fields that are bad or do not fit together', () => {
    const pathsOf = (over: Record<string, string>): readonly string[] => {
      try {
        channelValues(EMAIL, {
          values: { ...values, host: 'smtp.example.org', ...over },
          allowPrivate: false,
        });
        return [];
      } catch (error) {
        return (error as { problems: { path: string }[] }).problems.map(({ path }) => path);
      }
    };
    expect(pathsOf({})).toEqual([]);
    expect(pathsOf({ to: 'a@example.org\r\nBcc: x@example.org' })).toEqual(['/to']);
    expect(pathsOf({ from: 'nobody' })).toEqual(['/from']);
    expect(pathsOf({ host: 'https://smtp.example.org' })).toEqual(['/host']);
    expect(pathsOf({ host: '10.0.0.1' })).toEqual(['/host']);
    expect(pathsOf({ port: '70000' })).toEqual(['/port']);
    expect(pathsOf({ login: 'drover' })).toEqual(['/password']);
    expect(pathsOf({ login: 'drover', password: 'x' })).toEqual(['/security']);
    expect(pathsOf({ security: 'ssl' })).toEqual(['/security']);
  });
});
