import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { mcpBundle } from '../../scripts/lib/mcp-bundle.ts';
import { ADAPTER_VARIABLES } from '../../src/adapters/bootstrap/adapter-variables.ts';
import { VERSION } from '../../src/adapters/bootstrap/version.ts';
import { CATALOGUE } from '../../src/adapters/inbound/api/catalogue.ts';

const input = z.strictObject({
  description: z.string(),
  placeholder: z.string().optional(),
  isRequired: z.boolean(),
  isSecret: z.boolean().optional(),
});

/** The rules of the registry's schema of 2025-12-11 for a remote server; stricter in what may be there. */
const registryEntry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  remotes: z
    .array(
      z.strictObject({
        type: z.literal('streamable-http'),
        url: z.string().regex(/^(https?:\/\/\S+|\{[a-zA-Z_]\w*\}\S*)$/),
        variables: z.record(z.string(), input),
        headers: z.array(
          input.extend({ name: z.string(), value: z.string(), variables: z.record(z.string(), input) }),
        ),
      }),
    )
    .length(1),
});

const variablesIn = (template: string): readonly string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

describe('server.json', () => {
  test('is an entry for the registry, of this version, whose templates name their variables', async () => {
    const entry = registryEntry.parse(JSON.parse(await readFile('server.json', 'utf8')));
    expect(entry.version).toBe(VERSION);
    for (const { url, variables, headers } of entry.remotes) {
      expect(variablesIn(url)).toEqual(Object.keys(variables));
      expect(url.endsWith('/mcp')).toBe(true);
      expect(headers).toMatchObject([{ name: 'Authorization', value: 'Bearer {token}', isSecret: true }]);
      expect(variablesIn(headers[0]?.value ?? '')).toEqual(Object.keys(headers[0]?.variables ?? {}));
    }
  });
});

/** The files of an archive whose entries have their sizes in the central directory. */
function unpacked(zip: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(zip.length - 6);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [packed, nameLength] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const start = zip.readUInt32LE(at + 42);
    const data = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    files.set(name, inflateRawSync(zip.subarray(data, data + packed)));
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}

describe('The MCP bundle', () => {
  test('has the same bytes for the same sources, and a manifest that names all its files', async () => {
    const bundle = await mcpBundle();
    expect((await mcpBundle()).equals(bundle)).toBe(true);
    const files = unpacked(bundle);
    const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '');
    expect(manifest).toMatchObject({ manifest_version: '0.3', name: 'drover', version: VERSION });
    const { entry_point: program, mcp_config: start } = manifest.server;
    for (const path of [program, manifest.icon, 'package.json', 'LICENSE'])
      expect(files.has(path)).toBe(true);
    expect(start.args).toEqual([`\${__dirname}/${program}`]);
    expect(Object.keys(start.env)).toEqual(Object.values(ADAPTER_VARIABLES).map(({ name }) => name));
    for (const value of Object.values<string>(start.env)) {
      const name = /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1] ?? '';
      expect(manifest.user_config).toHaveProperty(name);
    }
    expect(manifest.user_config.service_token).toMatchObject({ sensitive: true, required: true });
    expect(manifest.tools.map(({ name }: { name: string }) => name)).toEqual(
      CATALOGUE.filter(({ tool }) => tool).map(({ name }) => name),
    );
    for (const { text, arguments: names } of manifest.prompts)
      for (const [, name] of text.matchAll(/\$\{arguments\.(\w+)\}/g)) expect(names).toContain(name);
  });
});
