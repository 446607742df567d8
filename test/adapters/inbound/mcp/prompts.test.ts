import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { PROMPTS, type Prompt } from '../../../../src/adapters/inbound/mcp/prompts.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read']);
});
afterAll(() => fixture.close());

const rpc = async (method: string, params?: object) => (await fixture.rpc(token, method, params)).json;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string, params: object, headers: Record<string, string> = {}) =>
  fixture.rpc(
    token,
    method,
    { ...params, _meta: META },
    { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...headers },
  );

describe('prompts', () => {
  it('are five, announced and listed in both protocol versions', async () => {
    const hello = await rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    expect(hello.result.capabilities).toEqual({ tools: {}, prompts: {} });
    const { prompts } = (await rpc('prompts/list')).result;
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(PROMPTS.map(({ name }) => name));
    expect(prompts).toHaveLength(5);
    const { json } = await modern('prompts/list', {});
    expect(json.result).toMatchObject({ prompts, resultType: 'complete', cacheScope: 'private' });
  });

  it.each(PROMPTS.map((prompt) => [prompt.name, prompt] as const))(
    '%s is one message with its arguments filled in',
    async (name, prompt) => {
      const args = Object.fromEntries(prompt.arguments.map((each) => [each.name, `the-${each.name}`]));
      const { result } = await rpc('prompts/get', { name, arguments: args });
      const [{ role, content }] = result.messages;
      expect([role, content.type]).toEqual(['user', 'text']);
      for (const value of Object.values(args)) expect(content.text).toContain(value);
      expect(content.text).not.toMatch(/\{\w+\}/);
      const sent = await modern('prompts/get', { name, arguments: args }, { 'Mcp-Name': name });
      expect(sent.json.result).toMatchObject({ messages: result.messages, resultType: 'complete' });
    },
  );

  it('are refused without a name, with a wrong argument, and with another name in the header', async () => {
    for (const params of [
      { name: 'nothing' },
      { name: 'respond-to-cve' },
      { name: 'respond-to-cve', arguments: { package: 1 } },
      { name: 'respond-to-cve', arguments: { package: 'x'.repeat(201) } },
      { name: 'patch-this-week', arguments: [] },
    ])
      expect((await rpc('prompts/get', params)).error.code, JSON.stringify(params)).toBe(-32602);
    const wrong = await modern('prompts/get', { name: 'fleet-health' }, { 'Mcp-Name': 'other' });
    expect([wrong.status, wrong.json.error.code]).toEqual([400, -32020]);
    const blind = await fixture.token(['jobs']);
    expect((await fixture.rpc(blind, 'prompts/list')).json.error.code).toBe(-32001);
  });

  it('name only tools that are there', () => {
    const names = new Set(CATALOGUE.map(({ name }) => name));
    const words = PROMPTS.flatMap(
      ({ text }) => text.match(/\b(?:list|get|trigger|set|read|write)_\w+/g) ?? [],
    );
    expect(words.filter((word) => !names.has(word))).toEqual([]);
  });
});

describe.each(PROMPTS.map((prompt) => [prompt.name, prompt] as const))('the skill %s', (name, prompt) => {
  it('is the prompt', async () => {
    const file = `../../../../examples/skills/${name}/SKILL.md`;
    await expect(skillOf(prompt)).toMatchFileSnapshot(file);
  });
});

/** As https://agentskills.io/specification has it. */
function skillOf({ name, title, description, arguments: args, text }: Prompt): string {
  const body = text.replaceAll(
    /\{(\w+)\}/g,
    (all, wanted: string) => args.find((each) => each.name === wanted)?.otherwise ?? all,
  );
  return `---\nname: ${name}\ndescription: ${description} Use it with the tools of the drover MCP server.\n---\n\n# ${title}\n\n${body}\n`;
}
