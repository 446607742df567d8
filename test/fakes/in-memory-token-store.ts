import type { OwnedByToken, TokenStore } from '../../src/application/ports/access/token-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { ApiToken, NewApiToken } from '../../src/domain/access/api-token.ts';
import type { Schedule } from '../../src/domain/automation/schedule.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { type InMemoryToken, InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

type Stored = InMemoryToken;

export class InMemoryTokenStore implements TokenStore {
  readonly #world: InMemoryWorld;
  readonly #tokens: Map<number, Stored>;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
    this.#tokens = world.tokens;
  }

  async add(
    token: NewApiToken,
    secretHash: string,
    record: (token: ApiToken) => ChangeRecord,
  ): Promise<ApiToken> {
    const id = this.#world.nextId('api_tokens');
    const { serversGrantedBy = null } = token;
    const added = { ...token, serversGrantedBy, id, lastUsedAt: null, revokedAt: null };
    return this.#write({ token: added, secretHash }, record);
  }

  async findBySecretHash(secretHash: string): Promise<Stored | null> {
    return [...this.#tokens.values()].find((stored) => stored.secretHash === secretHash) ?? null;
  }

  async find(id: number): Promise<ApiToken | null> {
    return this.#tokens.get(id)?.token ?? null;
  }

  async list(page: PageRequest): Promise<Page<ApiToken>> {
    const newestFirst = [...this.#tokens.values()].map(({ token }) => token).toSorted((a, b) => b.id - a.id);
    return pageOf(newestFirst, page);
  }

  async change(...[id, terms, record, owned]: Parameters<TokenStore['change']>): Promise<ApiToken> {
    const { token, secretHash } = this.#existing(id);
    const { name, scopes, allowedCidrs, allowedServerIds, requireApproval, expiresAt } = terms;
    const { serversGrantedBy = null } = terms;
    const named = { name, scopes, allowedCidrs, allowedServerIds, serversGrantedBy };
    const changed = { ...token, ...named, requireApproval, expiresAt };
    return this.#write({ token: changed, secretHash }, record, owned);
  }

  async rotate(
    id: number,
    secret: { hash: string; prefix: string },
    record: (token: ApiToken) => ChangeRecord,
  ): Promise<ApiToken> {
    const { token } = this.#existing(id);
    if (token.revokedAt !== null) throw tokenNotFound(id);
    return this.#write({ token: { ...token, prefix: secret.prefix }, secretHash: secret.hash }, record);
  }

  async revoke(...[id, at, record, owned]: Parameters<TokenStore['revoke']>): Promise<ApiToken> {
    const { token, secretHash } = this.#existing(id);
    if (token.revokedAt !== null) return token;
    return this.#write({ token: { ...token, revokedAt: at }, secretHash }, record, owned);
  }

  async touch(id: number, at: Instant): Promise<void> {
    const stored = this.#tokens.get(id);
    if (!stored || (stored.token.lastUsedAt ?? at - 1) >= at) return;
    this.#tokens.set(id, { ...stored, token: { ...stored.token, lastUsedAt: at } });
  }

  #existing(id: number): Stored {
    const stored = this.#tokens.get(id);
    if (!stored) throw tokenNotFound(id);
    return stored;
  }

  #write(
    stored: Stored,
    record: (token: ApiToken, switchedOff: readonly Schedule[]) => ChangeRecord,
    owned?: OwnedByToken,
  ): ApiToken {
    const { id } = stored.token;
    const change = owned?.change(stored.token) ?? (() => null);
    const schedules = this.#world.changeOwned({ kind: 'token', id }, owned?.at ?? 0, change);
    const left = record(stored.token, schedules.switchedOff);
    this.#tokens.set(id, stored);
    schedules.write();
    this.#world.record.write(left);
    return stored.token;
  }
}

const tokenNotFound = (id: number): DomainError =>
  new DomainError('token_not_found', `There is no token with id ${id}, or it was revoked.`);
