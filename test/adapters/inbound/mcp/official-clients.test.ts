import { describe } from 'vitest';
import { clientScenario } from '../../../support/client-scenario.ts';
import { CLIENT_KINDS } from '../../../support/mcp-clients.ts';

describe.each(CLIENT_KINDS)('$name over HTTP speaks $revision', (kind) => {
  clientScenario(kind, (url, token) => ({ url, token }));
});
