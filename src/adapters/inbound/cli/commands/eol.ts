import { type Command, Option } from 'commander';
import { OsSupport } from '../../../../application/fleet/os-support.ts';
import { DAY } from '../../../../domain/base/instant.ts';
import { count } from '../../../../domain/base/spans.ts';
import { PRODUCT_NAMES } from '../../../../domain/fleet/os-support.ts';
import { withExamples } from '../arguments.ts';
import { readTextFile } from '../read-text-file.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

/** All products of endoflife.date together have about 8 MB. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

export function addEolCommands(program: Command, runner: Runner): void {
  const eol = program.command('eol').description('manage the end-of-life dates of operating systems');
  eol
    .command('list')
    .description('list until when each known release gets security updates')
    .action(runner.read(list));
  withExamples(
    eol
      .command('import')
      .description(
        'import dates from a file of endoflife.date: /api/v1/products/full or /api/v1/products/NAME',
      )
      .argument('<file>', 'the file, or - for standard input')
      .addOption(
        new Option('--product <name>', 'the product of a file from /api/NAME.json').choices(PRODUCT_NAMES),
      )
      .action(runner.run(importDates)),
    'drover eol import full.json',
    'drover eol import --product debian debian.json',
  );
}

async function list(session: Session): Promise<Reply> {
  const ends = await session.useCases.get(OsSupport).ends();
  const releases = Object.entries(ends).flatMap(([id, versions]) =>
    Object.entries(versions).map(([version, day]) => ({
      os_id: id,
      os_version: version,
      supported_until: day,
    })),
  );
  releases.sort((a, b) => (a.supported_until < b.supported_until ? 1 : -1));
  const rows = releases.map((each) => [
    each.os_id,
    each.os_version,
    each.supported_until,
    Date.parse(each.supported_until) + DAY <= session.now() ? 'ended' : 'supported',
  ]);
  return { json: { releases }, text: table(['SYSTEM', 'RELEASE', 'UNTIL', 'STATE'], rows) };
}

async function importDates(
  session: Session,
  file: string,
  { product }: { readonly product?: string },
): Promise<Reply> {
  const text = await readTextFile(session, file, MAX_FILE_BYTES);
  const { releases, servers } = await session.useCases.get(OsSupport).import(session.actor, text, product);
  return {
    json: { ok: true, releases, servers },
    text: `Imported ${count(releases, 'release')}. ${count(servers, 'server')} changed.\n`,
  };
}
