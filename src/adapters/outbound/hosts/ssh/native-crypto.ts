import { createRequire } from 'node:module';

/**
 * Whether ssh2's own compiled ciphers are in use. Without them it works, at about a quarter of the speed: they are
 * built when ssh2 is installed, which needs a C++ compiler and install scripts.
 */
export function isNativeCryptoAvailable(): boolean {
  const internals: unknown = createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js');
  return typeof internals === 'object' && internals !== null && 'bindingAvailable' in internals
    ? internals.bindingAvailable === true
    : false;
}
