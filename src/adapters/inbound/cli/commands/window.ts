import type { Command } from 'commander';
import { ListWindows } from '../../../../application/automation/list-windows.ts';
import { ManageWindows } from '../../../../application/automation/manage-windows.ts';
import { cronText } from '../../../../domain/automation/cron-rule.ts';
import { type WindowState, windowNotFound } from '../../../../domain/automation/maintenance-window.ts';
import { duration } from '../../../../domain/base/spans.ts';
import { rawSelector } from '../../../../domain/fleet/host-selector.ts';
import { pageView } from '../../api/views/page-view.ts';
import { windowView } from '../../api/views/window-view.ts';
import { type PageOptions, withExamples, withPage } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { selectorWords } from '../find-server.ts';
import { hasSelector, type SelectorOptions, selectorOf, timeSpan, withSelector } from '../job-options.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { pageText } from '../words.ts';

interface AddOptions extends SelectorOptions {
  readonly cron: string;
  readonly zone: string;
  readonly for: number;
}

interface EditOptions extends SelectorOptions {
  readonly name?: string;
  readonly cron?: string;
  readonly zone?: string;
  readonly for?: number;
}

export function addWindowCommands(program: Command, runner: Runner): void {
  const window = program.command('window').description('manage maintenance windows');
  withExamples(
    withSelector(
      window
        .command('add')
        .description(
          'create a maintenance window; its servers can then be changed only while one of their windows is open',
        )
        .argument('<name>', 'name of the window')
        .requiredOption(
          '--cron <expression>',
          'cron expression, when it opens: minute, hour, day of the month, month, day of the week',
        )
        .requiredOption('--for <time>', 'how long it stays open, such as 2h', timeSpan)
        .option('--zone <name>', 'time zone of the expression', 'UTC'),
    ).action(runner.run(add)),
    'drover window add sunday-night --tag web --cron "0 2 * * 0" --for 3h --zone Europe/Berlin',
  );
  withExamples(
    withSelector(
      window
        .command('edit')
        .description('edit a window; options you omit stay unchanged')
        .argument('<name>', 'name of the window')
        .option('--name <name>', 'new name')
        .option('--cron <expression>', 'when it opens')
        .option('--for <time>', 'how long it stays open, such as 2h', timeSpan)
        .option('--zone <name>', 'time zone of the expression'),
    ).action(runner.run(edit)),
    'drover window edit sunday-night --for 4h',
    'drover window edit sunday-night --tag web,db --cron "0 3 * * 0"',
  );
  withPage(window.command('list').description('list windows by name, with their opening times'), 50).action(
    runner.read(list),
  );
  const verb = (name: string, what: string): Command =>
    window.command(name).description(what).argument('<name>', 'name of the window');
  verb(
    'enable',
    'switch a window on; its servers can then be changed only while one of their windows is open',
  ).action(runner.run(enable));
  verb('disable', 'switch a window off; it has no effect until you switch it on again').action(
    runner.run(disable),
  );
  withExamples(
    withYes(
      window
        .command('remove')
        .description('delete a window; servers without windows can be changed at any time')
        .argument('<name>', 'name of the window'),
    ).action(runner.run(remove)),
    'drover window remove sunday-night',
  );
}

async function add(session: Session, name: string, options: AddOptions): Promise<Reply> {
  const state = await session.useCases.get(ManageWindows).add(session.actor, {
    name,
    selector: await selectorOf(session, options),
    opens: { expression: options.cron, timeZone: options.zone },
    durationMs: options.for,
  });
  const words = await selectorWords(session, [state.window.selector]);
  return {
    json: windowView(state),
    text: `Added the window ${name} for ${words(state.window.selector)}. It ${openText(state)}.\n`,
  };
}

async function edit(session: Session, name: string, options: EditOptions): Promise<Reply> {
  if (!Object.values(options).some((each) => each !== undefined)) {
    throw new UsageError('specify what to change; see drover window edit --help.');
  }
  const { window } = await findWindow(session, name);
  const state = await session.useCases.get(ManageWindows).edit(session.actor, window.id, {
    name: options.name ?? window.name,
    selector: hasSelector(options) ? await selectorOf(session, options) : rawSelector(window.selector),
    opens: {
      expression: options.cron ?? window.opens.expression,
      timeZone: options.zone ?? window.opens.timeZone,
    },
    durationMs: options.for ?? window.durationMs,
  });
  const words = await selectorWords(session, [state.window.selector]);
  return {
    json: windowView(state),
    text: `Changed the window ${state.window.name} for ${words(state.window.selector)}. It ${openText(state)}.\n`,
  };
}

const PAGE = 100;

async function findWindow(session: Session, name: string): Promise<WindowState> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await session.useCases.get(ListWindows).execute(session.actor, { limit: PAGE, offset });
    const found = page.items.find(({ window }) => window.name === name);
    if (found) return found;
    if (offset + PAGE >= page.total) throw windowNotFound(`"${name.slice(0, 60)}"`);
  }
}

async function list(session: Session, page: PageOptions): Promise<Reply> {
  const found = await session.useCases.get(ListWindows).execute(session.actor, page);
  const words = await selectorWords(
    session,
    found.items.map(({ window }) => window.selector),
  );
  const rows = found.items.map((state) => [
    state.window.id,
    state.window.name,
    words(state.window.selector),
    cronText(state.window.opens),
    duration(state.window.durationMs),
    openText(state),
  ]);
  return {
    json: { windows: found.items.map(windowView), ...pageView(found) },
    text: pageText(
      found,
      'There are no maintenance windows: servers can be changed at any time.\n',
      table(['ID', 'NAME', 'SERVERS', 'OPENS', 'FOR', 'STATE'], rows),
    ),
  };
}

const enable = (session: Session, name: string): Promise<Reply> => switched(session, name, true);
const disable = (session: Session, name: string): Promise<Reply> => switched(session, name, false);

async function switched(session: Session, name: string, enabled: boolean): Promise<Reply> {
  const state = await session.useCases.get(ManageWindows).enable(session.actor, name, enabled);
  return {
    json: windowView(state),
    text: `Switched the window ${name} ${enabled ? 'on' : 'off'}. It ${openText(state)}.\n`,
  };
}

async function remove(session: Session, name: string, options: YesOption): Promise<Reply> {
  await confirmed(session, options, `Delete the maintenance window ${name}?`);
  const window = await session.useCases.get(ManageWindows).remove(session.actor, name);
  return { json: { ok: true, id: window.id, name }, text: `Deleted the window ${name}.\n` };
}

function openText({ window, openUntil, opensAt }: WindowState): string {
  if (!window.enabled) return 'is switched off, and has no effect';
  if (openUntil !== null) return `is open until ${localTime(openUntil)}`;
  return opensAt === null ? 'never opens again' : `opens at ${localTime(opensAt)}`;
}
