import { join } from 'node:path';
import { local } from '../build/project.mjs';
import { currentRun } from '../processes/run-lock.mjs';
import { loadSecrets } from './secrets.mjs';

/**
 * The environment for a command beside the suite: the user's own, or that of the suite that `npm start` runs now.
 * @returns {NodeJS.ProcessEnv}
 */
export function localEnvironment(env = process.env) {
  if (env.DATABASE_URL) return env;
  const databaseUrl = currentRun(join(local, 'run.json'))?.databaseUrl;
  if (databaseUrl === undefined)
    throw new Error('Nothing runs here: run `npm start` first, or set DATABASE_URL.');
  const { credentialPepper } = loadSecrets(local);
  return {
    NODE_ENV: 'development',
    CREDENTIAL_PEPPER: credentialPepper,
    CREDENTIAL_ENVIRONMENT: 'local',
    ...env,
    DATABASE_URL: databaseUrl,
  };
}
