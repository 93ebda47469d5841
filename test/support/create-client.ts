import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const COMMAND_TIMEOUT_MS = 20_000;

export interface ClientOptions {
  name?: string;
  plan?: 'free' | 'paid' | 'enterprise';
  scopes?: string[];
  requestsPerSecond?: number;
  requestsPerMonth?: number;
}

export interface Client {
  clientId: string;
  ownerId: string;
  clientSecret: string;
  apiKey: string;
}

/** Creates a client application with the command that a new deployment gets its first key from. @param env identity's */
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

/**
 * Runs the operator's command for client applications in the process that `npm test` starts for it
 * (client-command-server.mjs). Specs of the command itself start it as a program.
 * @param env identity's
 * @returns what it printed
 * @throws Error with its standard error when it fails
 */
export async function clientCommand(env: NodeJS.ProcessEnv, args: string[]): Promise<string> {
  const { code, stdout, stderr } = JSON.parse(await post(JSON.stringify({ env, args }))) as CommandAnswer;
  if (code !== 0) throw new Error(`The client command ended with exit code ${code}: ${stderr}`);
  return stdout;
}

interface CommandAnswer {
  code: number;
  stdout: string;
  stderr: string;
}

async function post(body: string): Promise<string> {
  const socketPath = process.env.TEST_CLIENT_COMMANDS;
  if (socketPath === undefined)
    throw new Error('TEST_CLIENT_COMMANDS is not set: run the tests with `npm test`.');
  const { statusCode, answer } = await new Promise<{ statusCode?: number; answer: string }>(
    (resolve, reject) => {
      const sent = request({ socketPath, method: 'POST', timeout: COMMAND_TIMEOUT_MS }, (response) => {
        text(response).then((answer) => {
          resolve({ statusCode: response.statusCode, answer });
        }, reject);
      });
      sent.on('timeout', () => sent.destroy(new Error('The client command took too long')));
      sent.on('error', reject);
      sent.end(body);
    },
  );
  if (statusCode !== 200) throw new Error(`The client command failed: ${answer}`);
  return answer;
}
