import { DomainError } from './errors.ts';

/** Another attempt at the same request is running, or has replaced this one. */
export const keyInUse = (): DomainError =>
  new DomainError(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still being answered; send it again in a moment.',
  );
