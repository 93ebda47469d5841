import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/build/project.mjs';
import { findTool } from '../../scripts/build/tools.mjs';
import { pathOf } from '../support/needs.js';
import { until } from '../support/until.js';

export type QuickStartName = 'express' | 'nextjs' | 'python';

/**
 * Nothing listens there: what an example needs is installed, and its client comes from the deployment. npm looks for newer versions of
 * React, an optional peer of the client, and goes on without an answer; its retries would take two minutes.
 */
const NO_REGISTRY = 'http://127.0.0.1:1';

const BUILDS: Partial<Record<QuickStartName, string>> = { nextjs: 'npm run build --silent' };

/** How an example is started, as its README says. `$PORT` is the one of the test. */
const STARTS: Record<QuickStartName, string> = {
  express: 'exec npm start --silent',
  nextjs: 'exec npm start --silent -- --port $PORT',
  python: 'set -a && . ./.env && set +a && exec python3 -m flask run --port $PORT',
};

function signalGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGTERM');
}

/** A copy of an example outside the repository, which is installed and started as its README says. */
export class QuickStart {
  /** What it wrote. */
  output = '';
  private child: ChildProcess | undefined;

  private constructor(
    private readonly name: QuickStartName,
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    readonly url: string,
  ) {}

  /** @param settings the lines of `.env` */
  static async start(
    name: QuickStartName,
    { gatewayUrl, port, settings }: { gatewayUrl: string; port: number; settings: Record<string, string> },
  ): Promise<QuickStart> {
    const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
    const example = new QuickStart(name, folder, settings, `http://127.0.0.1:${port}`);
    cpSync(join(root, 'examples', name), folder, { recursive: true });
    example.writeSettings({});
    if (existsSync(join(folder, 'package.json'))) {
      pathOf('example-packages');
      const packages = join(findTool(name) ?? '', 'node_modules');
      await promisify(execFile)('cp', ['-r', packages, join(folder, 'node_modules')]);
      const install = ['install', `${gatewayUrl}/client.tgz`, '--no-audit', '--no-fund'];
      await example.run('npm', [...install, '--registry', NO_REGISTRY, '--fetch-retries', '0']);
    }
    const build = BUILDS[name];
    if (build !== undefined) await example.run('bash', ['-c', build]);
    await example.up(port);
    return example;
  }

  /** Starts it a second time, with changed settings. @returns the code with which it ends */
  async endOfStart(port: number, changed: Record<string, string>): Promise<number | null> {
    this.writeSettings(changed);
    const child = this.spawn('bash', ['-c', STARTS[this.name]], { PORT: String(port) });
    try {
      await until('it ends', () => child.exitCode !== null, 60_000);
    } finally {
      if (child.exitCode === null) signalGroup(child);
    }
    return child.exitCode;
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child?.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close');
      // npm does not pass a signal on to what a script has started, so it is sent to the group.
      signalGroup(child);
      await closed;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private writeSettings(changed: Record<string, string>): void {
    const lines = Object.entries({ ...this.settings, ...changed }).map(
      ([key, value]) => `${key}='${value}'\n`,
    );
    writeFileSync(join(this.folder, '.env'), lines.join(''));
  }

  private async up(port: number): Promise<void> {
    const child = this.spawn('bash', ['-c', STARTS[this.name]], { PORT: String(port) });
    this.child = child;
    await until(
      `the quick start ${this.name} answers`,
      async () => {
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${this.output}`);
        return fetch(this.url).then(
          ({ ok }) => ok,
          () => false,
        );
      },
      240_000,
    );
  }

  private async run(command: string, args: string[]): Promise<void> {
    const [code] = (await once(this.spawn(command, args), 'close')) as [number | null];
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${this.output}`);
  }

  private spawn(command: string, args: string[], more: Record<string, string> = {}): ChildProcess {
    const { PATH, HOME } = process.env;
    const python = this.name === 'python' ? `${dirname(pathOf('flask'))}:` : '';
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { PATH: `${python}${PATH ?? ''}`, HOME, NEXT_TELEMETRY_DISABLED: '1', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const killed = () => {
      signalGroup(child);
    };
    process.once('exit', killed);
    child.once('exit', () => process.off('exit', killed));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (this.output += data.toString()));
    return child;
  }
}
