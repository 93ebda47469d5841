import { spawnSync } from 'node:child_process';
import { bundleOf } from '../build/bundle.mjs';
import { messageOf } from '../processes/error-facts.mjs';
import { localEnvironment } from '../suite/local-environment.mjs';
import { root } from '../build/project.mjs';

/**
 * Runs a command of operators from the bundles of an app, with the configuration of `npm start`.
 * @param {string} app
 * @param {string} name
 * @param {() => NodeJS.ProcessEnv} [environment]
 */
export function runAppCommand(app, name, environment = localEnvironment) {
  const args = process.argv.slice(2);
  try {
    const env = args.includes('--help') ? process.env : environment();
    const command = bundleOf(root, app, `${name}.command.js`);
    process.exitCode = spawnSync(process.execPath, [command, ...args], { stdio: 'inherit', env }).status ?? 1;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
