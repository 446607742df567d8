import { constants } from 'node:fs';
import { mkdir, open, opendir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { InvalidInput } from '../../domain/errors.ts';
import {
  LARGEST_FILE,
  LARGEST_TEMPLATE,
  MOST_FILES,
  type RawTemplate,
  type TemplateContent,
  type TemplateFile,
} from '../../domain/template.ts';
import { TemplatePath } from '../../domain/template-path.ts';
import { VARIABLE_TYPES } from '../../domain/template-variable.ts';
import { UsageError } from './errors.ts';

/** What a template says of itself; all other files of its folder are rendered. */
export const MANIFEST = 'template.json';
/** What lies in folders without belonging to anything. */
const IGNORED = new Set(['.git', '.DS_Store', 'Thumbs.db']);
const DEEPEST = 8;

const Manifest = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  variables: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.enum(VARIABLE_TYPES),
        description: z.string().optional(),
        required: z.boolean().optional(),
        default: z.union([z.string(), z.number(), z.boolean()]).optional(),
        choices: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});

export interface TemplateFolder {
  readonly manifest: RawTemplate;
  readonly files: readonly TemplateFile[];
}

/** Reads a folder; follows no link, opens nothing but files, and reads no more than a template may have. */
export async function readTemplateFolder(directory: string): Promise<TemplateFolder> {
  const paths: string[] = [];
  await collect(directory, '', paths).catch((error: unknown) => {
    if (error instanceof InvalidInput) throw error;
    throw new UsageError(`cannot read the folder ${directory} (${(error as NodeJS.ErrnoException).code}).`);
  });
  const files: TemplateFile[] = [];
  let left = LARGEST_TEMPLATE + LARGEST_FILE;
  for (const path of paths.toSorted()) {
    const content = await readText(directory, path, Math.min(left, LARGEST_FILE));
    left -= content.length;
    files.push({ path, content });
  }
  const manifest = files.find(({ path }) => path === MANIFEST);
  if (!manifest) throw fault(MANIFEST, `There is no ${MANIFEST} in ${directory}.`);
  return { manifest: manifestOf(manifest.content), files: files.filter((each) => each !== manifest) };
}

async function collect(directory: string, inside: string, paths: string[]): Promise<void> {
  if (inside.split('/').length > DEEPEST) throw fault(inside, `It is more than ${DEEPEST} folders deep.`);
  for await (const entry of await opendir(join(directory, inside))) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (IGNORED.has(entry.name)) continue;
    if (entry.isDirectory()) await collect(directory, path, paths);
    else if (entry.isFile()) paths.push(path);
    else throw fault(path, 'It is a link or a special file; a template has files only.');
    if (paths.length > MOST_FILES + 1) throw fault('', `A template has at most ${MOST_FILES} files.`);
  }
}

async function readText(directory: string, path: string, most: number): Promise<string> {
  const file = await open(join(directory, path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    if (size > most) throw fault(path, `It is larger than ${most} bytes.`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw fault(path, 'It is no UTF-8 text.');
    throw error;
  } finally {
    await file.close();
  }
}

function manifestOf(text: string): RawTemplate {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw fault(MANIFEST, `It is no JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const parsed = Manifest.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(
    parsed.error.issues.map(({ path, message }) => ({
      path: `/${MANIFEST}/${path.join('/')}`,
      message: `${message.replace(/\.$/, '')}.`,
    })),
  );
}

/** What `import` would read as the same template. */
export function manifestText({ name, description, variables }: TemplateContent): string {
  const shown = variables.map((each) => ({
    name: each.name,
    type: each.type,
    ...(each.description === '' ? {} : { description: each.description }),
    ...(each.choices.length === 0 ? {} : { choices: each.choices }),
    ...(each.default === null ? {} : { default: each.default }),
    ...(each.required === (each.default === null) ? {} : { required: each.required }),
  }));
  return `${JSON.stringify({ name, description, variables: shown }, null, 2)}\n`;
}

/** Writes a template into a new or empty folder. */
export async function writeTemplateFolder(directory: string, template: TemplateContent): Promise<void> {
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) {
    throw new UsageError(`${directory} is not empty; name a new folder.`);
  }
  for (const { path, content } of [{ path: MANIFEST, content: manifestText(template) }, ...template.files]) {
    // It was checked when it was imported, and the database is not the place to say where files are written.
    TemplatePath.parse(path);
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content, { flag: 'wx' });
  }
}

const fault = (path: string, message: string): InvalidInput =>
  new InvalidInput([{ path: `/${path}`, message }]);
