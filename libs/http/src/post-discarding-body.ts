import type { Dispatcher } from 'undici';
import { SafeHttpError } from './safe-http-error.js';
import { TIMEOUT_MESSAGE } from './to-safe-http-error.js';

export interface PostResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface PostLimits {
  /** Milliseconds from the call to the last byte. */
  readonly timeoutMs: number;
  /** What is read of the answer before the connection is given up. */
  readonly maxResponseBytes: number;
}

/**
 * Posts, and makes no stream of an answer that nobody reads. The status decides: what becomes of the body after it
 * changes nothing. Rejects with what undici says, or FetchFailure when the time is up.
 */
export function postDiscardingBody(
  dispatcher: Dispatcher,
  request: Omit<Dispatcher.DispatchOptions, 'method'>,
  bounds: PostLimits,
): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch({ ...request, method: 'POST' }, new DiscardBodyHandler(bounds, resolve, reject));
  });
}

class DiscardBodyHandler implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private reply: PostResponse | undefined;
  private bytes = 0;
  private isLate = false;

  constructor(
    private readonly bounds: PostLimits,
    private readonly resolve: (reply: PostResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => {
      this.giveUp();
    }, bounds.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isLate) controller.abort(createTimeoutError());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: PostResponse['headers'],
  ): void {
    // RFC 9110 section 15.2: interim answers come before the one that counts.
    if (status >= 200) this.reply = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.bounds.maxResponseBytes) controller.abort(new Error('enough'));
  }

  onResponseEnd(): void {
    this.settle(createNoStatusError);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(() => error);
  }

  private giveUp(): void {
    this.isLate = true;
    // Without a controller it still waits for a connection.
    if (this.controller) this.controller.abort(createTimeoutError());
    else this.settle(createTimeoutError);
  }

  private settle(why: () => Error): void {
    clearTimeout(this.timer);
    if (this.reply) this.resolve(this.reply);
    else this.reject(why());
  }
}

const createNoStatusError = (): SafeHttpError => new SafeHttpError('bad_answer', 'the answer has no status');
const createTimeoutError = (): SafeHttpError => new SafeHttpError('timeout', TIMEOUT_MESSAGE);
