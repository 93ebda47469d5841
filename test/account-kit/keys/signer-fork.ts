import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../../scripts/build/project.mjs';

const worker = 'dist/bundles/account-kit/assets/apps/account-kit/src/custody/signer/signer.worker.js';

type Outcome = { status: 'done'; result: unknown } | { status: 'refused' | 'unavailable'; reason: string };

/** The signer process as account-kit starts it. */
export class SignerFork {
  private readonly child: ChildProcess;
  private lastCallId = 0;
  /** The text that the signer printed. */
  output = '';

  constructor(env: Record<string, string>) {
    this.child = fork(join(root, worker), {
      env: { NODE_ENV: 'test', PATH: process.env.PATH, ...env },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  get process(): ChildProcess {
    return this.child;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async call(request: Record<string, unknown>): Promise<Outcome> {
    const callId = ++this.lastCallId;
    const reply = new Promise<Outcome>((resolve) => {
      const onMessage = (message: unknown) => {
        const replies = message as { callId: number; outcome: Outcome }[];
        const reply = replies.find(({ callId: answered }) => answered === callId);
        if (!reply) return;
        this.child.off('message', onMessage);
        resolve(reply.outcome);
      };
      this.child.on('message', onMessage);
    });
    this.child.send([{ callId, request }]);
    return reply;
  }

  /** @returns the result of a call that succeeds */
  async done<Result>(request: Record<string, unknown>): Promise<Result> {
    const outcome = await this.call(request);
    if (outcome.status !== 'done') throw new Error(`${outcome.status}: ${outcome.reason}`);
    return outcome.result as Result;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    await exit;
  }
}
