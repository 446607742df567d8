import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Deployment } from '../../../../../domain/compose/deployment.ts';
import type { Template } from '../../../../../domain/compose/template.ts';
import type { TablePaging } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { Paging } from '../../components/paging.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Images, imagesOf } from './template-parts.tsx';

/** A template and where it runs. */
export interface TemplateCard {
  readonly template: Template;
  readonly deployments: Page<Deployment>;
}

/** Those whose server does not have the newest version. */
export const outdatedOf = ({ template, deployments }: TemplateCard): readonly Deployment[] =>
  deployments.items.filter(({ templateVersion }) => templateVersion < template.version);

/** Whether it runs, and whether that is its newest version. */
export function TemplateState(card: TemplateCard) {
  const outdated = outdatedOf(card).length;
  if (card.deployments.total === 0) return <Status tone="off">Not deployed</Status>;
  return outdated === 0 ? (
    <Status tone="good">Up to date</Status>
  ) : (
    <Status tone="care">{`${outdated} outdated`}</Status>
  );
}

/** All templates in one sentence. */
export function summaryOf(cards: readonly TemplateCard[], total: number): string {
  const deployed = cards.reduce((sum, { deployments }) => sum + deployments.total, 0);
  const outdated = cards.reduce((sum, card) => sum + outdatedOf(card).length, 0);
  if (cards.length < total) return count(total, 'template');
  return [
    count(total, 'template'),
    count(deployed, 'deployment'),
    outdated === 0 ? null : `${outdated} with an older version`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

const NAMED = 3;

/** Such as `app-01, app-07`. */
function serversOf({ items, total }: Page<Deployment>): string {
  const names = [...new Set(items.map(({ serverName }) => serverName))];
  const shown = names.slice(0, NAMED).join(', ');
  const more = Math.max(total - items.length + names.length - NAMED, 0);
  return more === 0 ? shown : `${shown} and ${more} more`;
}

interface TemplateCardsProps {
  readonly cards: readonly TemplateCard[];
  readonly now: Instant;
  readonly mayAct: boolean;
  readonly paging: TablePaging;
}

/** Each template with its images, its servers, and its versions there. */
export function TemplateCards({ cards, now, mayAct, paging }: TemplateCardsProps) {
  if (cards.length === 0) return <NoTemplates mayAct={mayAct} />;
  return (
    <>
      <ul class="panels">
        {cards.map((card) => {
          const { template, deployments } = card;
          const { id, name, description, version, updatedAt } = template;
          return (
            <li key={id} class="card">
              <h2>
                <Icon name="boxes" />
                <a href={`/templates/${name}`}>{name}</a>
                <span class="tag">v{version}</span>
                <TemplateState {...card} />
              </h2>
              {description === '' ? null : <p>{description}</p>}
              <Images images={imagesOf(template)} />
              <p class="foot">
                <span>
                  {deployments.total === 0 ? 'On no server' : `On ${serversOf(deployments)}`}
                  {' · changed '}
                  <Ago at={updatedAt} now={now} />
                </span>
                {mayAct ? (
                  <a
                    class="button quiet small"
                    href={`/templates/${name}#deploy`}
                    aria-label={`Deploy: ${name}`}
                  >
                    Deploy…
                  </a>
                ) : null}
              </p>
            </li>
          );
        })}
      </ul>
      <Paging {...paging} />
    </>
  );
}

const NoTemplates = ({ mayAct }: { readonly mayAct: boolean }) => (
  <Empty
    icon="boxes"
    title="No templates yet"
    action={
      mayAct ? (
        <a class="button quiet" href="/templates/new">
          Write the first template
        </a>
      ) : null
    }
  >
    A template is a Compose project with variables, such as a port or a password. Deploy it on several servers
    with different values, and see which of them have an older version.
  </Empty>
);
