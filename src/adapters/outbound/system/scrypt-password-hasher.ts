import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from '../../../application/ports/access/password-hasher.ts';
import { DomainError } from '../../../domain/base/errors.ts';

/** OWASP's password storage cheat sheet: N = 2^17, r = 8, p = 1, which takes 128 MiB and about a third of a second. */
const COST = { logN: 17, r: 8, p: 1 };
const KEY_LENGTH = 32;
const SALT_LENGTH = 16;
/** Each takes 128 MiB while it runs. */
const AT_ONCE = 2;
/** Later callers are asked to. */
const MAX_QUEUE = 50;

interface Cost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** Hashes as `$scrypt$ln=17,r=8,p=1$salt$hash`, so that older ones stay good when the cost grows. */
export class ScryptPasswordHasher implements PasswordHasher {
  readonly #cost: Cost;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(cost: Cost = COST) {
    this.#cost = cost;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_LENGTH);
    const key = await this.#derive(password, salt, this.#cost);
    const { logN, r, p } = this.#cost;
    return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64')}$${key.toString('base64')}`;
  }

  async verify(password: string, hash: string | null): Promise<boolean> {
    const parsed = hash === null ? null : parse(hash);
    const against = parsed ?? {
      cost: this.#cost,
      salt: Buffer.alloc(SALT_LENGTH),
      key: Buffer.alloc(KEY_LENGTH),
    };
    const key = await this.#derive(password, against.salt, against.cost);
    return timingSafeEqual(key, against.key) && parsed !== null;
  }

  async #derive(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
    await this.#turn();
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const options = { N: 2 ** logN, r, p, maxmem: 256 * r * 2 ** logN };
        // The same password from another keyboard may be other code points: NFKC, as NIST SP 800-63B says.
        scrypt(password.normalize('NFKC'), salt, KEY_LENGTH, options, (error, key) => {
          if (error) reject(error);
          else resolve(key);
        });
      });
    } finally {
      const next = this.#waiting.shift();
      // The turn is passed on, so that no other caller comes in between.
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= MAX_QUEUE) {
      throw new DomainError('sign_in_throttled', 'Too many sign-ins at this moment. Try again in a minute.');
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

function parse(hash: string): { cost: Cost; salt: Buffer; key: Buffer } | null {
  const [, logN, r, p, salt, key] = FORM.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return null;
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== KEY_LENGTH) return null;
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: bytes,
  };
}
