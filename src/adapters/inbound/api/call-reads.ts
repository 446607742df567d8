import { type Read, RecordReads } from '../../../application/events/record-reads.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import type { ApiUseCases, Operation } from './operation.ts';

const KINDS = [
  ['snapshot_id', 'snapshot'],
  ['job_id', 'job'],
  ['server_id', 'server'],
] as const;

/** What a call reads of a server; null: it changes something, or is not about one. */
function readOf({ effect, name }: Pick<Operation, 'effect' | 'name'>, input: unknown): Read | null {
  if (effect !== 'reads') return null;
  const given = input as Readonly<Record<string, unknown>>;
  for (const [field, kind] of KINDS) {
    const id = given[field];
    const path = given['p'];
    if (typeof id === 'number') return { kind, id, by: name, path: typeof path === 'string' ? path : null };
  }
  return null;
}

/** After a call that succeeded. */
export function noteRead(
  useCases: ApiUseCases,
  actor: Actor,
  operation: Pick<Operation, 'effect' | 'name'>,
  input: unknown,
): void {
  const read = readOf(operation, input);
  if (read !== null) useCases.get(RecordReads).note(actor, read);
}
