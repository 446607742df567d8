import type { Read } from '../../../application/events/record-reads.ts';

const KINDS = { servers: 'server', snapshots: 'snapshot', jobs: 'job' } as const;
const MAX_QUERY = 500;

/** What a page shows of a server; null: nothing that is audited. */
export function readOf(
  path: string,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Read | null {
  const [, first = ''] = path.split('/');
  const kind = Object.hasOwn(KINDS, first) ? KINDS[first as keyof typeof KINDS] : undefined;
  const id = params['id'] ?? '';
  if (kind === undefined || !/^[1-9]\d{0,14}$/.test(id)) return null;
  return { kind, id: Number(id), by: path, path: query.get('p')?.slice(0, MAX_QUERY) ?? null };
}
