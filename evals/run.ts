import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { INJECTIONS } from '../test/support/injections.ts';
import { answerIn, byHand, chatApi, commandLine, type Driver } from './agents.ts';
import { attempt } from './attempt.ts';
import { removeSeed } from './fleet.ts';
import { promptOf, type Task } from './task.ts';
import { HOSTILE_TASKS, TASKS } from './tasks.ts';

const USAGE = `Runs the evaluations with an agent, and keeps the result.

  npm run evals -- --name NAME --command PROGRAM ARGS… (with {config} and {prompt} in them)
  npm run evals -- --name NAME --api BASE_URL --model MODEL      (key in EVALS_API_KEY)
  npm run evals -- --name NAME --hand DIRECTORY
  --injections   ten of the tasks, on servers that contain eighty hostile texts
  --task ID      only this task, without keeping the result; may be repeated
`;
const RESULTS = new URL('./results/', import.meta.url);
const README = new URL('./README.md', import.meta.url);
const MARK = '<!-- What follows is written by npm run evals. -->\n';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string', default: 'agent' },
    command: { type: 'boolean', default: false },
    api: { type: 'string' },
    model: { type: 'string', default: '' },
    hand: { type: 'string' },
    injections: { type: 'boolean', default: false },
    task: { type: 'string', multiple: true, default: [] },
  },
});

const Row = z.object({
  id: z.string(),
  solved: z.boolean(),
  within_budget: z.boolean(),
  calls: z.number(),
  tokens: z.number(),
  harm: z.array(z.string()),
  faults: z.array(z.string()),
  tools: z.array(z.string()),
});
type Row = z.output<typeof Row>;
const Results = z.object({
  name: z.string(),
  at: z.string(),
  injections: z.boolean().default(false),
  tasks: z.array(Row),
});

/** Tasks that an agent works on by hand at a time. */
const AT_ONCE = 10;

function driverOf(): Driver | null {
  if (values.command && positionals.length > 0) return commandLine(positionals);
  if (values.api !== undefined) return chatApi(values.api, values.model, process.env['EVALS_API_KEY'] ?? '');
  if (values.hand !== undefined) return byHand(values.hand);
  return null;
}

function chosenTasks(): readonly Task[] {
  const unknown = values.task.filter((id) => !TASKS.some((task) => task.id === id));
  if (unknown.length > 0) throw new Error(`There is no task ${unknown.join(', ')}.`);
  if (values.task.length > 0) return TASKS.filter(({ id }) => values.task.includes(id));
  return values.injections ? HOSTILE_TASKS : TASKS;
}

async function attemptBy(drive: Driver, task: Task): Promise<Row> {
  const planted = values.injections ? INJECTIONS.map(({ text }) => text) : [];
  const tried = await attempt(
    task,
    async (place) => {
      if (values.hand !== undefined)
        process.stdout.write(
          `\n${task.id}: ${join(values.hand, task.id, 'task.json')}\n  ${place.url}/mcp  Bearer ${place.secret}\n  ${task.goal}\n`,
        );
      return answerIn(await drive(promptOf(task), place, task.id));
    },
    planted,
  );
  const { solved, faults, harm, usage } = tried;
  const { calls, tokens, tools } = usage;
  const within_budget = calls <= task.budget.calls && tokens <= task.budget.tokens;
  const row = {
    id: task.id,
    solved,
    within_budget,
    calls,
    tokens,
    harm: [...harm],
    faults: [...faults],
    tools,
  };
  if (values.hand !== undefined)
    await writeFile(join(values.hand, task.id, 'verdict.json'), `${JSON.stringify(row, null, 1)}\n`);
  const fault = [...faults, ...harm.map((each) => `harm: ${each}`)].join('; ');
  process.stdout.write(
    `${solved ? 'solved' : 'FAILED'}  ${task.id}  ${calls} calls, ${tokens} tokens  ${fault}\n`,
  );
  return row;
}

async function run(drive: Driver): Promise<void> {
  const chosen = chosenTasks();
  const rows: Row[] = [];
  const left = chosen.entries();
  const work = async (): Promise<void> => {
    for (const [at, task] of left) rows[at] = await attemptBy(drive, task);
  };
  await Promise.all(Array.from({ length: values.hand === undefined ? 1 : AT_ONCE }, work));
  if (values.task.length > 0) return;
  await mkdir(RESULTS, { recursive: true });
  const { name, injections } = values;
  const results = { name, at: new Date().toISOString().slice(0, 10), injections, tasks: rows };
  const file = `${name}${injections ? '-injections' : ''}.json`.replaceAll(/[^\w.-]+/g, '-');
  await writeFile(new URL(file, RESULTS), `${JSON.stringify(results, null, 1)}\n`);
  await writeTable();
}

/** One row for each agent that was tried. */
async function writeTable(): Promise<void> {
  const files = (await readdir(RESULTS)).filter((file) => file.endsWith('.json')).toSorted();
  const all = await Promise.all(
    files.map(async (file) => Results.parse(JSON.parse(await readFile(new URL(file, RESULTS), 'utf8')))),
  );
  const lines = all.map(({ name, at, injections, tasks }) => {
    const sum = (count: (row: Row) => number): number => tasks.reduce((total, row) => total + count(row), 0);
    const cells = [
      injections ? `${name}, with injections` : name,
      `${sum(({ solved }) => Number(solved))} of ${tasks.length}`,
      `${sum(({ within_budget }) => Number(within_budget))}`,
      `${sum(({ calls }) => calls)}`,
      sum(({ tokens }) => tokens).toLocaleString('en'),
      `${sum(({ harm }) => harm.length)}`,
      at,
    ];
    return `| ${cells.join(' | ')} |\n`;
  });
  const [before = ''] = (await readFile(README, 'utf8')).split(MARK);
  const head =
    '| Agent | Solved | Within budget | Calls | Tokens | Harmful actions | Date |\n|---|---|---|---|---|---|---|\n';
  await writeFile(README, `${before}${MARK}\n${head}${lines.join('')}`);
  process.stdout.write(`kept in ${fileURLToPath(RESULTS)}\n`);
}

const driver = driverOf();
if (driver === null) process.stdout.write(USAGE);
else {
  await run(driver);
  await removeSeed();
}
process.exit(driver === null ? 2 : 0);
