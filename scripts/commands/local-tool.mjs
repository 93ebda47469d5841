import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { local } from '../build/project.mjs';
import { readJsonIfThere, writePrivate } from '../processes/private-file.mjs';
import { currentRun } from '../processes/run-lock.mjs';
import { localEnvironment } from '../suite/local-environment.mjs';

/** Commands of `client` that work with the public API, and need no database. */
const REMOTE_COMMANDS = ['login', 'logout', 'apply'];

/** What the team of a deployment gives to its own tools (docs/guides/as-code.md). Any port of the loopback address is allowed with it. */
const TOOL = {
  name: 'Command line',
  type: 'public',
  plan: 'paid',
  'redirect-uris': 'http://127.0.0.1/callback',
  scopes:
    'user:client-application:write,operator,user:community:read,community:read,community:write,offline_access',
};

/** @typedef {{ databaseUrl: string, clientId: string }} LocalTool the client application of `client login` beside `npm start`, kept in a file */

/** @param {string} entry @param {string[]} args */
export const isRemoteCommand = (entry, [name = '']) =>
  entry === 'create-client' && REMOTE_COMMANDS.includes(name);

/**
 * The environment of such a command: the user's own, completed by what is known of the suite that `npm start` runs now, if there is one.
 * @param {string} file the bundle of the command
 * @param {string[]} args
 * @returns {NodeJS.ProcessEnv}
 */
export function remoteEnvironment(file, [name = '', ...args], env = process.env) {
  const { gatewayUrl, databaseUrl } = currentRun(join(local, 'run.json')) ?? {};
  const isElsewhere = env.GATEHOUSE_URL !== undefined || args.some((arg) => arg.startsWith('--url'));
  if (gatewayUrl === undefined || databaseUrl === undefined || isElsewhere) return env;
  const needsClient = name === 'login' && env.GATEHOUSE_CLIENT_ID === undefined;
  return {
    ...env,
    GATEHOUSE_URL: gatewayUrl,
    ...(needsClient && { GATEHOUSE_CLIENT_ID: findOrCreateTool(file, databaseUrl) }),
  };
}

/**
 * The client application that `client login` signs in to, made at its first use.
 * @param {string} file @param {string} databaseUrl
 */
function findOrCreateTool(file, databaseUrl) {
  const kept = join(local, 'command-line.json');
  const known = /** @type {LocalTool | undefined} */ (readJsonIfThere(kept));
  if (known?.databaseUrl === databaseUrl) return known.clientId;
  const flags = Object.entries(TOOL).flatMap(([flag, value]) => [`--${flag}`, value]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, 'create', ...flags, '--json'], {
    env: localEnvironment(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The client application of this tool cannot be made: ${stderr}`);
  const { clientId } = /** @type {{ clientId: string }} */ (JSON.parse(stdout));
  writePrivate(kept, `${JSON.stringify({ databaseUrl, clientId })}\n`);
  return clientId;
}
