import { describe } from 'vitest';
import { clientScenario } from '../../../support/client-scenario.ts';
import { CLIENT_KINDS } from '../../../support/mcp-clients.ts';
import { environment, PROGRAM } from './adapter-process.ts';

describe.each(CLIENT_KINDS)('$name over stdio speaks $revision', (kind) => {
  clientScenario(kind, (url, token) => ({
    program: PROGRAM,
    env: environment({ SERVICE_URL: url, SERVICE_TOKEN: token }),
  }));
});
