import { Actor } from '../../domain/access/actor.ts';
import { networkOf } from '../../domain/access/client-address.ts';
import {
  ACCOUNT_THROTTLE,
  ADDRESS_THROTTLE,
  type CountedTry,
  DEVICE_THROTTLE,
  MAX_ADDRESSES,
  NAME_BUCKETS,
  type ThrottleRule,
} from '../../domain/access/login-throttle.ts';
import type { User } from '../../domain/access/user.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { type AuditEntry, auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

/** The kind of try, and the audit log's term for a refusal. */
const REFUSALS = {
  account: 'session.refuse',
  code: 'session.refuse_code',
  confirm: 'session.refuse_confirmation',
  link: 'user.refuse_link',
  sso: 'session.refuse_sso',
  passkey: 'session.refuse_passkey',
} as const;
type Kind = keyof typeof REFUSALS;

/** The origin of a try. */
export interface TryFrom {
  readonly address: string;
  /** The browser, if it signed in as this user before. */
  readonly deviceId: number | null;
}

/** Where a try was counted; a successful one is subtracted there. */
interface TryAddress {
  readonly address: string | null;
  readonly account: string;
}

/** So often the addresses are counted: each process lets that many more grow up. */
const PRUNE_EVERY = 200;
const BUCKET_KEY = 'sign_in.bucket_key';

/**
 * Counts sign-in tries, so that it is not possible to guess passwords or lock others out. A browser that signed in
 * before has its own counters. Any other is counted by its address first, and only then against the account. An
 * address without free tries left has a second counter of the account: it slows down such addresses, not everyone.
 */
export class SignInTries extends UseCase<
  'throttles' | 'settings' | 'audit' | 'randomness' | 'digest' | 'clock'
> {
  #tries = 0;
  #bucketKey: string | null = null;

  /**
   * A name and a password. Throws `sign_in_throttled` after the same number of tries whether or not the user exists.
   */
  async countName(name: string, user: User | null, from: TryFrom): Promise<TryAddress> {
    const subject = user === null ? `unknown:${await this.#bucketOf(name)}` : `account:${name}`;
    return this.#count('account', user, subject, from);
  }

  /** A one-time code, or the password given again. Throws `sign_in_throttled`. */
  async countProof(kind: 'code' | 'confirm', user: User, from: TryFrom): Promise<TryAddress> {
    return this.#count(kind, user, `${kind}:${user.id}`, from);
  }

  /** A link that is not good: a good one is never counted, since none can be guessed. Throws `sign_in_throttled`. */
  async countLink(address: string): Promise<void> {
    await this.#take('link', null, `address:${networkOf(address)}`, ADDRESS_THROTTLE, address);
  }

  /** An answer that cannot be guessed, so that it is not counted against an account. Throws `sign_in_throttled`. */
  async countAddress(kind: 'sso' | 'passkey', from: string): Promise<TryAddress> {
    const address = `address:${networkOf(from)}`;
    await this.#take(kind, null, address, ADDRESS_THROTTLE, from);
    return { address, account: address };
  }

  /** The try was good: the address gets it back. The account's failures stay until the sign-in is complete. */
  async forgive(counted: TryAddress): Promise<void> {
    if (counted.address !== null) await this.deps.throttles.forgive(counted.address);
  }

  /** The user is authenticated. */
  async clear(counted: TryAddress): Promise<void> {
    await this.forgive(counted);
    await this.deps.throttles.clear(counted.account);
  }

  /** As `clear`, for names and passwords of the user that were counted earlier from there. */
  async clearName(user: User, deviceId: number | null): Promise<void> {
    if (deviceId !== null) return this.deps.throttles.clear(deviceSubject('account', deviceId));
    await this.deps.throttles.clear(`account:${user.name}`);
    await this.deps.throttles.clear(slow(`account:${user.name}`));
  }

  async #count(kind: Kind, user: User | null, subject: string, from: TryFrom): Promise<TryAddress> {
    if (from.deviceId !== null) {
      const account = deviceSubject(kind, from.deviceId);
      await this.#take(kind, user, account, DEVICE_THROTTLE, from.address);
      return { address: null, account };
    }
    const address = `address:${networkOf(from.address)}`;
    const { failures } = await this.#take(kind, user, address, ADDRESS_THROTTLE, from.address);
    const account = failures > ADDRESS_THROTTLE.free ? slow(subject) : subject;
    await this.#take(kind, user, account, ACCOUNT_THROTTLE, from.address);
    return { address, account };
  }

  async #take(
    kind: Kind,
    user: User | null,
    subject: string,
    rule: ThrottleRule,
    address: string,
  ): Promise<CountedTry> {
    this.#tries += 1;
    if (this.#tries % PRUNE_EVERY === 0)
      await this.deps.throttles.keepLatest('address:', MAX_ADDRESSES, 2 * PRUNE_EVERY);
    const counted = await this.deps.throttles.count(subject, this.deps.clock.now(), rule);
    if (counted.wait === 0) return counted;
    if (counted.isFirstRefusal) await this.refuse(kind, user, address, 'sign_in_throttled');
    throw new DomainError(
      'sign_in_throttled',
      `Too many failed attempts. Wait ${Math.ceil(counted.wait / 1000)} s, then try again.`,
    );
  }

  /** Writes a refusal to the audit log. Never records a typed name: it may be a password. */
  async refuse(
    kind: Kind,
    user: User | null,
    address: string,
    outcome: 'sign_in_failed' | 'sign_in_throttled' | 'passkey_refused' | 'passkey_cloned',
    detail: AuditEntry['detail'] = {},
  ): Promise<void> {
    const by = Actor.system('sign-in', { address });
    const object = user === null ? 'user:unknown' : `user:${user.id}`;
    await this.deps.audit.record(
      auditEntry(by, this.deps.clock.now(), REFUSALS[kind], object, detail, outcome),
    );
  }

  /**
   * Without the key it is not possible to find two names that share a counter, which would reveal which names exist.
   */
  async #bucketOf(name: string): Promise<number> {
    this.#bucketKey ??= await this.#makeKey();
    return (
      Number.parseInt(this.deps.digest.sha256(`${this.#bucketKey}:${name}`).slice(0, 8), 16) % NAME_BUCKETS
    );
  }

  async #makeKey(): Promise<string> {
    const kept = await this.deps.settings.get(BUCKET_KEY);
    if (kept !== null) return kept;
    const bytes = [...this.deps.randomness.bytes(16)];
    const made = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
    await this.deps.settings.setOnce(BUCKET_KEY, made);
    return (await this.deps.settings.get(BUCKET_KEY)) ?? made;
  }
}

const slow = (subject: string): string => `slow-${subject}`;
const deviceSubject = (kind: Kind, deviceId: number): string => `${kind}-device:${deviceId}`;
