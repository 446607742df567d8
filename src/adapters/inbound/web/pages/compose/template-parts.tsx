import { COMPOSE_FILE, type Template, type TemplateFile } from '../../../../../domain/compose/template.ts';
import type { TemplateVariable } from '../../../../../domain/compose/template-variable.ts';
import { Icon } from '../../components/icon.tsx';

const PLACEHOLDER = /(@\{[a-z0-9_]{1,63}\})/;
const nameOf = (placeholder: string): string => placeholder.slice(2, -1);

/** The images that a template's services run, with the defaults of its variables. */
export function imagesOf({ files, variables }: Pick<Template, 'files' | 'variables'>): readonly string[] {
  const defaults = new Map(variables.map((variable) => [variable.name, variable.default]));
  const compose = files.find(({ path }) => path === COMPOSE_FILE)?.content ?? '';
  const found = compose.split('\n').flatMap((line) => {
    const [key, ...value] = line.trim().split(': ');
    if (key !== 'image') return [];
    const written = value.join(': ').trim().replaceAll(/["']/g, '');
    return written
      .split(PLACEHOLDER)
      .map((part) => (PLACEHOLDER.test(part) ? (defaults.get(nameOf(part)) ?? nameOf(part)) : part))
      .join('');
  });
  return [...new Set(found)];
}

export const Images = ({ images }: { readonly images: readonly string[] }) => (
  <ul class="images" aria-label="Images">
    {images.map((image) => (
      <li key={image}>
        <Icon name="container" /> {image}
      </li>
    ))}
  </ul>
);

interface SourceProps {
  readonly files: readonly TemplateFile[];
  readonly variables: readonly TemplateVariable[];
}

/** Files with their variables marked; a mark's tooltip has the default. */
export function SourceFiles({ files, variables }: SourceProps) {
  const about = new Map(variables.map((variable) => [variable.name, hint(variable)]));
  return (
    <>
      {files.map(({ path, content }) => (
        <>
          <h3 class="source-name">{path}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre class="source" tabIndex={0} role="region" aria-label={path}>
            {content
              .split(PLACEHOLDER)
              .map((part) =>
                PLACEHOLDER.test(part) ? <mark title={about.get(nameOf(part))}>{part}</mark> : part,
              )}
          </pre>
        </>
      ))}
    </>
  );
}

/** What a deployment has to give for it. */
export const hint = ({ type, default: usual, required }: TemplateVariable): string =>
  usual === null ? `${type}, ${required ? 'required' : 'optional'}` : `${type}, default ${usual || 'empty'}`;
