import { describe, expect, it } from 'vitest';
import {
  assertCommand,
  commandBytes,
  MAX_COMMAND_BYTES,
} from '../../../../../src/adapters/outbound/hosts/shell/command-limits.ts';

describe('commandBytes', () => {
  it.each([
    ['', 0],
    ['printf "%s" "$1"', 16],
    ["'", 5],
    ['\\', 5],
    ['!', 5],
    ['\n', 5],
    ['ö', 10],
    ['💾', 20],
  ])('counts %j as %i', (text, bytes) => {
    expect(commandBytes(text)).toBe(bytes);
  });
});

describe('assertCommand', () => {
  it('takes a command at the limit and refuses one over it, saying what to do', () => {
    const script = 'x'.repeat(MAX_COMMAND_BYTES);
    expect(() => assertCommand({ script })).not.toThrow();
    expect(() => assertCommand({ script, args: ['y'] })).toThrow(/Pass the data on standard input/);
  });

  it.each([
    [{ script: 'a\0' }, 'The script contains a NUL'],
    [{ script: 'a', args: ['b', 'c\0'] }, 'Argument 2 of a command contains a NUL'],
    [{ script: 'a', args: ['\udc00x'] }, 'Argument 1 of a command contains half of a surrogate pair'],
  ])('refuses %j', (command, message) => {
    expect(() => assertCommand(command)).toThrow(message);
  });

  it('takes whole surrogate pairs', () => {
    expect(() => assertCommand({ script: 'cat', args: ['💾'] })).not.toThrow();
  });
});
