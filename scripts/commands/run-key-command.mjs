import { localEnvironment } from '../suite/local-environment.mjs';
import { local } from '../build/project.mjs';
import { runAppCommand } from './run-app-command.mjs';
import { loadSecrets } from '../suite/secrets.mjs';

/** Runs a command of account-kit that seals or opens keys. @param {string} name */
export function runKeyCommand(name) {
  runAppCommand('account-kit', name, keyEnvironment);
}

/** The root of the local profile is for its own database only. */
function keyEnvironment() {
  const environment = localEnvironment();
  if (process.env.DATABASE_URL) return environment;
  return { ACCOUNT_KEY_SECRET: loadSecrets(local).accountKeySecret, ...environment };
}
