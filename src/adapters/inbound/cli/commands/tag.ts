import type { Command } from 'commander';
import { ManageTags } from '../../../../application/fleet/manage-tags.ts';
import { count } from '../../../../domain/base/spans.ts';
import { withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

export function addTagCommands(program: Command, runner: Runner): void {
  const tag = program.command('tag').description('manage the tags of all servers');
  tag
    .command('list')
    .description('list tags with their servers, schedules, maintenance windows and patch policies')
    .action(runner.read(list));
  withExamples(
    tag
      .command('rename')
      .description(
        'rename a tag on all servers, schedules, windows and policies; an existing name merges the two',
      )
      .argument('<tag>', 'the tag')
      .argument('<name>', 'its new name')
      .action(runner.run(rename)),
    'drover tag rename stage staging',
  );
  withYes(
    tag
      .command('remove')
      .description('remove a tag from all servers; refused while a schedule, window or policy selects by it')
      .argument('<tag>', 'the tag'),
  ).action(runner.run(remove));
}

async function list({ useCases, actor }: Session): Promise<Reply> {
  const tags = await useCases.get(ManageTags).list(actor);
  const rows = tags.map(({ tag, servers, schedules, windows, policies }) => [
    tag,
    String(servers),
    schedules.join(', '),
    windows.join(', '),
    policies.join(', '),
  ]);
  return {
    json: { tags },
    text:
      rows.length === 0
        ? 'No server has a tag.\n'
        : table(['TAG', 'SERVERS', 'SCHEDULES', 'WINDOWS', 'POLICIES'], rows),
  };
}

async function rename({ useCases, actor }: Session, tag: string, to: string): Promise<Reply> {
  const servers = await useCases.get(ManageTags).rename(actor, tag, to);
  return { json: { ok: true, servers }, text: `Renamed ${tag} to ${to} on ${count(servers, 'server')}.\n` };
}

async function remove(session: Session, tag: string, options: YesOption): Promise<Reply> {
  await confirmed(session, options, `Remove the tag ${tag} from all servers?`);
  const servers = await session.useCases.get(ManageTags).remove(session.actor, tag);
  return { json: { ok: true, servers }, text: `Removed ${tag} from ${count(servers, 'server')}.\n` };
}
