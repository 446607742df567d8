import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import {
  APPROVAL_MODES,
  type ApprovalMode,
  approvalsBy,
  type TokenRequest,
} from '../../../../../domain/access/api-token.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { listOf } from '../../form-state.ts';
import { approvalRuleOf } from './approval-rule-form.tsx';

export const TOKENS_PATH = '/settings/tokens';

/** As many servers are offered as boxes to tick; of more, their names are typed. */
export const MAX_BOXES = 200;

/** A form's settings of a token. Throws `InvalidInput` for unknown servers, or servers that contradict the choice. */
export async function tokenRequestOf(
  form: URLSearchParams,
  actor: Actor,
  listServers: Pick<ListServers, 'execute'>,
): Promise<TokenRequest> {
  const expires = expiryOf(form);
  return {
    name: form.get('name') ?? '',
    scopes: form.getAll('scopes'),
    allowedCidrs: listOf(form, 'allowed_cidrs'),
    allowedServerIds: await serversOf(form, actor, listServers),
    ...approvalsBy(approvalOf(form)),
    ...(form.has('approvers') ? { approvalRule: approvalRuleOf(form) } : {}),
    ...(expires === undefined ? {} : { expires }),
  };
}

/** Nothing chosen is never taken for the right to act at once. */
export const approvalOf = (form: URLSearchParams): ApprovalMode =>
  APPROVAL_MODES.find((each) => each === form.get('approval')) ?? 'reviewer';

/** Absent: it stays as it is. */
function expiryOf(form: URLSearchParams): string | null | undefined {
  const choice = form.get('expires_at') ?? 'keep';
  if (choice === 'keep') return undefined;
  if (choice === 'never') return null;
  if (choice !== 'date') return choice;
  const day = form.get('expires_on') ?? '';
  if (day !== '') return day;
  throw new InvalidInput([{ path: '/expires_on', message: 'Enter the expiry date.' }]);
}

async function serversOf(
  form: URLSearchParams,
  actor: Actor,
  listServers: Pick<ListServers, 'execute'>,
): Promise<readonly number[] | null> {
  const named = listOf(form, 'allowed_server_ids');
  const tags = listOf(form, 'allowed_tags');
  if (form.get('servers') !== 'some') {
    if (named.length + tags.length === 0) return null;
    // The intent is ambiguous, and one of the two would give the token more rights.
    throw new InvalidInput([
      { path: '/servers', message: 'Choose either all servers or only some, not both.' },
    ]);
  }
  if (named.length > MAX_BOXES) throw tooMany('/allowed_server_ids');
  const ids = await Promise.all(named.map((each) => serverId(each, actor, listServers)));
  const tagged = await Promise.all(tags.map((tag) => serversWith(tag, actor, listServers)));
  const all = [...new Set([...ids, ...tagged.flat()])];
  if (all.length > MAX_BOXES) throw tooMany('/allowed_tags');
  return all;
}

const tooMany = (path: string): InvalidInput =>
  new InvalidInput([{ path, message: `Enter at most ${MAX_BOXES} servers, or choose all.` }]);

/** Those that have the tag now. */
async function serversWith(
  tag: string,
  actor: Actor,
  listServers: Pick<ListServers, 'execute'>,
): Promise<readonly number[]> {
  const { items, total } = await listServers.execute(actor, { tag, limit: MAX_BOXES, offset: 0 });
  if (total > items.length) throw tooMany('/allowed_tags');
  if (items.length > 0) return items.map(({ id }) => id);
  throw new InvalidInput([
    { path: '/allowed_tags', message: `No server has the tag "${tag.slice(0, 60)}".` },
  ]);
}

async function serverId(
  reference: string,
  actor: Actor,
  listServers: Pick<ListServers, 'execute'>,
): Promise<number> {
  if (/^[1-9]\d{0,14}$/.test(reference)) return Number(reference);
  const { items } = await listServers.execute(actor, { q: reference, limit: MAX_BOXES, offset: 0 });
  const found = items.find(({ name }) => name === reference);
  if (found) return found.id;
  throw new InvalidInput([
    { path: '/allowed_server_ids', message: `There is no server "${reference.slice(0, 60)}".` },
  ]);
}
