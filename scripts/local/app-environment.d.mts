import type { App } from './apps.mjs';
import type { Secrets } from './secrets.mjs';

export declare function appEnvironment(options: {
  app: App;
  apps: App[];
  databaseUrl: string;
  publicUrl: string;
  secrets: Secrets;
  extra?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
}): NodeJS.ProcessEnv;
