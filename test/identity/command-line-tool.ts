import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { stringify } from 'yaml';
import { root } from '../../scripts/build/project.mjs';
import { createClientCommand } from '../../scripts/demo/demo-client.mjs';
import type { CommandResult } from './client-command.js';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Decision, type OAuthWorld, proofKey, type TokenAnswer } from './oauth-world.js';

const TOOL_SCOPES = [
  'user:client-application:write',
  'operator',
  'user:community:read',
  'community:read',
  'community:write',
  'offline_access',
];

interface Session {
  clientId: string;
  accessToken: string;
  refreshToken?: string;
  expiresAt: number;
}

/** A run of the command that goes on. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly result: Promise<CommandResult>;
  /** What it has printed so far. */
  readonly output: () => string;
}

/** A client application for tools, as the team of a deployment makes it. @returns its id */
export async function createTool(world: OAuthWorld, scopes = TOOL_SCOPES): Promise<string> {
  const redirectUris = ['http://127.0.0.1/callback'];
  return (await world.application({ type: 'public', redirectUris, scopes })).clientId;
}

/** What `--json` prints. */
interface ApplyResult {
  steps: { action: string; what: string; outcome: string; reason?: string }[];
  unchanged: string[];
  notInTheFile: string[];
  notes: string[];
  waiting: string[];
}

/** The command line of one person: a home of their own, and a folder for files. */
export class CommandLineTool {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-tool-'));

  constructor(
    private readonly world: OAuthWorld,
    readonly clientId: string,
    readonly browser: OAuthBrowser,
  ) {}

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  get sessionFile(): string {
    return join(this.folder, 'config/gatehouse/sessions.json');
  }

  get session(): Session {
    const { sessions } = JSON.parse(readFileSync(this.sessionFile, 'utf8')) as {
      sessions: Record<string, Session>;
    };
    const session = sessions[this.world.origin];
    if (!session) throw new Error('Nobody is signed in.');
    return session;
  }

  set session(session: Session) {
    const sessions = { [this.world.origin]: session };
    writeFileSync(this.sessionFile, JSON.stringify({ sessions }), { mode: 0o600 });
  }

  start(args: string[], env: Record<string, string> = {}): RunningCommand {
    const child = spawn(process.execPath, [createClientCommand(root), ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        XDG_CONFIG_HOME: join(this.folder, 'config'),
        GATEHOUSE_URL: this.world.origin,
        GATEHOUSE_CLIENT_ID: this.clientId,
        ...env,
      },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const result = new Promise<CommandResult>((resolve) => {
      child.on('close', (code) => {
        resolve({ code: code ?? -1, stdout, stderr });
      });
    });
    return { child, result, output: () => stdout + stderr };
  }

  run(args: string[], env?: Record<string, string>): Promise<CommandResult> {
    return this.start(args, env).result;
  }

  /** Begins to sign in. @returns the address that the command shows, and the run */
  async beginLogin(args: string[] = []): Promise<RunningCommand & { address: URL }> {
    const run = this.start(['login', '--no-browser', ...args]);
    for (;;) {
      const found = /^ {2}(http\S+)$/m.exec(run.output())?.[1];
      if (found !== undefined) return { ...run, address: new URL(found) };
      const ended = await Promise.race([run.result, new Promise((done) => setTimeout(done, 20))]);
      if (ended !== undefined) throw new Error(`The command ended: ${run.output()}`);
    }
  }

  /** Signs in and decides at the pages, as far as the address of this machine. */
  decide(address: URL, decision: Decision = 'grant', leaveOut: string[] = []): Promise<URL> {
    const parameters = Object.fromEntries(address.searchParams);
    return this.world.authorize(this.browser, parameters, decision, leaveOut);
  }

  async logIn(args: string[] = []): Promise<CommandResult> {
    const { address, result } = await this.beginLogin(args);
    const page = await fetch(await this.decide(address));
    await page.text();
    return result;
  }

  /** The session that `client login` would make, without the command. */
  async signIn(scopes = TOOL_SCOPES): Promise<void> {
    const { verifier, challenge } = proofKey();
    const redirectUri = 'http://127.0.0.1/callback';
    const back = await this.world.authorize(this.browser, {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state: 'state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const response = await this.world.post('/oauth2/token', {
      client_id: this.clientId,
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const { access_token: accessToken, refresh_token: refreshToken } = (await response.json()) as TokenAnswer;
    mkdirSync(dirname(this.sessionFile), { recursive: true });
    const expiresAt = Date.now() + 3_600_000;
    this.session = { clientId: this.clientId, accessToken, expiresAt, ...(refreshToken && { refreshToken }) };
  }

  /** Writes a file, and applies it. */
  apply(
    declared: object | string,
    args: string[] = [],
    env?: Record<string, string>,
  ): Promise<CommandResult> {
    return this.run(this.applyArguments(declared, args), env);
  }

  applyArguments(declared: object | string, args: string[] = []): string[] {
    const file = join(this.folder, 'applications.yaml');
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(file, typeof declared === 'string' ? declared : stringify(declared));
    return ['apply', '-f', file, ...args];
  }

  /** The variables of a file of secrets. */
  secrets(file: string): Record<string, string> {
    const lines = readFileSync(join(this.folder, file), 'utf8').split('\n');
    return Object.fromEntries(lines.filter((line) => line.includes('=')).map(splitLine));
  }
}

const splitLine = (line: string): [string, string] => {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
};

/** Applies what is declared, and expects an exit code. */
export async function applied(
  of: CommandLineTool,
  declared: object,
  args: string[] = [],
  code = 0,
): Promise<ApplyResult> {
  const result = await of.apply(declared, [...args, '--json']);
  expect([result.code, result.code === code ? '' : result.stderr]).toEqual([code, '']);
  return JSON.parse(result.stdout) as ApplyResult;
}
