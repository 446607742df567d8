import { DomainError } from '../../../../../domain/base/errors.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import { lastLine } from '../../shell/host-lines.ts';
import { plainText } from '../../shell/host-text.ts';
import {
  anotherFileSystem,
  changed,
  denied,
  diskFull,
  exists,
  failed,
  jailElsewhere,
  jailMissing,
  linkOnTheWay,
  movedAway,
  notADirectory,
  notAFile,
  notEmpty,
  notFound,
  notKept,
  readOnly,
  severalNames,
  specialMode,
  tooDeep,
  tooLarge,
} from '../refusals.ts';

/** A line of the protocol: the result, and values. */
export interface Outcome {
  readonly word: string;
  readonly values: readonly string[];
}

/** The subject of a call, for its error messages. */
export interface Subject {
  readonly serverName: string;
  readonly jail: string;
  readonly path: JailPath;
  /** The entry that already has the name, if it is not the path itself. */
  readonly taken?: JailPath;
  readonly most?: number;
}

/** Throws unless the outcome is one of these; `stderr` has the messages of the host's tools. */
export function assertOutcome(
  { word, values }: Outcome,
  expected: readonly string[],
  stderr: string,
  about: Subject,
): void {
  if (expected.includes(word)) return;
  throw refusalOf(word, values, stderr, about);
}

function refusalOf(word: string, values: readonly string[], stderr: string, about: Subject): Error {
  const { path, jail, serverName } = about;
  switch (word) {
    case 'missing':
      return notFound(path);
    case 'link':
      return linkOnTheWay(path);
    case 'mounted':
      return anotherFileSystem(path);
    case 'too-deep':
      return tooDeep(path);
    case 'moved':
      return movedAway(path);
    case 'not-directory':
      return notADirectory(path);
    case 'directory':
      return notAFile(path, 'a directory');
    case 'special':
      return notAFile(path, 'a FIFO, a socket or a device');
    case 'several-names':
      return severalNames(path);
    case 'special-mode':
      return specialMode(path);
    case 'not-kept':
      return notKept(path);
    case 'exists':
      return exists(about.taken ?? path);
    case 'changed':
      return changed(path);
    case 'too-large':
      return tooLarge(path, about.most ?? 0);
    case 'denied':
      return denied(path);
    case 'jail-missing':
      return jailMissing(jail);
    case 'jail-elsewhere':
      return jailElsewhere(jail, plainText(values.join(' ')) ?? undefined);
    case 'cut':
      return new DomainError(
        'host_connection_lost',
        `"${serverName}" did not receive all of ${String(path)}.`,
      );
    case 'no-proc':
      return new DomainError(
        'host_unsupported',
        `File tools need Linux with /proc mounted, which "${serverName}" does not have.`,
      );
    case 'tool':
      return toolMissing(serverName, plainText(values[0], 20) ?? 'a program');
    case 'not-renamed':
      return failed(path, 'its file system cannot rename it in one step');
    case 'locked':
      return failed(path, 'its directory is locked by another program');
    case 'busy':
      return failed(path, 'it keeps changing');
    default:
      return saidRefusal(stderr, about);
  }
}

/** The C library's words for a refusal; tools end their message with them. */
const SAID: readonly (readonly [RegExp, (path: JailPath) => DomainError])[] = [
  [/: Permission denied$/, denied],
  [/: Operation not permitted$/, denied],
  [/: Read-only file system$/, readOnly],
  [/: (No space left on device|Disk quota exceeded)$/, diskFull],
  [/: File exists$/, exists],
  [/: Directory not empty$/, notEmpty],
  [/: Too many levels of symbolic links$/, linkOnTheWay],
  [/: No such file or directory$/, notFound],
  [/: Not a directory$/, notADirectory],
  [/: Is a directory$/, (path) => notAFile(path, 'a directory')],
  [/: No such device or address$/, (path) => notAFile(path, 'a FIFO, a socket or a device')],
];

/** A tool's message for an unsupported option, or a missing tool. */
const NOT_THE_TOOL =
  /(?<tool>dd|stat|mv|sha256sum|unlink|rmdir|mkdir|readlink|expr|chmod|chown): (not found|command not found|applet not found|unrecognized|unknown|invalid (option|argument|input flag)|inaccessible or not found)/;

function saidRefusal(stderr: string, { path, serverName }: Subject): DomainError {
  const tool = NOT_THE_TOOL.exec(stderr.slice(0, 4_096))?.groups?.['tool'];
  if (tool !== undefined) return toolMissing(serverName, tool);
  const said = lastLine(stderr);
  const known = SAID.find(([words]) => words.test(said));
  return known ? known[1](path) : failed(path, plainText(said) ?? 'no reason given');
}

const toolMissing = (serverName: string, tool: string): DomainError =>
  new DomainError(
    'host_tool_missing',
    `"${serverName}" lacks GNU "${tool}", which file tools need (the BusyBox version is not enough): install coreutils there.`,
  );
