// Receives Drover's webhooks, accepts only signed ones, and prints one line for each.
// SECRET=whsec_… node receiver.mjs; PORT is 8080 unless it is set.
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const MAX_BYTES = 64 * 1024;
const webhook = new Webhook(process.env.SECRET ?? '');
/** The last messages' ids: a message may come more than once. */
const seen = new Set();

createServer(async (request, response) => {
  const answer = (status) => response.writeHead(status).end();
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > MAX_BYTES) return answer(413);
  }
  let message;
  try {
    // The raw body: after parsing and serialising it, the signature would differ.
    message = webhook.verify(body, request.headers);
  } catch {
    return answer(401);
  }
  const id = request.headers['webhook-id'];
  if (!seen.has(id)) {
    seen.add(id);
    if (seen.size > 10_000) seen.delete(seen.values().next().value);
    const { severity, title } = message.data;
    console.log(`${message.timestamp} ${message.type} ${severity}: ${title}`);
  }
  return answer(204);
}).listen(Number(process.env.PORT ?? 8080), function () {
  console.log(`listening on ${this.address().port}`);
});
