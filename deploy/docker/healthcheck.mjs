// Asks the service in this container whether it lives, under a name that it answers to.
import { get } from 'node:http';

const [name = 'localhost'] = (process.env.SERVICE_ALLOWED_HOSTS || 'localhost').split(',');
const port = process.env.SERVICE_HTTP_PORT || '8888';
const asked = get(
  { host: '127.0.0.1', port, path: '/healthz', headers: { Host: name.trim() }, timeout: 4_000 },
  (reply) => process.exit(reply.statusCode === 200 ? 0 : 1),
);
asked.on('timeout', () => process.exit(1));
asked.on('error', () => process.exit(1));
