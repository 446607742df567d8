import { spawnSync } from 'node:child_process';

/** What bench/run.mjs takes for "could not run here". */
const NOT_RUN = 3;

/** Ends the process, and says why, where this machine lacks what a bench cannot do without. */
export function needs({
  root = false,
  programs = [],
}: {
  root?: boolean;
  programs?: readonly string[];
}): void {
  const missing = programs.filter(
    (program) => spawnSync('sh', ['-c', 'command -v "$0"', program]).status !== 0,
  );
  const reasons = [
    ...(root && process.getuid?.() !== 0 ? ['the test hosts need root'] : []),
    ...missing.map((program) => `there is no ${program} (on Debian apt-get has it)`),
  ];
  if (reasons.length === 0) return;
  console.error(`NOT RUN: ${reasons.join('; ')}`);
  process.exit(NOT_RUN);
}
