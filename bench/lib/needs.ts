import { spawnSync } from 'node:child_process';

/** bench/run.mjs reads this as "could not run here". */
const NOT_RUN = 3;

/** Exits with a reason if this machine lacks a requirement of a bench. */
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
