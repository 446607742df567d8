import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { API_PREFIX, type Operation, type Route } from '../operation.ts';
import type { CodeSample } from './types.ts';

/** Where an input's fields go on a route. */
export interface RouteInput {
  /** Below `/api/v1`, with its query. */
  readonly path: string;
  /** `null`: no body. */
  readonly body: object | null;
}

/** A command that can be pasted into a shell where `TOKEN` is set. */
export function curlSample(
  label: string,
  { method }: Route,
  { path, body }: RouteInput,
  baseUrl: string,
  form: Operation['form'] = 'json',
): CodeSample {
  const options = [
    ...(method === 'GET' || (method === 'POST' && body !== null) ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $TOKEN"',
    ...(method === 'POST' ? ['-H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)"'] : []),
    ...(form === 'upload' ? formOptions(body ?? {}) : jsonOptions(body)),
  ];
  const source = [shellCommand`curl -s ${`${baseUrl}${API_PREFIX}${path}`}`, ...options].join(' \\\n  ');
  return { lang: 'Shell', label, source };
}

const jsonOptions = (body: object | null): readonly string[] =>
  body === null ? [] : [`-H 'Content-Type: application/json'`, shellCommand`-d ${JSON.stringify(body)}`];

/** curl sends parts in the order in which they are named. */
const formOptions = (fields: object): readonly string[] => [
  ...Object.entries(fields).map(([name, value]) => shellCommand`--form-string ${`${name}=${value}`}`),
  '-F file=@logo.png',
];
