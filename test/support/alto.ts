import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { altoCommand } from '../../scripts/chain/alto/command.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { requireTool } from '../../scripts/build/tools.mjs';
import { killAtExit } from './killed-at-exit.js';
import { until } from './until.js';

/** The first version accepts operations without fees and with any `preVerificationGas`. */
const STRICT = ['--default-api-version', 'v2'];

/** An answer of alto, as it wrote it. */
export interface AltoAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message: string };
}

/** alto, a public ERC-4337 bundler, as a process of its own on the loopback interface. Its mempool is in its memory. */
export class Alto {
  readonly logLines: string[] = [];
  private child: ChildProcess | undefined;

  private constructor(
    private readonly command: Awaited<ReturnType<typeof altoCommand>>,
    readonly url: string,
  ) {}

  /** @param options `more` are further arguments of alto */
  static async start(
    rpcUrl: string,
    { port, more = [] }: { port?: number; more?: string[] } = {},
  ): Promise<Alto> {
    const folder = requireTool('alto');
    port ??= await freePort();
    const command = await altoCommand({ folder, rpcUrl, port, more: [...STRICT, ...more] });
    const alto = new Alto(command, `http://127.0.0.1:${port}`);
    await alto.resume();
    return alto;
  }

  /** Starts it again, with nothing in its mempool. @param more further arguments of alto */
  async resume(more: string[] = []): Promise<void> {
    const { args, cwd, env } = this.command;
    const child = spawn(process.execPath, [...args, ...more], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    killAtExit(child, 'SIGKILL');
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => this.logLines.push(line));
    this.child = child;
    await until('alto listens', async () => {
      if (child.exitCode !== null) throw new Error(`alto has ended:\n${this.logLines.slice(-20).join('\n')}`);
      return fetch(`${this.url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }

  /** Sends a request as a client of its own. */
  async ask(method: string, params: readonly unknown[]): Promise<AltoAnswer> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return (await response.json()) as AltoAnswer;
  }

  /** The receipt of a user operation, null until it is included. */
  async receiptOf(hash: string): Promise<unknown> {
    return (await this.ask('eth_getUserOperationReceipt', [hash])).result;
  }

  /** The state of a user operation at alto: `not_submitted` in its mempool, `submitted`, `included`, `not_found`. */
  async statusOf(hash: string): Promise<string> {
    const { result } = await this.ask('pimlico_getUserOperationStatus', [hash]);
    return (result as { status: string }).status;
  }

  /** SIGKILL: what its mempool had is lost. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}
