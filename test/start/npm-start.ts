import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signal, startOf } from '../../scripts/processes/process-identity.mjs';
import { type ProjectCopy } from './project-copy.js';

/** A first start makes a database and demo data, beside other tests. */
const START_MS = 150_000;
const END_MS = 40_000;
const MARK = 'GATEHOUSE_TEST_MARK';

export interface StartSettings {
  /** `start` unless it is named. */
  script?: 'start' | 'dev';
  /** The options of `npm start` or `npm run dev`. */
  options?: string[];
  env?: Record<string, string>;
}

/** An `npm start` or `npm run dev`, in a process group of its own as a terminal would give it. */
export class NpmStart {
  output = '';
  private readonly mark = randomUUID();
  private readonly npm: ChildProcess;
  private readonly closed: Promise<number | null>;

  constructor(project: ProjectCopy, { script = 'start', options = [], env = {} }: StartSettings = {}) {
    // What tests tell Node about processes that live for seconds holds for these apps, too.
    const { PATH, HOME, TEST_V8_FLAGS } = process.env;
    this.npm = spawn('npm', ['run', script, '--', ...options], {
      cwd: project.folder,
      env: { PATH, HOME, TEST_V8_FLAGS, [MARK]: this.mark, ...project.ports, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.npm.stdout, this.npm.stderr])
      stream?.on('data', (bytes: Buffer) => (this.output += bytes.toString()));
    this.closed = new Promise((resolve) => this.npm.once('close', resolve));
  }

  /** Waits for a text in the output. */
  async says(text: string): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!this.output.includes(text)) {
      if (this.hasEnded() || Date.now() > deadline)
        throw new Error(`"${text}" was not said:\n${this.output}`);
      await sleep(50);
    }
  }

  up(): Promise<void> {
    return this.says('Ctrl-C ends everything.');
  }

  /** What a key press or a closed terminal does: the whole foreground process group gets the signal. */
  signalGroup(signal: NodeJS.Signals): boolean {
    return process.kill(-this.pid(), signal);
  }

  signalNpm(signal: NodeJS.Signals): boolean {
    return process.kill(this.pid(), signal);
  }

  /** Waits until npm and everybody who holds its output has ended. @returns npm's exit code */
  exitCode(): Promise<number | null> {
    return this.closed;
  }

  /** Every process that this start has brought about and that still lives, by name or command line. */
  left(record?: { children: { name: string; pid: number; start: string }[] }): string[] {
    const known = record?.children.filter(({ pid, start }) => startOf(pid) === start).map(({ name }) => name);
    return [...(known ?? []), ...marked(`${MARK}=${this.mark}`)];
  }

  /** Waits until nothing is left. @returns what is left when the time is over */
  async untilNothingIsLeft(record: {
    children: { name: string; pid: number; start: string }[];
  }): Promise<string[]> {
    const deadline = Date.now() + END_MS;
    while (this.left(record).length > 0 && Date.now() < deadline) await sleep(100);
    return this.left(record);
  }

  /** Ends what a test that failed has left. */
  async destroy(): Promise<void> {
    // The group may outlive npm, its leader.
    signal(-this.pid(), 'SIGKILL');
    await this.closed;
  }

  private hasEnded(): boolean {
    return this.npm.exitCode !== null || this.npm.signalCode !== null;
  }

  private pid(): number {
    if (this.npm.pid === undefined) throw new Error('npm did not start');
    return this.npm.pid;
  }
}

/** The processes that inherited a variable; only Linux tells. */
function marked(variable: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOrEmpty(`/proc/${pid}/environ`).split('\0').includes(variable))
    .map((pid) => readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has just ended, or belongs to somebody else
  }
}
