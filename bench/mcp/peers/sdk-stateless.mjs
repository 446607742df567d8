// The SDK's own stateless example (simpleStatelessStreamableHttp): express, and a new server and transport for each
// request. Only the tool is another: one that replies with the same few bytes as ours.
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const [port = 0, size = 0] = process.argv.slice(2).map(Number);
const text = 'x'.repeat(size || 100);

function getServer() {
  const server = new McpServer({ name: 'example', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('health', { description: 'Says that the service answers.', inputSchema: {} }, () => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}

const app = createMcpExpressApp();
app.post('/mcp', async (req, res) => {
  const server = getServer();
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
  });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
  res.on('close', () => {
    void transport.close();
    void server.close();
  });
});
app.listen(port, '127.0.0.1');
