import { expect } from 'vitest';
import { type DomainError, type ErrorCode, isDomainError } from '../../src/domain/base/errors.ts';

/** Waits for a refusal with this code and returns it; its detail has to be a sentence. */
export async function expectRefusal(work: Promise<unknown>, code: ErrorCode): Promise<DomainError> {
  const error = await work.then(
    () => new Error(`expected ${code}, but it was accepted`),
    (refused: unknown) => refused,
  );
  if (!isDomainError(error, code)) throw error;
  expect(error.message).toMatch(/\.$/);
  return error;
}
