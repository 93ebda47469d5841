import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClientCommand } from '../../scripts/local/demo-client.mjs';
import { root } from '../../scripts/local/project.mjs';

const run = promisify(execFile);
const CREATE_MS = 20_000;

export interface ClientOptions {
  name?: string;
  plan?: 'free' | 'paid' | 'enterprise';
  scopes?: string[];
  requestsPerSecond?: number;
  requestsPerMonth?: number;
}

export interface Client {
  clientId: string;
  clientSecret: string;
  apiKey: string;
}

/** Makes a client application with the command that a new deployment gets its first key from. @param env identity's */
export async function createClient(env: NodeJS.ProcessEnv, options: ClientOptions = {}): Promise<Client> {
  const { name = 'test', plan = 'enterprise', scopes = ['token-gating'] } = options;
  const { requestsPerSecond = 1_000, requestsPerMonth = 1_000_000 } = options;
  const limits =
    plan === 'enterprise'
      ? ['--requests-per-second', String(requestsPerSecond), '--requests-per-month', String(requestsPerMonth)]
      : [];
  const flags = ['--name', name, '--plan', plan, '--scopes', scopes.join(','), ...limits, '--json'];
  const stdout = await clientCommand(env, ['create', ...flags]);
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`The create-client command printed no client: ${stdout}`);
  return JSON.parse(line) as Client;
}

/** Runs the operator's command for client applications. @returns what it printed @param env identity's */
export async function clientCommand(env: NodeJS.ProcessEnv, args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [createClientCommand(root), ...args], {
    env: { ...env, PATH: process.env.PATH },
    timeout: CREATE_MS,
  });
  return stdout;
}
