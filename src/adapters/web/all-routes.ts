import { type AccountDeps, accountRoutes } from './pages/account.tsx';
import { type JobDeps, jobRoutes } from './pages/jobs.tsx';
import { offlineRoute } from './pages/offline.tsx';
import { type OverviewDeps, overviewRoutes } from './pages/overview.tsx';
import { type ServerDeps, serverRoutes } from './pages/servers.tsx';
import { type SettingsDeps, settingsRoutes } from './pages/settings.tsx';
import { type SignInDeps, signInRoutes } from './pages/sign-in.tsx';
import { type OneTokenDeps, oneTokenRoutes } from './pages/token.tsx';
import { type TokenDeps, tokenRoutes } from './pages/tokens.tsx';
import { type UserDeps, userRoutes } from './pages/users.tsx';
import { type WelcomeDeps, welcomeRoutes } from './pages/welcome.tsx';
import type { WebRoute } from './route.ts';

/** All that pages call. */
export type WebDeps = AccountDeps &
  JobDeps &
  OneTokenDeps &
  OverviewDeps &
  ServerDeps &
  SettingsDeps &
  SignInDeps &
  TokenDeps &
  UserDeps &
  WelcomeDeps;

/** Every page and action. */
export const allRoutes = (deps: WebDeps): readonly WebRoute[] => [
  ...overviewRoutes(deps),
  ...serverRoutes(deps),
  ...jobRoutes(deps),
  ...settingsRoutes(deps),
  ...tokenRoutes(deps),
  ...oneTokenRoutes(deps),
  ...userRoutes(deps),
  ...accountRoutes(deps),
  ...signInRoutes(deps),
  ...welcomeRoutes(deps),
  offlineRoute,
];
