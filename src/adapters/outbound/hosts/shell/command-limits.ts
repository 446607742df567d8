import type { HostCommand } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';

/**
 * Script and arguments together, in bytes. They travel as one argument of a remote login shell, and Linux accepts no
 * single argument of more than 131,072 bytes (MAX_ARG_STRLEN); the rest is room for quoting and the prologue.
 */
export const MAX_COMMAND_BYTES = 100_000;

const PLAIN = /[ "#-&(-[\]-~]+/g;

/**
 * Size of a text in a command line, in bytes: one for a plain ASCII character, five for each other byte (`\0ooo`).
 */
export function commandBytes(text: string): number {
  const special = text.replace(PLAIN, '');
  return text.length - special.length + 5 * Buffer.byteLength(special);
}

/** Throws `invalid_input` for values that cannot be passed to a command unchanged: NUL, lone surrogates, too much. */
export function assertCommand(command: HostCommand): void {
  let bytes = scriptBytes(command.script);
  for (const [index, arg] of (command.args ?? []).entries()) {
    assertText(arg, `Argument ${index + 1} of a command`);
    bytes += commandBytes(arg);
  }
  if (bytes > MAX_COMMAND_BYTES) {
    const detail = `A command and its arguments take ${bytes} bytes on a command line; at most ${MAX_COMMAND_BYTES} are allowed. Pass the data on standard input.`;
    throw new DomainError('invalid_input', detail);
  }
}

/** Scripts are constant and long, and there are few of them: each is looked through once. */
const MAX_SCRIPTS = 100;
const scripts = new Map<string, number>();

function scriptBytes(script: string): number {
  const known = scripts.get(script);
  if (known !== undefined) return known;
  assertText(script, 'The script');
  const bytes = commandBytes(script);
  if (scripts.size >= MAX_SCRIPTS) scripts.clear();
  scripts.set(script, bytes);
  return bytes;
}

function assertText(text: string, what: string): void {
  if (text.includes('\0')) {
    throw new DomainError(
      'invalid_input',
      `${what} contains a NUL byte, which cannot be passed to a program.`,
    );
  }
  if (/\p{Surrogate}/u.test(text)) {
    throw new DomainError(
      'invalid_input',
      `${what} contains half of a surrogate pair, so it is not valid text.`,
    );
  }
}
