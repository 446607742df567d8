// Writes the stdio adapter as an MCP Bundle to dist/drover-mcp.mcpb, or to the path that is named.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { mcpBundle } from './lib/mcp-bundle.ts';

const path = resolve(process.argv[2] ?? 'dist/drover-mcp.mcpb');
const bundle = await mcpBundle();
await mkdir(dirname(path), { recursive: true });
await writeFile(path, bundle);
process.stdout.write(
  `${path}: ${bundle.length} bytes, SHA-256 ${createHash('sha256').update(bundle).digest('hex')}\n`,
);
