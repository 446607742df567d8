import type { ApprovalMode } from '../../../../../domain/access/api-token.ts';
import type { Capability } from '../../../../../domain/access/scope.ts';
import { CATALOGUE } from '../../../api/catalogue.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';

export interface TokenPreset {
  readonly value: string;
  readonly title: string;
  readonly help: string;
  readonly icon: IconName;
  readonly name: string;
  readonly scopes: readonly Capability[];
  /** An agent that may change things asks first, unless an administrator decides otherwise. */
  readonly approval: ApprovalMode;
}

export const PRESETS: readonly [TokenPreset, ...TokenPreset[]] = [
  {
    value: 'mcp',
    title: 'MCP agent',
    help: 'Read-only: sees servers, jobs and inventory.',
    icon: 'bot',
    name: 'mcp-',
    scopes: ['read'],
    approval: 'client',
  },
  {
    value: 'operator',
    title: 'MCP agent that starts jobs',
    help: 'Its backups and updates start after you approve their dry run.',
    icon: 'shield-check',
    name: 'mcp-',
    scopes: ['read', 'jobs'],
    approval: 'reviewer',
  },
  {
    value: 'full',
    title: 'MCP agent with all scopes',
    help: 'Jobs, files and features, each change with your approval.',
    icon: 'wrench',
    name: 'mcp-',
    scopes: ['read', 'jobs', 'edit', 'files'],
    approval: 'reviewer',
  },
  {
    value: 'script',
    title: 'Script or monitoring',
    help: 'Reads over the REST API.',
    icon: 'file-text',
    name: '',
    scopes: ['read'],
    approval: 'none',
  },
];

const [READ_ONLY_AGENT] = PRESETS;

/** A new token is for an agent that reads, unless another preset is chosen. */
export const presetOf = (value: string | null): TokenPreset =>
  PRESETS.find((each) => each.value === value) ?? READ_ONLY_AGENT;

/** The presets as cards; each is a link to the form with its choices. */
export const PresetCards = ({ path, chosen }: { readonly path: string; readonly chosen: TokenPreset }) => (
  <nav class="choices" aria-label="Presets">
    {PRESETS.map((preset) => (
      <a
        key={preset.value}
        class="card"
        href={`${path}?preset=${preset.value}`}
        aria-current={preset === chosen ? 'page' : undefined}
      >
        <Icon name={preset.icon} />
        <span>
          <strong>{preset.title}</strong>
          <span class="help">{preset.help}</span>
        </span>
      </a>
    ))}
  </nav>
);

/** The tools of agents for these scopes, as `/mcp` lists them. */
export function toolsOf(scopes: readonly string[]): {
  readonly tools: readonly string[];
  readonly all: number;
} {
  const offered = CATALOGUE.filter((each) => 'tool' in each && each.tool !== undefined);
  const held = scopes.includes('read') ? offered.filter(({ scope }) => scopes.includes(scope)) : [];
  return { tools: held.map(({ name }) => name), all: offered.length };
}

const CHANGING: readonly string[] = ['jobs', 'edit', 'files'];

const APPROVAL_WORDS: Readonly<Record<ApprovalMode, string>> = {
  none: 'Its jobs and changes start at once.',
  client: 'Its user approves jobs and changes in a client that can ask; others wait for your approval.',
  reviewer: 'Jobs, and changes to features and files, wait for your approval.',
};

/** What an agent with these scopes will be able to do. */
export function ToolList({
  scopes,
  approval,
}: {
  readonly scopes: readonly string[];
  readonly approval: ApprovalMode;
}) {
  const { tools, all } = toolsOf(scopes);
  return (
    <section id="tools" class="card" aria-labelledby="tools-title">
      <header>
        <h2 id="tools-title">Tools for agents</h2>
        <span class="count">
          {tools.length} of {all}
        </span>
      </header>
      <div class="body">
        {tools.length === 0 ? (
          <p class="quiet">None: every token needs the scope “read”.</p>
        ) : (
          <ul class="images">
            {tools.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        )}
        {tools.length === 0 ? null : (
          <p class="quiet">
            {scopes.some((scope) => CHANGING.includes(scope))
              ? APPROVAL_WORDS[approval]
              : 'It changes nothing.'}
          </p>
        )}
      </div>
    </section>
  );
}
