import {
  CHALLENGE_LIFE,
  isCounterAhead,
  MAX_CHALLENGES,
  type Passkey,
  type PasskeyPurpose,
  PasskeyRefusal,
  type RelyingParty,
  relyingParty,
} from '../../domain/access/passkey.ts';
import { isActive, type User } from '../../domain/access/user.ts';
import { UseCase } from '../base/use-case.ts';
import { makeSecret } from './link-secret.ts';
import type { SignInTries } from './sign-in-tries.ts';

/** Who may answer a challenge, and for what. */
export interface Asked {
  readonly purpose: PasskeyPurpose;
  /** A session, or a browser that has none. */
  readonly boundTo: string;
}

/** The page that asks: `origin` is its address as the request has it. */
export interface AskedFrom {
  readonly origin: string;
  readonly address: string;
}

/** A challenge, and the site whose passkeys can answer it. */
export interface Challenge {
  readonly challenge: string;
  readonly party: RelyingParty;
}

/** A passkey that answered. */
export interface Proof {
  readonly user: User;
  readonly passkey: Passkey;
}

/** Challenges, each answered once at most, and what their answers prove. */
export class PasskeyProofs extends UseCase<
  'passkeys' | 'passkeyVerifier' | 'randomness' | 'digest' | 'clock' | 'publicUrl',
  { readonly tries: Pick<SignInTries, 'countAddress' | 'forgive' | 'refuse'> }
> {
  /** Throws `PasskeyRefusal`. */
  async ask({ purpose, boundTo }: Asked, origin: string): Promise<Challenge> {
    const { passkeys, randomness, digest, clock } = this.deps;
    const party = this.party(origin);
    const { secret, hash } = makeSecret(randomness, digest);
    const kept = { purpose, boundTo, startedAt: clock.now() };
    const add = () => passkeys.addChallenge(hash, kept, MAX_CHALLENGES);
    if (await add()) return { challenge: secret, party };
    // Expired ones stay until the next housekeeping: they must not keep users out.
    await passkeys.forgetChallengesBefore(kept.startedAt - CHALLENGE_LIFE, MAX_CHALLENGES);
    if (!(await add())) throw new PasskeyRefusal('throttled');
    return { challenge: secret, party };
  }

  /** The new passkey in an answer. Throws `PasskeyRefusal`. */
  async readNew(answer: string, asked: Asked, origin: string) {
    const party = this.party(origin);
    const challenge = await this.#take(answer, asked);
    const made = await this.deps.passkeyVerifier.register(answer, { challenge, party });
    return { ...made, rpId: party.id };
  }

  /**
   * The passkey that answered, and its user; `expected`: the only user who may have; `allow` may refuse them. A refusal
   * is counted against the address, and written to the audit log. Throws `sign_in_throttled`, `PasskeyRefusal`.
   */
  async prove(
    answer: string,
    asked: Asked,
    from: AskedFrom,
    expected: User | null,
    allow: (user: User) => Promise<void> = async () => {},
  ): Promise<Proof> {
    const { tries } = this.deps;
    const counted = await tries.countAddress('passkey', from.address);
    const claimed: { user: User | null } = { user: expected };
    try {
      const proof = await this.#prove(answer, asked, from.origin, claimed);
      await allow(proof.user);
      await tries.forgive(counted);
      return proof;
    } catch (error) {
      if (!(error instanceof PasskeyRefusal)) throw error;
      const detail = { reason: error.reason, purpose: asked.purpose };
      await tries.refuse('passkey', claimed.user, from.address, error.code, detail);
      throw error;
    }
  }

  isOfferedAt(origin: string): boolean {
    return relyingParty(this.deps.publicUrl, origin) !== null;
  }

  /** Throws `PasskeyRefusal` if browsers offer no passkeys there. */
  party(origin: string): RelyingParty {
    const party = relyingParty(this.deps.publicUrl, origin);
    if (party === null) throw new PasskeyRefusal('unavailable');
    return party;
  }

  /**
   * The name of the user in their passkeys. Another Drover on the same host has other names: a device keeps one passkey
   * for each site and name.
   */
  handleOf({ id, createdAt }: Pick<User, 'id' | 'createdAt'>): string {
    return this.deps.digest.sha256(`passkey:${id}:${createdAt}`);
  }

  async #prove(answer: string, asked: Asked, origin: string, claimed: { user: User | null }): Promise<Proof> {
    const { passkeys, passkeyVerifier, digest, clock } = this.deps;
    const party = this.party(origin);
    const challenge = await this.#take(answer, asked);
    const { credentialId, userHandle } = passkeyVerifier.read(answer);
    const found = await passkeys.find(credentialId);
    if (found === null || (claimed.user !== null && found.user.id !== claimed.user.id))
      throw new PasskeyRefusal('passkey_unknown');
    const { user, passkey } = found;
    const isTheirs = userHandle !== null && digest.equal(userHandle, this.handleOf(user));
    // A user who is known has to be the owner; otherwise the device has to say who is.
    if (!(userHandle === null ? claimed.user !== null : isTheirs))
      throw new PasskeyRefusal('passkey_unknown');
    claimed.user = user;
    const counter = await passkeyVerifier.verify(answer, { challenge, party, passkey });
    if (!isActive(user)) throw new PasskeyRefusal('account_disabled');
    if (!isCounterAhead(passkey.counter, counter) || !(await passkeys.use(passkey.id, counter, clock.now())))
      throw new PasskeyRefusal('counter_went_back');
    return { user, passkey };
  }

  /** Returns the challenge that the answer claims, which nothing can answer again. Throws `PasskeyRefusal`. */
  async #take(answer: string, { purpose, boundTo }: Asked): Promise<string> {
    const { passkeys, passkeyVerifier, digest, clock } = this.deps;
    const { challenge } = passkeyVerifier.read(answer);
    const wanted = { purpose, boundTo, startedAt: clock.now() - CHALLENGE_LIFE };
    if (!(await passkeys.takeChallenge(digest.sha256(challenge), wanted)))
      throw new PasskeyRefusal('challenge_unknown');
    return challenge;
  }
}
