import { WakeUpSignal } from '@app/common';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { RowQueueWorker } from './row-queue.js';

type Step = Error | 'success';

class ScriptedWorker extends RowQueueWorker {
  readonly done: Promise<void>;
  private finish!: () => void;

  constructor(
    private readonly steps: Step[],
    lines: string[],
  ) {
    const logger = pino(
      {},
      { write: (line) => lines.push((JSON.parse(line) as { err: Error }).err.message) },
    );
    super({ signal: new WakeUpSignal(), pollMs: 0, logger, failureMessage: 'work failed' });
    this.done = new Promise((resolve) => (this.finish = resolve));
  }

  protected work(): Promise<void> {
    const step = this.steps.shift();
    if (step === undefined) this.finish();
    else if (step === 'success') this.recordSuccess();
    else return Promise.reject(step);
    return Promise.resolve();
  }
}

async function logOf(...steps: Step[]): Promise<string[]> {
  const lines: string[] = [];
  const worker = new ScriptedWorker(steps, lines);
  worker.onApplicationBootstrap();
  await worker.done;
  await worker.beforeApplicationShutdown();
  return lines;
}

describe('RowQueueWorker', () => {
  const away = new Error('the node is away');
  const frozen = new Error('the account is frozen');

  it('RowQueueWorker: logs a failure once while its reason stays the same', async () => {
    await expect(logOf(away, away, away)).resolves.toEqual([away.message]);
  });

  it('RowQueueWorker: logs a failure whose reason differs from the one before', async () => {
    await expect(logOf(away, frozen, frozen, away)).resolves.toEqual([
      away.message,
      frozen.message,
      away.message,
    ]);
  });

  it('RowQueueWorker: logs the same failure again after a success', async () => {
    await expect(logOf(away, 'success', away)).resolves.toEqual([away.message, away.message]);
  });

  it('RowQueueWorker: takes messages that differ in a block number or an id for one reason', async () => {
    const first = new Error('no block 123456 for 0190b5a0-0000-7000-8000-00000000000a');
    const second = new Error('no block 123457 for 0190b5a0-0000-7000-8000-00000000000b');
    await expect(logOf(first, second)).resolves.toEqual([first.message]);
  });

  it('RowQueueWorker: takes messages with another status for another reason', async () => {
    const messages = ['status 500', 'status 503'];
    await expect(logOf(...messages.map((message) => new Error(message)))).resolves.toEqual(messages);
  });
});
