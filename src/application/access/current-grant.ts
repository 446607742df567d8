import type { ApiToken } from '../../domain/access/api-token.ts';
import { isActive } from '../../domain/access/user.ts';
import type { UserStore } from '../ports/access/user-store.ts';

/** The token with its current rights: grants by someone who is no longer an administrator do not count. */
export async function withCurrentGrant(token: ApiToken, users: Pick<UserStore, 'find'>): Promise<ApiToken> {
  const userId = token.serversGrantedBy?.userId ?? null;
  if (userId === null) return token;
  const user = await users.find(userId);
  return user && isActive(user) && user.role === 'administrator'
    ? token
    : { ...token, serversGrantedBy: null };
}
