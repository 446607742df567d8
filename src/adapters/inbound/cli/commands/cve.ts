import type { Command } from 'commander';
import { FindCve } from '../../../../application/fleet/find-cve.ts';
import { ImportAdvisories } from '../../../../application/fleet/import-advisories.ts';
import { count, grouped } from '../../../../domain/base/spans.ts';
import { cveView } from '../../api/views/cve-view.ts';
import { type PageOptions, withExamples, withPage } from '../arguments.ts';
import { readTextFile } from '../read-text-file.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { moreOf } from '../words.ts';

/** Below the longest string of Node. */
const MAX_FILE_BYTES = 384 * 1024 * 1024;

export function addCveCommands(program: Command, runner: Runner): void {
  const cve = program.command('cve').description('find servers with a CVE, and import security data');
  withExamples(
    withPage(
      cve
        .command('show')
        .description('list the servers with a version of a package that a CVE affects')
        .argument('<cve>', 'the id, such as CVE-2024-6387'),
      100,
    ).action(runner.read(show)),
    'drover cve show CVE-2024-6387',
  );
  withExamples(
    cve
      .command('import')
      .description(
        "import security data: OSV, Debian's security tracker, Ubuntu's security notices or Alpine's secdb",
      )
      .argument('<file>', 'the file, or - for standard input')
      .action(runner.run(importAdvisories)),
    'drover cve import debian.jsonl',
  );
}

async function show(session: Session, id: string, { limit, offset }: PageOptions): Promise<Reply> {
  const found = await session.useCases.get(FindCve).execute(session.actor, id, { limit, offset });
  const { packages } = found;
  const rows = packages.items.map((each) => [
    each.serverName,
    each.system,
    each.name,
    each.version,
    each.fixedIn ?? 'not fixed yet',
  ]);
  const none = found.known
    ? `No server has a version that ${found.id} affects, of ${found.systems.join(', ')}.\n`
    : `The imported security data do not name ${found.id}. Import newer ones with: drover cve import FILE\n`;
  const head = ['SERVER', 'SYSTEM', 'PACKAGE', 'VERSION', 'FIXED IN'];
  return {
    json: cveView(found),
    text: packages.total === 0 ? none : table(head, rows, { last: 'whole' }) + moreOf(packages),
  };
}

async function importAdvisories(session: Session, file: string): Promise<Reply> {
  const text = await readTextFile(session, file, MAX_FILE_BYTES);
  const { advisories, vulnerabilities } = await session.useCases
    .get(ImportAdvisories)
    .execute(session.actor, text);
  return {
    json: { ok: true, advisories, vulnerabilities },
    text: `Imported ${count(advisories, 'advisory', 'advisories')} with ${grouped(vulnerabilities)} entries for known systems.\n`,
  };
}
