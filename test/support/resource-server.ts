import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';

export const SOCKET_VARIABLE = 'DROVER_TEST_SOCKET';

/** Releases a test file's resource; called on request, or when its process ends in any way. */
export type Releases = Array<() => Promise<void> | void>;

/** Each takes the request's parameter and answers with something that JSON can carry. */
export type Handlers = Record<string, (parameter: unknown, releases: Releases) => Promise<unknown>>;

const Request = z.object({ id: z.int(), method: z.string(), parameter: z.unknown() });

/**
 * Resources that test files share in one run (a database server, hosts) belong to the process that runs them all, so
 * that each is started once, and only on request. Files request them over this socket, one JSON value a line; a
 * connection's resources are released when it closes.
 */
export async function serveResources(path: string, handlers: Handlers): Promise<() => Promise<void>> {
  const sessions = new Map<Socket, Promise<void>>();
  const server = createServer((socket) => {
    const session = serve(socket, handlers).finally(() => sessions.delete(socket));
    sessions.set(socket, session);
  });
  await listen(server, path);
  return async () => {
    server.close();
    for (const socket of sessions.keys()) socket.destroy();
    await Promise.all(sessions.values());
  };
}

/** Until the connection is closed and its resources are released. */
async function serve(socket: Socket, handlers: Handlers): Promise<void> {
  const releases: Releases = [];
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  socket.on('error', () => socket.destroy());
  createInterface(socket).on('line', (line) => {
    void respond(socket, handlers, releases, line);
  });
  await closed;
  await releaseAll(releases);
}

async function respond(socket: Socket, handlers: Handlers, releases: Releases, line: string): Promise<void> {
  const reply = await answer(handlers, releases, line);
  // The requester may have exited during the creation.
  if (socket.destroyed) await releaseAll(releases);
  else socket.write(`${JSON.stringify(reply)}\n`);
}

async function answer(handlers: Handlers, releases: Releases, line: string): Promise<unknown> {
  const { id, method, parameter } = Request.parse(JSON.parse(line));
  const handler = handlers[method];
  if (!handler) return { id, error: `there is no resource ${method}` };
  return handler(parameter, releases).then(
    (result) => ({ id, result }),
    (error: unknown) => ({ id, error: error instanceof Error ? error.message : String(error) }),
  );
}

async function releaseAll(releases: Releases): Promise<void> {
  for (const release of releases.splice(0)) {
    await Promise.resolve(release()).catch((error: unknown) => {
      console.error('a test resource could not be released:', error);
    });
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}
