import { type AccountDeps, accountRoutes } from './pages/account.tsx';
import { type JobDeps, jobRoutes } from './pages/jobs.tsx';
import { offlineRoute } from './pages/offline.tsx';
import { type OverviewDeps, overviewRoutes } from './pages/overview.tsx';
import { type ServerDeps, serverRoutes } from './pages/server.tsx';
import { type ServerActionDeps, serverActionRoutes } from './pages/server-actions.tsx';
import { type ServerFirstStepDeps, serverFirstStepRoutes } from './pages/server-first-steps.tsx';
import { type ServerNewDeps, serverNewRoutes } from './pages/server-new.tsx';
import { type ServerScheduleDeps, serverScheduleRoutes } from './pages/server-schedules.tsx';
import { type ServerSettingsDeps, serverSettingsRoutes } from './pages/server-settings.tsx';
import { type ServerSetupDeps, serverSetupRoutes } from './pages/server-setup.tsx';
import { type ServerSourceDeps, serverSourceRoutes } from './pages/server-sources.tsx';
import { type ServerListDeps, serverListRoutes } from './pages/servers.tsx';
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
  ServerActionDeps &
  ServerDeps &
  ServerFirstStepDeps &
  ServerListDeps &
  ServerNewDeps &
  ServerScheduleDeps &
  ServerSettingsDeps &
  ServerSetupDeps &
  ServerSourceDeps &
  SettingsDeps &
  SignInDeps &
  TokenDeps &
  UserDeps &
  WelcomeDeps;

/** Every page and action. */
export const allRoutes = (deps: WebDeps): readonly WebRoute[] => [
  ...overviewRoutes(deps),
  ...serverListRoutes(deps),
  // Before the servers by their ids.
  ...serverNewRoutes(deps),
  ...serverRoutes(deps),
  ...serverActionRoutes(deps),
  ...serverSetupRoutes(deps),
  ...serverFirstStepRoutes(deps),
  ...serverSettingsRoutes(deps),
  ...serverSourceRoutes(deps),
  ...serverScheduleRoutes(deps),
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
