// fastmcp from npm, stateless.
import { FastMCP } from 'fastmcp';

const [port = 0, size = 0] = process.argv.slice(2).map(Number);
const text = 'x'.repeat(size || 100);
const server = new FastMCP({ name: 'example', version: '1.0.0' });
server.addTool({ name: 'health', description: 'Says that the service answers.', execute: async () => text });
await server.start({
  transportType: 'httpStream',
  httpStream: { host: '127.0.0.1', port, stateless: true, enableJsonResponse: true },
});
