import { isPath } from './compose-names.ts';

/** What has to hold after an update, besides the health of the containers: a check of one service of the project. */
export type UpdateCheck = {
  readonly service: string;
} & (
  | {
      readonly kind: 'http';
      readonly port: number;
      readonly path: string;
      readonly status: number;
      /** Text that the body contains; empty: any body. */
      readonly body: string;
    }
  | { readonly kind: 'tcp'; readonly port: number }
  /** Runs in a container of the service, without a shell, and has to end with 0. */
  | { readonly kind: 'command'; readonly argv: readonly string[] }
);

/** Users set checks with labels of that prefix on their services. */
export const CHECK_LABEL = 'drover.check.';
export const MAX_CHECKS = 20;
const MAX_LENGTH = 1_000;
const MAX_WORDS = 50;

const HTTP = /^http (\d{1,5}) (\S+) (\d{3})(?: (.*))?$/;
const TCP = /^tcp (\d{1,5})$/;

/** Reads a label's value: `http PORT PATH STATUS [TEXT]`, `tcp PORT` or `command ["PROGRAM", "ARGUMENT"]`; `null` if it is none. */
export function parseCheck(service: string, value: string): UpdateCheck | null {
  if (value.length > MAX_LENGTH || /\p{Cc}/u.test(value)) return null;
  const http = HTTP.exec(value);
  if (http) {
    const [, port, path = '', status, body = ''] = http;
    return isPort(port) && isPath(path)
      ? { service, kind: 'http', port: Number(port), path, status: Number(status), body }
      : null;
  }
  const tcp = TCP.exec(value);
  if (tcp) return isPort(tcp[1]) ? { service, kind: 'tcp', port: Number(tcp[1]) } : null;
  if (!value.startsWith('command ')) return null;
  const argv = wordsOf(value.slice('command '.length));
  return argv ? { service, kind: 'command', argv } : null;
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

/** One line for people. */
export function describeCheck(check: UpdateCheck): string {
  const { service, kind } = check;
  if (kind === 'tcp') return `${service}: tcp ${check.port}`;
  if (kind === 'command') return `${service}: command ${JSON.stringify(check.argv)}`;
  return `${service}: http ${check.port} ${check.path} ${check.status}${check.body === '' ? '' : ` ${check.body}`}`;
}
