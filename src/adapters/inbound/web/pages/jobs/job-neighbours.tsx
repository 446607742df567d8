import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import type { SignedInVisit } from '../../route.ts';
import { JOB_FILTERS, type JobSearchDeps, jobSearch } from './job-search.ts';

export interface NeighbourDeps extends JobSearchDeps {
  readonly listJobs: Pick<ListJobs, 'execute' | 'beside'>;
}

/** The filter of a list of jobs, as it stays in the addresses of its jobs: nothing, or `?` and its fields. */
export function filterIn(query: URLSearchParams): string {
  const kept = JOB_FILTERS.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value]] : [];
  });
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
}

/** Links to the jobs before and after this one, in the list that led here; `j` goes down that list, and `k` up. */
export async function jobNeighbours(
  deps: NeighbourDeps,
  { visitor: { actor }, query }: SignedInVisit,
  id: number,
) {
  const filter = await jobSearch(deps)(actor, query);
  if (filter === null) return null;
  const { newer, older } = await deps.listJobs.beside(actor, id, filter);
  const kept = filterIn(query);
  return (
    <nav class="paging" aria-label="Jobs">
      {newer === null ? (
        <span />
      ) : (
        <a href={`/jobs/${newer}${kept}`} data-key="k">
          ‹ Newer job
        </a>
      )}
      {kept === '' ? <span /> : <a href={`/jobs${kept}`}>Back to the list</a>}
      {older === null ? (
        <span />
      ) : (
        <a href={`/jobs/${older}${kept}`} data-key="j">
          Older job ›
        </a>
      )}
    </nav>
  );
}
