import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPABILITIES, type Capability } from '../../../../src/domain/access/scope.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

/** All sets of capabilities that a token can have. */
const sets: readonly (readonly Capability[])[] = Array.from(
  { length: 2 ** CAPABILITIES.length - 1 },
  (_, index) => CAPABILITIES.filter((_name, bit) => (index + 1) & (1 << bit)),
);

const fullList = async (): Promise<{ name: string }[]> =>
  (await fixture.rpc(await fixture.token(CAPABILITIES), 'tools/list')).json.result.tools;

describe('the list of tools', () => {
  it('is what it was, tool by tool', async () => {
    for (const tool of await fullList()) {
      await expect(`${JSON.stringify(tool, null, 1)}\n`).toMatchFileSnapshot(
        `../../../golden/mcp/tool-${tool.name}.json`,
      );
    }
  });

  it('is what it was, for each set of scopes', async () => {
    const lines = await Promise.all(
      sets.map(async (scopes) => {
        const { json } = await fixture.rpc(await fixture.token(scopes), 'tools/list');
        const names = json.result?.tools.map(({ name }: { name: string }) => name) ?? [
          `error ${json.error.code}`,
        ];
        return `${scopes.join('+')}: ${names.join(' ')}`;
      }),
    );
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../../golden/mcp/tools-by-scopes.txt');
  });
});
