// Starts programs for a process of tests (starter.ts), and ends with it.
import { execFile } from 'node:child_process';

process.on('message', ({ id, program, args, input, maxBuffer }) => {
  const child = execFile(program, args, { encoding: 'buffer', maxBuffer }, (error, stdout, stderr) => {
    const fault = error && typeof error.code !== 'number' ? error.message : null;
    process.send?.({ id, fault, code: Number(error?.code ?? 0), stdout, stderr });
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
});
process.on('disconnect', () => process.exit());
