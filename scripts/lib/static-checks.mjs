import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../ensure.mjs';
import { smoke } from '../smoke.mjs';
import { capture } from './programs.mjs';

const BIN = join(ROOT, 'node_modules', '.bin');
const CODE = ['src', 'test', 'scripts', 'bin', 'bench', 'evals'].filter((dir) => existsSync(join(ROOT, dir)));

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {() => Promise<string | undefined | void>} run tells, or throws, what is wrong
 */

/** @returns {Check[]} the static checks of the code */
export function codeChecks() {
  return [
    { name: 'types', run: tool('tsc', ['--noEmit', '-p', 'tsconfig.json']) },
    { name: 'lint', run: tool('oxlint', ['--type-aware', '--deny-warnings', ...CODE]) },
    { name: 'format', run: tool('biome', ['ci', '--colors=off', '.']) },
    { name: 'backtracking', run: noBacktracking },
  ];
}

/** @returns {Check[]} */
export function deadCodeChecks() {
  return [
    { name: 'dead code', run: tool('knip', ['--no-progress']) },
    // A source that only its own test uses is dead code too.
    { name: 'dead sources', run: tool('knip', ['--no-progress', '--production', '--include', 'files']) },
  ];
}

/** Its packages are there only once the first check has installed them. */
async function noBacktracking() {
  const { backtracking } = await import('./backtracking.mjs');
  return backtracking(join(ROOT, 'src')).join('\n') || undefined;
}

/**
 * The service starts, answers and ends: on this Node, and on another if one is given.
 *
 * @param {string | undefined} otherNode path of a node program
 * @returns {Check[]}
 */
export function smokeChecks(otherNode) {
  const nodes = [process.execPath, ...(otherNode ? [otherNode] : [])];
  return nodes.map((node) => ({ name: `smoke on ${node}`, run: () => smoke(node) }));
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function tool(program, args) {
  return async () => {
    const { code, output } = await capture(join(BIN, program), args, { cwd: ROOT, env: { NO_COLOR: '1' } });
    return code === 0 ? undefined : output.trim();
  };
}
