import { describe, expect, it } from 'vitest';
import { HOSTILE_BYTES, HOSTILE_SHAPES, PARSERS } from '../support/hostile-output.ts';

/** A parser that backtracks, or goes over a text again and again, does not end within the time that a test has. */
describe.each(Object.entries(HOSTILE_SHAPES))('much output of a host: %s', (_name, shape) => {
  const text = shape(HOSTILE_BYTES);

  it.each(Object.entries(PARSERS))('ends: %s', async (_parser, read) => {
    expect(text).toHaveLength(HOSTILE_BYTES);
    await Promise.resolve(read(text)).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  });
});
