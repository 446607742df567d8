// Koa alone: reads the body and replies with this many bytes.
import Koa from 'koa';

const [port = 0, size = 0] = process.argv.slice(2).map(Number);
const reply = Buffer.alloc(size || 1, 'x');

new Koa()
  .use(async (ctx) => {
    const chunks = [];
    for await (const chunk of ctx.req) chunks.push(chunk);
    ctx.type = 'application/json';
    ctx.body = reply;
  })
  .listen(port, '127.0.0.1');
