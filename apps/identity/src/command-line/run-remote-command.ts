import { MINUTE_SECONDS, SECOND_MS } from '@app/common';
import { EXIT_CODES, parseFlags, UsageError } from '@app/database';
import { apply } from './apply/apply.js';
import { readDeclaration } from './apply/read-declaration.js';
import type { CommandLineConfig } from './command-line.config.js';
import { COMMAND_LINE_EXIT_CODES, CommandLineError } from './command-line.errors.js';
import { parseDeploymentUrl } from './deployment-url.js';
import { ApiError, GatehouseApi } from './gatehouse-api.js';
import { logIn, TOOL_SCOPES } from './session/log-in.js';
import { SessionFile } from './session/session-file.js';
import { loadAccessToken, revokeSession } from './session/tokens.js';

const DEFAULT_TIMEOUT_SECONDS = 5 * MINUTE_SECONDS;
const MAX_TIMEOUT_SECONDS = 60 * MINUTE_SECONDS;
const MAX_PORT = 65_535;

type Flags = Readonly<Record<string, string | boolean | undefined>>;

interface Output {
  readonly json: object;
  readonly exitCode: number;
}

interface Invocation {
  readonly config: CommandLineConfig;
  readonly flags: Flags;
  /** For people; with `--json` on the standard error. */
  readonly print: (line: string) => void;
}

interface RemoteCommand {
  readonly usage: string;
  readonly flags: Readonly<Record<string, 'boolean' | 'string'>>;
  readonly run: (invocation: Invocation) => Promise<Output>;
}

/** Commands that work with the public API of a deployment, in the right of whoever is signed in (docs/adr/0129-applications-in-a-file.md). */
const COMMANDS: Readonly<Record<string, RemoteCommand>> = {
  login: {
    usage:
      'login [--url <url>] [--client-id <id>] [--operator] [--no-browser] [--port <n>] [--timeout-seconds <n>]',
    flags: {
      'client-id': 'string',
      operator: 'boolean',
      'no-browser': 'boolean',
      port: 'string',
      'timeout-seconds': 'string',
    },
    run: runLogIn,
  },
  logout: { usage: 'logout [--url <url>]', flags: {}, run: runLogOut },
  apply: {
    usage:
      'apply -f <file> [--dry-run] [--prune] [--yes] [--replace-lost] [--secrets <folder>] [--url <url>]',
    flags: {
      file: 'string',
      'dry-run': 'boolean',
      prune: 'boolean',
      yes: 'boolean',
      'replace-lost': 'boolean',
      secrets: 'string',
    },
    run: runApply,
  },
};

export const REMOTE_USAGES: readonly string[] = Object.values(COMMANDS).map(({ usage }) => usage);

export const isRemoteCommand = (name: string | undefined): boolean => Object.hasOwn(COMMANDS, name ?? '');

/** Runs a command of `isRemoteCommand`. @returns the exit code @throws UsageError */
export async function runRemoteCommand(
  [name = '', ...args]: string[],
  config: CommandLineConfig,
): Promise<number> {
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`"${name}" is not a command`);
  const long = args.map((arg) => (arg === '-f' ? '--file' : arg));
  const { values, positionals } = parseFlags(long, { ...command.flags, url: 'string', json: 'boolean' });
  if (positionals.length > 0) throw new UsageError(`"${positionals.at(-1)}" is one argument too many`);
  const stream = values.json === true ? process.stderr : process.stdout;
  const print = (line: string): void => {
    stream.write(`${line}\n`);
  };
  try {
    const { json, exitCode } = await command.run({
      config,
      flags: values as Flags,
      print,
    });
    if (values.json === true) process.stdout.write(`${JSON.stringify(json)}\n`);
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommandLineError) && !(error instanceof ApiError)) throw error;
    process.stderr.write(`${error.message}\n`);
    if (error instanceof CommandLineError) return error.exitCode;
    return [401, 403].includes(error.status) ? COMMAND_LINE_EXIT_CODES.noPermission : EXIT_CODES.failed;
  }
}

const readText = (flags: Flags, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
};

function readCount(flags: Flags, name: string, fallback: number, max: number): number {
  const text = readText(flags, name);
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > max)
    throw new UsageError(`--${name}: must be a whole number from 1 to ${String(max)}`);
  return Number(text);
}

const readOrigin = ({ config, flags }: Invocation): string =>
  parseDeploymentUrl(readText(flags, 'url') ?? config.GATEHOUSE_URL);

async function runLogIn(invocation: Invocation): Promise<Output> {
  const { config, flags, print } = invocation;
  const origin = readOrigin(invocation);
  const clientId = readText(flags, 'client-id') ?? config.GATEHOUSE_CLIENT_ID;
  if (clientId === undefined)
    throw new UsageError(
      'Which client application is this tool? Name it by --client-id or GATEHOUSE_CLIENT_ID: the team that runs the deployment knows its id.',
    );
  const timeoutSeconds = readCount(flags, 'timeout-seconds', DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS);
  const file = new SessionFile(config.sessionFile);
  const { userId, name, refusedScopes, failures } = await logIn(file, {
    origin,
    clientId,
    scopes: flags['operator'] === true ? [...TOOL_SCOPES, 'operator'] : TOOL_SCOPES,
    timeoutMs: timeoutSeconds * SECOND_MS,
    port: readCount(flags, 'port', 0, MAX_PORT),
    opensBrowser: flags['no-browser'] !== true && process.stdout.isTTY,
    print,
  });
  print(`You are signed in to ${origin} as ${name}. The session is in ${file.file}.`);
  if (refusedScopes.length > 0)
    print(`You did not allow: ${refusedScopes.join(', ')}. What needs them will be refused.`);
  if (failures.length > 0) print(describeUnrevoked(origin, failures));
  return { json: { url: origin, userId, refusedScopes }, exitCode: EXIT_CODES.ok };
}

const describeUnrevoked = (origin: string, failures: readonly string[]): string =>
  `The deployment did not end the access of the session before: ${failures.join('; ')}. End it at ${origin}/portal/connections.`;

/** The session is deleted whatever the deployment answers. */
async function runLogOut(invocation: Invocation): Promise<Output> {
  const { config, print } = invocation;
  const origin = readOrigin(invocation);
  const file = new SessionFile(config.sessionFile);
  const session = file.read(origin);
  if (!session) {
    print(`You are not signed in to ${origin}.`);
    return { json: { url: origin, wasSignedIn: false }, exitCode: EXIT_CODES.ok };
  }
  let failures: string[] = [];
  try {
    failures = await revokeSession(origin, session);
  } finally {
    await file.write(origin, undefined);
  }
  print(`You are signed out of ${origin}.`);
  if (failures.length > 0) print(describeUnrevoked(origin, failures));
  const exitCode = failures.length > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
  return { json: { url: origin, wasSignedIn: true, isRevoked: failures.length === 0 }, exitCode };
}

async function runApply(invocation: Invocation): Promise<Output> {
  const { config, flags, print } = invocation;
  const file = readText(flags, 'file');
  if (file === undefined) throw new UsageError('--file: is missing');
  const declaration = readDeclaration(file);
  const origin = readOrigin(invocation);
  const sessions = new SessionFile(config.sessionFile);
  const api = new GatehouseApi(origin, async () => {
    const token = config.GATEHOUSE_TOKEN ?? (await loadAccessToken(sessions, origin));
    return { authorization: `Bearer ${token}` };
  });
  const isDryRun = flags['dry-run'] === true;
  const result = await apply({
    api,
    file,
    declaration,
    secretsFolder: readText(flags, 'secrets'),
    isDryRun,
    isPruned: flags['prune'] === true,
    replacesLost: flags['replace-lost'] === true,
    hasConsent: flags['yes'] === true,
    print,
  });
  const exitCode = result.waiting.length > 0 ? COMMAND_LINE_EXIT_CODES.waiting : EXIT_CODES.ok;
  return { json: { url: origin, dryRun: isDryRun, ...result }, exitCode };
}
