import type { Command } from 'commander';
import { count } from '../../../../domain/base/spans.ts';
import type { Finding } from '../../../../domain/fleet/finding.ts';
import { withExamples } from '../arguments.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../runner.ts';
import type { Reply } from '../session.ts';

const MARK = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;
const INDENT = ' '.repeat(6);

export function addDoctorCommand(program: Command, runner: Runner): void {
  withExamples(
    program
      .command('doctor')
      .description('check the requirements of Drover and suggest fixes; exits with 1 if a check fails')
      .action(runner.bare(diagnose)),
    'drover doctor',
    'drover doctor --json',
  );
}

async function diagnose(context: CliContext): Promise<Reply> {
  const findings = await context.diagnose();
  const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
  const warned = findings.filter(({ verdict }) => verdict === 'warn').length;
  return {
    json: { ok: failed === 0, findings },
    text: `${findings.map(lines).join('')}\n${conclusion(failed, warned)}\n`,
    ...(failed > 0 ? { exitCode: EXIT.failed } : {}),
  };
}

const lines = ({ name, verdict, detail, remedy }: Finding): string =>
  `${MARK[verdict]}  ${name}: ${detail}\n${remedy === null ? '' : `${INDENT}-> ${remedy}\n`}`;

function conclusion(failed: number, warned: number): string {
  if (failed > 0) return `Fix ${count(failed, 'problem')}.`;
  return warned > 0 ? `No problems, ${count(warned, 'warning')}.` : 'No problems found.';
}
