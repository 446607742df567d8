import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARSERS, READERS, UNPARSED } from '../support/hostile-output.ts';

/** The readers that every parser of host output is made of, and the streams of a command. */
const TOUCHES_HOST_OUTPUT =
  /remote-host\/(?:host-lines|host-json|host-text|marked-sections|sudo-refusal)\.ts'|\b(?:stdout|stderr)\b/;
/** Interfaces for people and programs have streams of their own. */
const OF_THE_SERVICE = /^(?:bootstrap|cli|stdio|web)\//;

const touches = (source: string): boolean =>
  TOUCHES_HOST_OUTPUT.test(source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''));

const sourcesIn = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(`${folder}/${path}`, 'utf8')] as const);

describe('modules that touch what hosts print', () => {
  const found = [
    ...sourcesIn('src/adapters').filter(([path]) => !OF_THE_SERVICE.test(path)),
    ...sourcesIn('src/application').map(([path, source]) => [`application/${path}`, source] as const),
  ]
    .filter(([, source]) => touches(source))
    .map(([path]) => path);
  const read = Object.values(READERS).flat();

  it('are in the table of hostile output, or say why not, and nothing else is', () => {
    expect(found.toSorted()).toEqual([...read, ...Object.keys(UNPARSED)].toSorted());
  });

  it('are read by parsers that there are', () => {
    expect(Object.keys(READERS).filter((parser) => !(parser in PARSERS))).toEqual([]);
  });

  it.each([
    ["import { hostJson } from '../../application/remote-host/host-json.ts';", true],
    ['const { stdout } = await host.run(command);', true],
    ['for await (const chunk of process.stdout) take(chunk);', true],
    ['// what stdout has\nconst a = 1;', false],
  ])('are found: %s', (source, is) => {
    expect(touches(source)).toBe(is);
  });
});
