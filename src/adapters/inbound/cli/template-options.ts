import { resolve } from 'node:path';
import type { Command } from 'commander';
import * as z from 'zod';
import { GetTemplate, ListDeployments } from '../../../application/compose/list-templates.ts';
import { isDomainError } from '../../../domain/base/errors.ts';
import { withoutEnd } from '../../../domain/base/without-end.ts';
import type { Template } from '../../../domain/compose/template.ts';
import type { VariableValue } from '../../../domain/compose/template-variable.ts';
import type { Server } from '../../../domain/fleet/server.ts';
import { type JobType, takes } from '../../../domain/jobs/job-types.ts';
import { collected } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

/** Options for jobs that deploy a template. */
export interface TemplateOptions {
  readonly template?: string;
  readonly set?: readonly string[];
  readonly values?: string;
  readonly source?: string;
  readonly plan?: number;
}

const MAX_VALUES = 1024 * 1024;

export const withTemplate = (command: Command): Command =>
  command
    .option('--template <name>', 'for template_deploy: the template')
    .option('--set <name=value>', 'for templates: a variable that is not a secret; repeatable', collected)
    .option(
      '--values <file>',
      'for templates: JSON file of variables, including secrets; - for standard input',
    );

/**
 * The template and its variables, as given. Missing secrets are asked for on a terminal. They are never taken from
 * the command line: every user of the machine can read that.
 */
export async function templateRequest(
  session: Session,
  {
    server,
    jobType,
    options,
  }: { readonly server: Server; readonly jobType: JobType; readonly options: TemplateOptions },
): Promise<{ readonly template?: string; readonly variables?: Readonly<Record<string, VariableValue>> }> {
  const { template: name, set = [], values } = options;
  if (!takes(jobType, 'variables')) {
    if (set.length === 0 && values === undefined) return name === undefined ? {} : { template: name };
    throw new UsageError(`--set and --values are for templates, and not for ${jobType}.`);
  }
  const template = await meant(session, server, options);
  const given = {
    ...(values === undefined ? {} : await valuesIn(session, values)),
    ...fromPairs(set, template),
  };
  const asked =
    jobType === 'template_deploy' && options.plan === undefined && session.canAsk
      ? await askedFor(session, template, given)
      : {};
  const variables = { ...given, ...asked };
  return {
    ...(name === undefined ? {} : { template: name }),
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
  };
}

/** The use case reports its faults. */
async function meant(
  { useCases, actor }: Session,
  server: Server,
  { template, source }: TemplateOptions,
): Promise<Template | null> {
  try {
    if (template !== undefined) return await useCases.get(GetTemplate).byName(actor, template);
    const page = { limit: 100, offset: 0 };
    const { items } = await useCases.get(ListDeployments).execute(actor, { serverId: server.id }, page);
    const there = items.find(({ directory }) => directory === withoutEnd(source ?? '', '/'));
    return there ? await useCases.get(GetTemplate).byName(actor, there.templateName) : null;
  } catch (error) {
    if (isDomainError(error, 'template_not_found')) return null;
    throw error;
  }
}

function fromPairs(
  pairs: readonly string[],
  template: Template | null,
): Readonly<Record<string, VariableValue>> {
  const secrets = new Set(
    template?.variables.filter(({ type }) => type === 'secret').map(({ name }) => name),
  );
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      if (at < 1) throw new UsageError('use --set NAME=VALUE.');
      if (secrets.has(name)) {
        throw new UsageError(
          `${name} is a secret, and others could read it on the command line: put it into a file for --values.`,
        );
      }
      return [name, pair.slice(at + 1)];
    }),
  );
}

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

async function valuesIn({ io, directory }: Session, file: string): Promise<Record<string, VariableValue>> {
  const named = file === '-' ? 'standard input' : file;
  let text: string;
  try {
    text =
      file === '-' ? await io.readInput(MAX_VALUES) : await io.readFile(resolve(directory, file), MAX_VALUES);
  } catch (error) {
    const why = error instanceof RangeError ? 'it is too large' : (error as NodeJS.ErrnoException).code;
    throw new UsageError(`cannot read the variables from ${named} (${why}).`);
  }
  try {
    return Values.parse(JSON.parse(text));
  } catch {
    // Its fault cannot be described without a part of it, which may be a secret.
    throw new UsageError(`${named} must be one JSON object of strings, numbers and booleans.`);
  }
}

async function askedFor(
  { io }: Session,
  template: Template | null,
  given: Readonly<Record<string, VariableValue>>,
): Promise<Readonly<Record<string, VariableValue>>> {
  const asked: Record<string, VariableValue> = {};
  for (const { name, type, required } of template?.variables ?? []) {
    if (type !== 'secret' || !required || Object.hasOwn(given, name)) continue;
    asked[name] = await io.ask(`Value of ${name}: `, { hidden: true });
  }
  return asked;
}
