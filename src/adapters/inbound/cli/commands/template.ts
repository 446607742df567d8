import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../../../application/compose/list-templates.ts';
import { ManageTemplates } from '../../../../application/compose/manage-templates.ts';
import { isDomainError } from '../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { ago, count } from '../../../../domain/base/spans.ts';
import type { Template, TemplateContent } from '../../../../domain/compose/template.ts';
import type { TemplateVariable } from '../../../../domain/compose/template-variable.ts';
import { unifiedDiff } from '../../../../domain/compose/unified-diff.ts';
import { MANIFEST, manifestText } from '../../api/template-manifest.ts';
import { pageView } from '../../api/views/page-view.ts';
import { deploymentView, templateSummaryView, templateView } from '../../api/views/template-view.ts';
import { type PageOptions, withExamples, withPage } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { properties, table } from '../table.ts';
import { readTemplateFolder, writeTemplateFolder } from '../template-folder.ts';
import { pageText } from '../words.ts';

const NAME_ARGUMENT = ['<name>', 'name of the template'] as const;

export function addTemplateCommands(program: Command, runner: Runner): void {
  const template = program.command('template').description('manage templates of Compose projects');
  withExamples(
    template
      .command('import')
      .description(`import a template, or its next version, from a folder with ${MANIFEST} and compose.yaml`)
      .argument('<folder>', 'the folder')
      .action(runner.run(importTemplate)),
    'drover template import ./uptime-kuma',
  );
  template
    .command('export')
    .description('write a template into a new folder')
    .argument(...NAME_ARGUMENT)
    .argument('<folder>', 'the folder; it must be new or empty')
    .action(runner.run(exportTemplate));
  template
    .command('diff')
    .description('show what importing a folder would change')
    .argument('<folder>', 'the folder')
    .action(runner.run(diff));
  withPage(template.command('list').description('list templates by name'), 50).action(runner.read(list));
  template
    .command('show')
    .description('show a template with its variables and files')
    .argument(...NAME_ARGUMENT)
    .action(runner.run(show));
  withYes(
    template
      .command('delete')
      .description('delete a template; its deployments keep running')
      .argument(...NAME_ARGUMENT),
  ).action(runner.run(remove));
  withPage(
    template
      .command('deployments')
      .description('list template deployments, by server and directory')
      .option('--server <server>', 'only on this server, by id or name')
      .option('--template <name>', 'only from this template'),
    50,
  ).action(runner.run(deployments));
}

async function importTemplate(session: Session, folder: string): Promise<Reply> {
  const { manifest, files } = await readTemplateFolder(resolve(session.directory, folder));
  const manageTemplates = session.useCases.get(ManageTemplates);
  const content = manageTemplates.read(manifest, files);
  const before = await found(session, content.name);
  const template = await manageTemplates.import(session.actor, manifest, files);
  const what = `${template.name} (${count(template.variables.length, 'variable')}, ${count(template.files.length, 'file')})`;
  const json = templateView(template);
  if (before?.version === template.version) {
    return { json, text: `The template ${what} is unchanged, at version ${template.version}.\n` };
  }
  return {
    json,
    text: `Imported the template ${what} as version ${template.version}.
Preview it with a dry run: ${shellCommand`drover job start SERVER template_deploy --template ${template.name} --source DIRECTORY --dry-run --follow`}
`,
  };
}

async function exportTemplate(session: Session, name: string, folder: string): Promise<Reply> {
  const template = await session.useCases.get(GetTemplate).byName(session.actor, name);
  await writeTemplateFolder(resolve(session.directory, folder), template);
  return {
    json: { ok: true, name: template.name, version: template.version, folder },
    text: `Wrote version ${template.version} of ${template.name} into ${folder}.\n`,
  };
}

async function diff(session: Session, folder: string): Promise<Reply> {
  const { manifest, files } = await readTemplateFolder(resolve(session.directory, folder));
  const content = session.useCases.get(ManageTemplates).read(manifest, files);
  const before = await found(session, content.name);
  const [was, is] = [before === null ? new Map<string, string>() : textsOf(before), textsOf(content)];
  const changes = [...new Set([...was.keys(), ...is.keys()])].toSorted().flatMap((path) => {
    const [one, other] = [was.get(path), is.get(path)];
    if (one === other) return [];
    const change = one === undefined ? 'created' : other === undefined ? 'removed' : 'changed';
    return [{ path, change, diff: unifiedDiff(one ?? '', other ?? '') }];
  });
  const heading = (path: string, change: string): string =>
    `--- ${change === 'created' ? '/dev/null' : path}\n+++ ${change === 'removed' ? '/dev/null' : path}\n`;
  return {
    json: { name: content.name, version: before?.version ?? null, files: changes },
    text:
      changes.length === 0
        ? `The folder is identical to version ${before?.version} of ${content.name}.\n`
        : changes.map(({ path, change, diff: text }) => ({ verbatim: heading(path, change) + text })),
  };
}

const textsOf = (template: TemplateContent): ReadonlyMap<string, string> =>
  new Map([
    [MANIFEST, manifestText(template)],
    ...template.files.map(({ path, content }) => [path, content] as const),
  ]);

async function found({ useCases, actor }: Session, name: string): Promise<Template | null> {
  try {
    return await useCases.get(GetTemplate).byName(actor, name);
  } catch (error) {
    if (isDomainError(error, 'template_not_found')) return null;
    throw error;
  }
}

async function list(session: Session, options: PageOptions): Promise<Reply> {
  const page = await session.useCases.get(ListTemplates).execute(session.actor, options);
  const now = session.now();
  const rows = page.items.map((each) => [
    each.name,
    each.version,
    each.variableCount,
    each.fileCount,
    ago(each.updatedAt, now),
    each.description,
  ]);
  return {
    json: { templates: page.items.map(templateSummaryView), ...pageView(page) },
    text: pageText(
      page,
      'There are no templates. Import one with: drover template import FOLDER\n',
      table(['NAME', 'VERSION', 'VARIABLES', 'FILES', 'CHANGED', 'DESCRIPTION'], rows),
    ),
  };
}

async function show(session: Session, name: string): Promise<Reply> {
  const template = await session.useCases.get(GetTemplate).byName(session.actor, name);
  const facts = properties([
    ['name', template.name],
    ['description', template.description],
    ['version', template.version],
    ['changed', ago(template.updatedAt, session.now())],
  ]);
  const rows = template.variables.map((each) => [
    each.name,
    typeText(each),
    neededText(each),
    each.description,
  ]);
  const variables =
    rows.length === 0
      ? 'The template has no variables.\n'
      : table(['VARIABLE', 'TYPE', 'VALUE', 'DESCRIPTION'], rows);
  const files = template.files.map(({ path, content }) => `==> ${path} <==\n${content}`).join('\n');
  return { json: templateView(template), text: `${facts}\n${variables}\n${files}` };
}

const typeText = ({ type, choices }: TemplateVariable): string =>
  type === 'choice' ? `choice: ${choices.join(', ')}` : type;

const neededText = (variable: TemplateVariable): string =>
  variable.default !== null ? JSON.stringify(variable.default) : variable.required ? 'required' : 'optional';

async function remove(session: Session, name: string, options: YesOption): Promise<Reply> {
  await confirmed(session, options, `Delete the template ${name}?`);
  await session.useCases.get(ManageTemplates).remove(session.actor, name);
  return { json: { ok: true, name }, text: `Deleted the template ${name}.\n` };
}

async function deployments(
  session: Session,
  options: PageOptions & { readonly server?: string; readonly template?: string },
): Promise<Reply> {
  const server = options.server === undefined ? null : await findServer(session, options.server);
  const page = await session.useCases
    .get(ListDeployments)
    .execute(session.actor, { serverId: server?.id, templateName: options.template }, options);
  const now = session.now();
  const rows = page.items.map((each) => [
    each.serverName,
    each.directory,
    each.templateName,
    each.templateVersion,
    ago(each.deployedAt, now),
    each.jobId,
  ]);
  return {
    json: { deployments: page.items.map(deploymentView), ...pageView(page) },
    text: pageText(
      page,
      'No template deployments.\n',
      table(['SERVER', 'DIRECTORY', 'TEMPLATE', 'VERSION', 'DEPLOYED', 'JOB'], rows),
    ),
  };
}
