import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/processes/ports.mjs';
import { killAtExit } from './killed-at-exit.js';
import { pathOf } from './needs.js';
import { until } from './until.js';

const START_MS = 10_000;

export interface RedisOptions {
  /** Arguments that are added: `['--appendonly', 'yes']`. Nothing is kept on disk unless told. */
  args?: string[];
}

/** A Redis of its own for one test file, on a free port of the loopback interface. */
export class LocalRedis {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly args: string[],
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  static async start(options: RedisOptions = {}): Promise<LocalRedis> {
    const redis = await LocalRedis.prepare(options);
    await redis.start();
    return redis;
  }

  /** Prepares a server that does not run yet. */
  static async prepare({ args = [] }: RedisOptions = {}): Promise<LocalRedis> {
    const folder = await mkdtemp(join(tmpdir(), 'redis-'));
    return new LocalRedis(await freePort(), folder, args);
  }

  /** Starts it, or starts it again with what it kept. */
  async start(): Promise<void> {
    const fixed = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.folder, '--save', ''];
    const child = spawn(pathOf('redis-server'), [...fixed, '--loglevel', 'warning', ...this.args], {
      stdio: 'ignore',
    });
    this.child = child;
    killAtExit(child, 'SIGKILL');
    const deadline = Date.now() + START_MS;
    while (!(await this.answers())) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error('Redis does not start');
      await sleep(20);
    }
  }

  /** Frozen: connections stay, nothing is answered. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Ends it in order; `start` brings it back on the same port. */
  shutDown(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Runs a command in Redis' inline form. @returns the raw reply, or its first part when it is long */
  async command(line: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.write(`${line}\r\n`);
      const [reply] = (await once(socket, 'data')) as [Buffer];
      return reply.toString('utf8').trim();
    } finally {
      socket.destroy();
    }
  }

  private async answers(): Promise<boolean> {
    try {
      return (await this.command('PING')) === '+PONG';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false;
      throw error;
    }
  }

  /** Waits until a replica has all that was written so far. Redis's own WAIT speaks of what its connection has written. */
  async untilWrittenTo(replica: LocalRedis): Promise<void> {
    const written = await this.readOffset('master_repl_offset');
    await until(
      'written to the replica',
      async () => (await replica.readOffset('slave_repl_offset')) >= written,
    );
  }

  private async readOffset(field: string): Promise<number> {
    const [, offset] = new RegExp(`${field}:(\\d+)`).exec(await this.command('INFO replication')) ?? [];
    return Number(offset);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
