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

Every error has one of these codes. Their meaning does not change between versions.

- REST returns \`application/problem+json\` (RFC 9457): \`type\` (the section of this page), \`title\`, \`status\`, \`detail\` (one sentence that says
  what to do), \`code\`, and for invalid input \`errors\`, a list of \`path\` and \`message\`.
- MCP tools answer with \`isError\` and \`{"ok": false, "status", "code", "detail"}\`. A job that is
  already active is not an error there.
- The CLI prints the detail and the code on standard error, and exits with the exit code.
- A failed job has the code in \`error_code\` and the detail in \`error\`.

${sections.join('\n')}`;
}
