import { isPath } from './compose-names.ts';

/** What has to hold after an update, by a check of a server or of a service. */
export type PlainCheck =
  | {
      readonly kind: 'http';
      readonly port: number;
      readonly path: string;
      readonly status: number;
      /** Text that the body contains; empty: any body. */
      readonly body: string;
    }
  | { readonly kind: 'tcp'; readonly port: number }
  /** Runs without a shell, in a container if it is of a service, and has to end with 0. */
  | { readonly kind: 'command'; readonly argv: readonly string[] };

/** A check of one service of a Compose project. */
export type UpdateCheck = PlainCheck & { readonly service: string };

/** Users set checks with labels of that prefix on their services. */
export const CHECK_LABEL = 'drover.check.';
export const MAX_CHECKS = 20;
const MAX_LENGTH = 1_000;
const MAX_WORDS = 50;

export const CHECK_FORM =
  'A check is "http PORT PATH STATUS [TEXT]", "tcp PORT", or "command" and a JSON array of the program and its arguments.';

const HTTP = /^http (\d{1,5}) (\S+) (\d{3})(?: (.*))?$/;
const TCP = /^tcp (\d{1,5})$/;

/** Reads what users write: `http PORT PATH STATUS [TEXT]`, `tcp PORT` or `command ["PROGRAM", "ARGUMENT"]`; `null` if it is none. */
export function parseCheck(value: string): PlainCheck | null {
  if (value.length > MAX_LENGTH || /\p{Cc}/u.test(value)) return null;
  const http = HTTP.exec(value);
  if (http) {
    const [, port, path = '', status, body = ''] = http;
    return isPort(port) && isPath(path)
      ? { kind: 'http', port: Number(port), path, status: Number(status), body }
      : null;
  }
  const tcp = TCP.exec(value);
  if (tcp) return isPort(tcp[1]) ? { kind: 'tcp', port: Number(tcp[1]) } : null;
  if (!value.startsWith('command ')) return null;
  const argv = wordsOf(value.slice('command '.length));
  return argv ? { kind: 'command', argv } : null;
}

const isPort = (text: string | undefined): boolean => Number(text) > 0 && Number(text) < 65_536;

function wordsOf(json: string): readonly string[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return null;
  }
  const isArgv =
    Array.isArray(parsed) &&
    parsed.length > 0 &&
    parsed.length <= MAX_WORDS &&
    parsed.every((word) => typeof word === 'string' && !/\p{Cc}/u.test(word)) &&
    parsed[0] !== '' &&
    !String(parsed[0]).startsWith('-');
  return isArgv ? (parsed as string[]) : null;
}

/** As users write it. */
export function checkText(check: PlainCheck): string {
  const { kind } = check;
  if (kind === 'tcp') return `tcp ${check.port}`;
  if (kind === 'command') return `command ${JSON.stringify(check.argv)}`;
  return `http ${check.port} ${check.path} ${check.status}${check.body === '' ? '' : ` ${check.body}`}`;
}

/** One line for people. */
export const describeCheck = (check: UpdateCheck): string => `${check.service}: ${checkText(check)}`;
