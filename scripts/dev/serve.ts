import { main } from '../../src/adapters/bootstrap/main.ts';

process.exitCode = await main(['serve', ...process.argv.slice(2)]);
