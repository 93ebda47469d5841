import type { Dispatcher } from 'undici';
import { FetchFailure } from './fetch-failure.js';
import { LATE } from './to-fetch-failure.js';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface PostBounds {
  /** Milliseconds from the call to the last byte. */
  readonly timeoutMs: number;
  /** What is read of the answer before the connection is given up. */
  readonly maxAnswerBytes: number;
}

/**
 * Posts, and makes no stream of an answer that nobody reads. The status decides: what becomes of the body after it
 * changes nothing. Rejects with what undici says, or FetchFailure when the time is up.
 */
export function postAndForget(
  dispatcher: Dispatcher,
  request: Omit<Dispatcher.DispatchOptions, 'method'>,
  bounds: PostBounds,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch({ ...request, method: 'POST' }, new ReplyHandler(bounds, resolve, reject));
  });
}

class ReplyHandler implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private reply: Reply | undefined;
  private bytes = 0;
  private isLate = false;

  constructor(
    private readonly bounds: PostBounds,
    private readonly resolve: (reply: Reply) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => {
      this.giveUp();
    }, bounds.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isLate) controller.abort(tooLate());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Reply['headers'],
  ): void {
    // RFC 9110 section 15.2: interim answers come before the one that counts.
    if (status >= 200) this.reply = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.bounds.maxAnswerBytes) controller.abort(new Error('enough'));
  }

  onResponseEnd(): void {
    this.settle(noStatus);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(() => error);
  }

  private giveUp(): void {
    this.isLate = true;
    // Without a controller it still waits for a connection.
    if (this.controller) this.controller.abort(tooLate());
    else this.settle(tooLate);
  }

  private settle(why: () => Error): void {
    clearTimeout(this.timer);
    if (this.reply) this.resolve(this.reply);
    else this.reject(why());
  }
}

const noStatus = (): FetchFailure => new FetchFailure('bad_answer', 'the answer has no status');
const tooLate = (): FetchFailure => new FetchFailure('timeout', LATE);
