import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/build/project.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { killAtExit } from '../support/killed-at-exit.js';

/** A copy of an example outside the repository, which is installed and started as its README says. */
export class BotUnderTest {
  /** What all its runs wrote. */
  output = '';
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async create(
    example: 'telegram-bot' | 'discord-bot',
    settings: (url: string) => Record<string, string> & { GATEHOUSE_URL: string },
  ): Promise<BotUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), `gatehouse-${example}-`));
    cpSync(join(root, 'examples', example), folder, { recursive: true });
    const port = String(await freePort());
    const bot = new BotUnderTest(folder, `http://127.0.0.1:${port}`);
    const own = settings(bot.url);
    const lines = Object.entries<string>({ HOST: '127.0.0.1', PORT: port, ...own });
    writeFileSync(join(folder, '.env'), lines.map(([name, value]) => `${name}=${value}\n`).join(''));
    // Nothing listens at this registry. npm asks it for React, an optional peer of the typed client, and goes on without.
    const registry = ['--registry', 'http://127.0.0.1:1', '--fetch-retries', '0'];
    await bot.run(['install', `${own.GATEHOUSE_URL}/client.tgz`, '--no-audit', '--no-fund', ...registry]);
    return bot;
  }

  start(): void {
    this.child = this.spawn(['start', '--silent']);
  }

  /** Ends it with SIGTERM, which npm passes on. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async run(args: string[]): Promise<void> {
    const [code] = (await once(this.spawn(args), 'close')) as [number | null];
    if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}: ${this.output}`);
  }

  private spawn(args: string[]): ChildProcess {
    const { PATH, HOME } = process.env;
    const child = spawn('npm', args, {
      cwd: this.folder,
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    killAtExit(child, 'SIGTERM');
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (this.output += data.toString()));
    return child;
  }
}
