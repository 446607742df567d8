import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { answerIn, byHand, chatApi, commandLine, type Driver } from './agents.ts';
import { attempt } from './attempt.ts';
import { removeSeed } from './fleet.ts';
import { promptOf } from './task.ts';
import { TASKS } from './tasks.ts';

const USAGE = `Runs the evaluations with an agent, and keeps the result.

  npm run evals -- --name NAME --command PROGRAM ARGS… (with {config} and {prompt} in them)
  npm run evals -- --name NAME --api BASE_URL --model MODEL      (key in EVALS_API_KEY)
  npm run evals -- --name NAME --hand DIRECTORY
  --task ID   only this task, without keeping the result; may be repeated
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
const Results = z.object({ name: z.string(), at: z.string(), tasks: z.array(Row) });

function driverOf(): Driver | null {
  if (values.command && positionals.length > 0) return commandLine(positionals);
  if (values.api !== undefined) return chatApi(values.api, values.model, process.env['EVALS_API_KEY'] ?? '');
  if (values.hand !== undefined) return byHand(values.hand);
  return null;
}

async function run(drive: Driver): Promise<void> {
  const rows: z.output<typeof Row>[] = [];
  const chosen = TASKS.filter(({ id }) => values.task.length === 0 || values.task.includes(id));
  for (const task of chosen) {
    const tried = await attempt(task, async (place) => answerIn(await drive(promptOf(task), place)));
    const { solved, faults, harm, usage } = tried;
    const { calls, tokens, tools } = usage;
    const within_budget = calls <= task.budget.calls && tokens <= task.budget.tokens;
    rows.push({
      id: task.id,
      solved,
      within_budget,
      calls,
      tokens,
      harm: [...harm],
      faults: [...faults],
      tools,
    });
    const fault = [...faults, ...harm.map((each) => `harm: ${each}`)].join('; ');
    process.stdout.write(
      `${solved ? 'solved' : 'FAILED'}  ${task.id}  ${calls} calls, ${tokens} tokens  ${fault}\n`,
    );
  }
  if (values.task.length > 0) return;
  await mkdir(RESULTS, { recursive: true });
  const results = { name: values.name, at: new Date().toISOString().slice(0, 10), tasks: rows };
  await writeFile(
    new URL(`${values.name.replaceAll(/[^\w.-]+/g, '-')}.json`, RESULTS),
    `${JSON.stringify(results, null, 1)}\n`,
  );
  await writeTable();
}

/** One row for each agent that was tried. */
async function writeTable(): Promise<void> {
  const files = (await readdir(RESULTS)).filter((file) => file.endsWith('.json')).toSorted();
  const all = await Promise.all(
    files.map(async (file) => Results.parse(JSON.parse(await readFile(new URL(file, RESULTS), 'utf8')))),
  );
  const lines = all.map(({ name, at, tasks }) => {
    const sum = (count: (row: z.output<typeof Row>) => number): number =>
      tasks.reduce((total, row) => total + count(row), 0);
    const cells = [
      name,
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
