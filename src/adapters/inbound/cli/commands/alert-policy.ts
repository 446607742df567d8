import { type Command, Option } from 'commander';
import { SECOND } from '../../../../domain/base/instant.ts';
import { duration } from '../../../../domain/base/spans.ts';
import type { AlertPolicy } from '../../../../domain/events/alert-policy.ts';
import { SEVERITIES, type Severity } from '../../../../domain/events/event.ts';
import { withExamples } from '../arguments.ts';
import { UsageError } from '../errors.ts';
import { timeSpan } from '../job-options.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

interface Options {
  readonly debounce?: number;
  readonly remind?: number | 'never';
  readonly severity?: Severity | 'own';
}

export function addPolicyCommand(alert: Command, runner: Runner): void {
  withExamples(
    alert
      .command('policy')
      .description('show how each kind is told, or change it for what begins from now on')
      .argument('[kind]', 'the kind to change')
      .option('--debounce <time>', 'how long it has to last before anybody is told: 0m, 30m', timeSpan)
      .option('--remind <time>', 'after how long it is told again: 12h, never', (raw) =>
        raw === 'never' ? raw : timeSpan(raw),
      )
      .addOption(
        new Option('--severity <severity>', 'how grave it is; own: as it is by itself').choices([
          ...SEVERITIES,
          'own',
        ]),
      )
      .action(runner.run(policy)),
    'drover alert policy',
    'drover alert policy server.unreachable --debounce 1h --remind 12h',
  );
}

async function policy(session: Session, kind: string | undefined, options: Options): Promise<Reply> {
  const { manageAlerts } = session.useCases;
  const asksForChange = Object.values(options).some((each) => each !== undefined);
  if (kind === undefined) {
    if (asksForChange) throw new UsageError('name the kind that is to be told so.');
    return reply(await manageAlerts.policies());
  }
  if (!asksForChange) throw new UsageError('say what is to change; see drover alert policy --help.');
  const changed = await manageAlerts.setPolicy(session.actor, kind, {
    debounceMs: options.debounce,
    remindMs: options.remind === 'never' ? null : options.remind,
    severity: options.severity === 'own' ? null : options.severity,
  });
  return { ...reply([changed]), json: policyView(changed) };
}

function reply(policies: readonly AlertPolicy[]): Reply {
  const rows = policies.map(({ kind, debounceMs, remindMs, severity }) => [
    kind,
    debounceMs === 0 ? 'at once' : `after ${duration(debounceMs)}`,
    remindMs === null ? 'never' : `after ${duration(remindMs)}`,
    severity ?? 'its own',
  ]);
  return {
    json: { policies: policies.map(policyView), total: policies.length },
    text: table(['KIND', 'TOLD', 'TOLD AGAIN', 'SEVERITY'], rows),
  };
}

const policyView = ({ kind, debounceMs, remindMs, severity }: AlertPolicy) => ({
  kind,
  debounce_seconds: debounceMs / SECOND,
  remind_seconds: remindMs === null ? null : remindMs / SECOND,
  severity,
});
