import type { InputProblem } from '../../base/errors.ts';
import type { FieldValues, SmtpKind } from './channel-kind.ts';
import { htmlLines, htmlText, plainText, signed } from './channel-message.ts';

const ADDRESS = String.raw`[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9.-]{1,253}`;
const MAX_RECIPIENTS = 20;

/** RFC 5321 and 5322 through nodemailer. */
export const EMAIL: SmtpKind = {
  title: 'E-mail',
  longest: 20_000,
  help: 'Mailboxes, through your mail server (SMTP).',
  fields: [
    { name: 'host', label: 'Mail server', help: 'Host name, such as smtp.example.org', type: 'host' },
    {
      name: 'security',
      label: 'Encryption',
      help: 'Without encryption, no user name and password are sent.',
      optional: true,
      otherwise: 'starttls',
      choices: [
        { value: 'starttls', label: 'STARTTLS (port 587)' },
        { value: 'tls', label: 'TLS (port 465)' },
        { value: 'none', label: 'none' },
      ],
    },
    {
      name: 'port',
      label: 'Port',
      help: 'Empty: 587 for STARTTLS, 465 for TLS, 25 without encryption.',
      type: 'port',
      optional: true,
    },
    { name: 'login', label: 'User name', help: 'Empty: Drover does not sign in.', optional: true },
    { name: 'password', label: 'Password', help: 'Of that user.', secret: true, optional: true },
    {
      name: 'from',
      label: 'From',
      help: 'The sender address, such as drover@example.org',
      form: { pattern: new RegExp(`^${ADDRESS}$`), message: 'One e-mail address.' },
    },
    {
      name: 'to',
      label: 'To',
      help: `Up to ${MAX_RECIPIENTS} addresses, comma-separated.`,
      form: {
        pattern: new RegExp(`^${ADDRESS}(, *${ADDRESS}){0,${MAX_RECIPIENTS - 1}}$`),
        message: `One to ${MAX_RECIPIENTS} e-mail addresses, comma-separated.`,
      },
    },
  ],
  shown: ({ to = '' }) => to,
  problems: mailProblems,
  mail: ({ from = '', to = '' }, message) => ({
    from: { name: 'Drover', address: from },
    to: to.split(',').map((address) => address.trim()),
    subject: `[${message.severity}] ${message.title}`,
    // The same at each try, so that mailboxes can drop a repeated one.
    messageId: `<${message.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    date: new Date(message.at),
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: plainText(message),
    html: [
      `<p><strong>${htmlText(signed(message))}</strong></p>`,
      `<p>${htmlLines(message.text)}</p>`,
      ...(message.link === null ? [] : [`<p><a href="${htmlText(message.link)}">Open in Drover</a></p>`]),
    ].join('\n'),
  }),
};

function mailProblems({ login, password, security }: FieldValues): readonly InputProblem[] {
  if (login !== undefined && password === undefined)
    return [{ path: '/password', message: 'Password is required with a user name.' }];
  if (login === undefined && password !== undefined)
    return [{ path: '/login', message: 'User name is required with a password.' }];
  if (login !== undefined && security === 'none')
    return [{ path: '/security', message: 'A password is only sent over an encrypted connection.' }];
  return [];
}
