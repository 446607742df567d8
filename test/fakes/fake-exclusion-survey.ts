import type {
  ExclusionRequest,
  ExclusionSurvey,
} from '../../src/application/ports/backups/exclusion-survey.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import { FakeServiceData } from './fake-service-data.ts';

/** Every pattern leaves one file of a kilobyte out, but `nothing`. */
export class FakeExclusionSurvey implements ExclusionSurvey {
  readonly asked: Array<Omit<ExclusionRequest, 'host'>> = [];

  async preview(request: ExclusionRequest): ReturnType<ExclusionSurvey['preview']> {
    const { source, extraExcludes = [] } = request;
    this.asked.push({ source, extraExcludes });
    const patterns = request.source.excludes.map((pattern) =>
      pattern === 'nothing'
        ? { pattern, matches: 0, files: 0, bytes: 0 }
        : { pattern, matches: 1, files: 1, bytes: 1_024 },
    );
    const files = patterns.filter(({ matches }) => matches > 0).length;
    return {
      kept: { files: 3, bytes: 5_000 },
      leftOut: { files, bytes: files * 1_024 },
      patterns,
      largest: patterns
        .filter(({ matches }) => matches > 0)
        .map(({ pattern }) => ({
          path: { text: `${request.source.paths[0]}/${pattern}`, escaped: false },
          isDirectory: false,
          files: 1,
          bytes: 1_024,
        })),
      unreadable: 0,
      isComplete: true,
    };
  }
}

export const fakePreviews = () => ({
  survey: new FakeExclusionSurvey(),
  serviceData: new FakeServiceData('/var/lib/drover'),
});

/** Opens a host that nothing is asked of. */
export const idleOpener = {
  open: async () => ({ release: () => undefined }) as RemoteHost,
};
