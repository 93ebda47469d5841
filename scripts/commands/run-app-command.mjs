import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { bundleOf } from '../build/bundle.mjs';
import { local, root } from '../build/project.mjs';
import { messageOf } from '../processes/error-facts.mjs';
import { localEnvironment } from '../suite/local-environment.mjs';
import { isRemoteCommand, remoteEnvironment } from './local-tool.mjs';
import { loadSecrets } from '../suite/secrets.mjs';

/** @import { AppCommand } from '../images/app-commands.mjs' */

/** Commands of account-kit that seal or open keys. */
const KEY_COMMANDS = ['keys', 'platforms'];

/**
 * Runs a command of operators from the bundles of an app, with the configuration of `npm start`.
 * @param {AppCommand} command
 * @param {string[]} args
 * @returns {number} the exit code
 */
export function runAppCommand({ app, entry }, args) {
  try {
    const file = bundleOf(root, app, `${entry}.command.js`);
    if (!existsSync(file)) throw new Error('The apps are not built yet: run `npm run build` first.');
    const env = environmentOf(entry, file, args);
    return spawnSync(process.execPath, [file, ...args], { stdio: 'inherit', env }).status ?? 1;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

/**
 * The root of the local profile is for its own database only.
 * @param {string} entry
 * @param {string} file the bundle of the command
 * @param {string[]} args
 */
function environmentOf(entry, file, args) {
  if (args.includes('--help')) return process.env;
  if (isRemoteCommand(entry, args)) return remoteEnvironment(file, args);
  const environment = localEnvironment();
  if (!KEY_COMMANDS.includes(entry) || process.env.DATABASE_URL) return environment;
  return { ACCOUNT_KEY_SECRET: loadSecrets(local).accountKeySecret, ...environment };
}
