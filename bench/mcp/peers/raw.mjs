// The limit: node:http alone reads the body and replies with this many bytes.
import { createServer } from 'node:http';

const [port = 0, size = 0] = process.argv.slice(2).map(Number);
const reply = Buffer.alloc(size || 1, 'x');

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': reply.length });
    res.end(reply);
  });
}).listen(port, '127.0.0.1');
