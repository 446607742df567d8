import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ADAPTER_VARIABLES } from '../../src/adapters/bootstrap/adapter-variables.ts';
import { CATALOGUE } from '../../src/adapters/inbound/api/catalogue.ts';
import { PROMPTS } from '../../src/adapters/inbound/mcp/prompts.ts';
import { ZipArchiver } from '../../src/adapters/outbound/zip/zip-archiver.ts';
import { REQUIRE } from './bundle.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** As deep as in dist/, since the program looks for package.json three levels above. */
const PROGRAM = 'server/adapters/bootstrap/drover-mcp.js';
const ICON = 'src/adapters/inbound/web/static/icon-512.png';

/** The same bytes for the same contents. ZIP has no earlier date. */
const MODIFIED_AT = Date.UTC(1980, 0, 1);

interface Package {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: { readonly node: string };
}

/** The stdio adapter as an MCP Bundle, which desktop clients install with a click: a ZIP with a manifest. */
export async function mcpBundle(): Promise<Buffer> {
  const about = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Package;
  const { version } = about;
  const files: readonly (readonly [string, string | Uint8Array])[] = [
    ['manifest.json', json(manifestOf(about))],
    ['package.json', json({ name: 'drover-mcp', version, type: 'module', private: true })],
    ['icon.png', await readFile(join(ROOT, ICON))],
    ['LICENSE', await readFile(join(ROOT, 'LICENSE'))],
    [PROGRAM, await program()],
  ];
  return buffer(
    new ZipArchiver().zip(
      Readable.from(
        files.map(([path, content]) => ({
          path,
          kind: 'file' as const,
          mode: 0o644,
          modifiedAt: MODIFIED_AT,
          content: Readable.from([Buffer.from(content)]),
        })),
      ),
    ),
  );
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** One file with all packages in it. It exits when it is done: unread output would keep the process alive. */
async function program(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "import { main } from './src/adapters/bootstrap/adapter-main.ts'; process.exit(await main(process.argv.slice(2)));",
      resolveDir: ROOT,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'eof',
    banner: { js: REQUIRE },
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/** https://github.com/anthropics/mcpb/blob/main/MANIFEST.md. The client asks for `user_config` when it installs the bundle. */
function manifestOf({ version, description, license, engines }: Package): object {
  const { url, token, caFile } = ADAPTER_VARIABLES;
  return {
    manifest_version: '0.3',
    name: 'drover',
    display_name: 'Drover',
    version,
    description,
    author: { name: 'Drover' },
    license,
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: PROGRAM,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${PROGRAM}`],
        env: {
          [url.name]: userConfig('service_url'),
          [token.name]: userConfig('service_token'),
          [caFile.name]: userConfig('service_ca_file'),
        },
      },
    },
    user_config: {
      service_url: {
        type: 'string',
        title: 'Address of Drover',
        description: `${url.description} Such as ${url.example}`,
        required: true,
      },
      service_token: {
        type: 'string',
        title: 'API token',
        description: 'Create it in the web UI under Settings > API management. It needs the scope read.',
        sensitive: true,
        required: true,
      },
      service_ca_file: {
        type: 'string',
        title: 'Certificate authority',
        description: `Path of a PEM file; leave it empty for a publicly trusted certificate. ${caFile.description}`,
        default: '',
        required: false,
      },
    },
    tools: CATALOGUE.flatMap(({ name, title, tool }) => (tool ? [{ name, description: title }] : [])),
    prompts: PROMPTS.map(({ name, description: what, arguments: args, text }) => ({
      name,
      description: what,
      arguments: args.map((each) => each.name),
      text: text.replaceAll(/\{(\w+)\}/g, (_, argument: string) => `\${arguments.${argument}}`),
    })),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
  };
}

const userConfig = (name: string): string => `\${user_config.${name}}`;
