import { ERRORS, statusOf } from '../../src/adapters/inbound/api/error-table.ts';
import { exitCodeOf } from '../../src/adapters/inbound/cli/exit-codes.ts';
import { ERROR_CODES } from '../../src/domain/base/errors.ts';

/** docs/errors.md, from the tables that the interfaces use. */
export function errorsPage(): string {
  const sections = ERROR_CODES.map(
    (code) =>
      `## ${code}\n\n${ERRORS[code].meaning}\n\nHTTP ${statusOf(code)} · exit code ${exitCodeOf(code)}\n`,
  );
  return `# Errors

Every refusal and failure has one of these codes. They do not change their meaning between versions.

- REST answers with \`application/problem+json\` (RFC 9457): \`type\` (the section of this page), \`title\`, \`status\`, \`detail\` (one sentence that says
  what to do), \`code\`, and for bad input \`errors\`, a list of \`path\` and \`message\`.
- A tool of the agents' endpoint answers with \`isError\` and \`{"ok": false, "status", "code", "detail"}\`. A job that is
  already active is no error there.
- The command line prints the detail and the code on standard error, and ends with the exit code.
- A job that failed carries the code in \`error_code\` and the sentence in \`error\`.

${sections.join('\n')}`;
}
