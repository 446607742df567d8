import { InvalidInput } from '../base/errors.ts';
import { shellCommand } from '../base/shell-command.ts';
import { FORBIDDEN_ROOTS } from '../files/jail-directory.ts';

/**
 * Compose's rules for project names, which is the name of the directory:
 * https://docs.docker.com/reference/compose-file/version-and-name/
 */
const PROJECT_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const PART = /^[A-Za-z0-9._+@-]+$/;
const LONGEST = 500;

/**
 * The directory that a template is deployed to, in normal form: a direct child of one of the server's Compose
 * directories. Throws `InvalidInput` for any other.
 */
export function projectDirectory(
  raw: string,
  server: { readonly id: number; readonly name: string; readonly composeDirs: readonly string[] },
): string {
  const parts = raw.split('/').filter(Boolean);
  const directory = `/${parts.join('/')}`;
  const fault = faultOf(raw, directory, parts) ?? placeFault(directory, server);
  if (fault !== null) throw new InvalidInput([{ path: '/source_filter', message: fault }]);
  return directory;
}

function faultOf(raw: string, directory: string, parts: readonly string[]): string | null {
  if (!raw.startsWith('/'))
    return 'Identify the project by its absolute directory on the server, starting with "/".';
  if (directory.length > LONGEST) return `A project's directory has at most ${LONGEST} characters.`;
  if (parts.some((part) => part === '.' || part === '..')) return 'A directory has no "." or ".." parts.';
  if (!parts.every((part) => PART.test(part))) {
    return "A project's directory can contain only letters, digits and ._+@-.";
  }
  if (!PROJECT_NAME.test(parts.at(-1) ?? '')) {
    return 'The last part of the directory is the project name: up to 63 lower-case letters, digits, - and _.';
  }
  const root = FORBIDDEN_ROOTS.find((each) => directory === each || directory.startsWith(`${each}/`));
  return root === undefined ? null : `A project cannot be at or below ${root}.`;
}

function placeFault(
  directory: string,
  {
    id,
    name,
    composeDirs,
  }: { readonly id: number; readonly name: string; readonly composeDirs: readonly string[] },
): string | null {
  if (composeDirs.length === 0) {
    return `${name} has no Compose directory yet; set one with \`${shellCommand`drover server edit ${id} --compose-dir DIRECTORY`}\`.`;
  }
  const parent = directory.slice(0, directory.lastIndexOf('/'));
  return composeDirs.includes(parent)
    ? null
    : `Projects on ${name} must be directly below ${composeDirs.join(' or ')}.`;
}
