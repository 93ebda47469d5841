import type { Dispatcher } from 'undici';
import { SafeHttpError, TIMEOUT_MESSAGE } from './safe-http-error.js';

export interface PostResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first bytes of the body as they were sent, as many as were asked for. */
  readonly start: Buffer;
}

export interface PostLimits {
  /** Milliseconds from the call to the last byte. */
  readonly timeoutMs: number;
  /** Bytes of the response body after which the connection is closed. */
  readonly maxResponseBytes: number;
  /** How many bytes of the body are kept: 0. */
  readonly keptBytes?: number;
}

/**
 * Sends a POST without creating a stream for the response body, which is discarded but for its first `keptBytes`. It succeeds once there is a status, even
 * if the body then fails. Rejects with undici's error, or with SafeHttpError on a timeout.
 */
export function postDiscardingBody(
  dispatcher: Dispatcher,
  request: Omit<Dispatcher.DispatchOptions, 'method'>,
  limits: PostLimits,
): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch({ ...request, method: 'POST' }, new DiscardBodyHandler(limits, resolve, reject));
  });
}

class DiscardBodyHandler implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private response: Omit<PostResponse, 'start'> | undefined;
  private readonly kept: Buffer[] = [];
  private bytes = 0;
  private isTimedOut = false;

  constructor(
    private readonly limits: PostLimits,
    private readonly resolve: (response: PostResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => {
      this.onTimeout();
    }, limits.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isTimedOut) controller.abort(createTimeoutError());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: PostResponse['headers'],
  ): void {
    // RFC 9110 section 15.2: interim responses precede the final one.
    if (status >= 200) this.response = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const missing = (this.limits.keptBytes ?? 0) - this.bytes;
    if (missing > 0) this.kept.push(Buffer.from(chunk.subarray(0, missing)));
    this.bytes += chunk.length;
    if (this.bytes > this.limits.maxResponseBytes) controller.abort(new Error('response body too large'));
  }

  onResponseEnd(): void {
    this.settle(createNoStatusError);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(() => error);
  }

  private onTimeout(): void {
    this.isTimedOut = true;
    // Without a controller the request still waits for a connection.
    if (this.controller) this.controller.abort(createTimeoutError());
    else this.settle(createTimeoutError);
  }

  private settle(createError: () => Error): void {
    clearTimeout(this.timer);
    if (this.response) this.resolve({ ...this.response, start: Buffer.concat(this.kept) });
    else this.reject(createError());
  }
}

const createNoStatusError = (): SafeHttpError => new SafeHttpError('bad_answer', 'the answer has no status');
const createTimeoutError = (): SafeHttpError => new SafeHttpError('timeout', TIMEOUT_MESSAGE);
