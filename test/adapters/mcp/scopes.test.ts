import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../src/adapters/catalogue/catalogue.ts';
import { CAPABILITIES, type Capability } from '../../../src/domain/scope.ts';
import { type Doors, openDoors } from '../http/doors.ts';

let doors: Doors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close());

const tools = CATALOGUE.filter(({ tool }) => tool !== undefined);

/** All sets of capabilities that a token can have. */
const sets: readonly (readonly Capability[])[] = Array.from(
  { length: 2 ** CAPABILITIES.length - 1 },
  (_, index) => CAPABILITIES.filter((_name, bit) => (index + 1) & (1 << bit)),
);

const fullList = async (): Promise<{ name: string }[]> =>
  (await doors.rpc(await doors.token(CAPABILITIES), 'tools/list')).json.result.tools;

describe('the list of tools', () => {
  it('is what it was, tool by tool', async () => {
    for (const tool of await fullList()) {
      await expect(`${JSON.stringify(tool, null, 1)}\n`).toMatchFileSnapshot(
        `../../golden/mcp/tool-${tool.name}.json`,
      );
    }
  });

  it('is what it was, for each set of scopes', async () => {
    const lines = await Promise.all(
      sets.map(async (scopes) => {
        const { json } = await doors.rpc(await doors.token(scopes), 'tools/list');
        const names = json.result?.tools.map(({ name }: { name: string }) => name) ?? [
          `error ${json.error.code}`,
        ];
        return `${scopes.join('+')}: ${names.join(' ')}`;
      }),
    );
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../golden/mcp/tools-by-scopes.txt');
  });
});

describe.each(sets.map((scopes) => [scopes.join('+'), scopes] as const))(
  'a token for %s',
  (_name, scopes) => {
    const visible = scopes.includes('read') ? tools.filter(({ scope }) => scopes.includes(scope)) : [];

    it('sees its tools, always alike', async () => {
      const token = await doors.token(scopes);
      const reply = await doors.rpc(token, 'tools/list');
      expect(reply.status).toBe(200);
      if (!scopes.includes('read')) {
        expect(reply.json.error.code).toBe(-32001);
        return;
      }
      const listed = reply.json.result.tools as { name: string }[];
      expect(listed.map((tool) => tool.name)).toEqual(visible.map((tool) => tool.name));
      expect(listed).toEqual(
        (await fullList()).filter((tool) => visible.some(({ name }) => name === tool.name)),
      );
      const narrowed = await doors.rpc(await doors.token([...scopes, 'feature:os']), 'tools/list');
      expect(narrowed.text).toBe(reply.text);
    });

    it.each(tools.map((tool) => [tool.name, tool] as const))(
      'may call %s or does not know it',
      async (_tool, tool) => {
        const token = await doors.token(scopes);
        const { json } = await doors.rpc(token, 'tools/call', { name: tool.name, arguments: { nothing: 1 } });
        if (visible.includes(tool)) expect(json.result).toMatchObject({ isError: true });
        else if (scopes.includes('read')) {
          const unknown = await doors.rpc(token, 'tools/call', {
            name: 'no_such_tool',
            arguments: { nothing: 1 },
          });
          expect(json.error).toEqual({ code: -32602, message: `Unknown tool: ${tool.name}` });
          expect(unknown.json.error).toEqual({ code: -32602, message: 'Unknown tool: no_such_tool' });
        } else expect(json.error.code).toBe(-32001);
      },
    );
  },
);
