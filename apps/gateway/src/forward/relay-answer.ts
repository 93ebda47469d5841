import { AppError } from '@app/common';
import type { Response } from 'express';
import type { Dispatcher } from 'undici';
import { setResponseHeaders } from './response-headers.js';
import { UpstreamFailure } from './upstream-failure.js';

const callerGone = new Error('The caller has gone');

/**
 * Sends one request to an upstream and streams its answer to the caller, as fast as the caller takes it. Resolves when
 * the answer has passed or the caller has gone.
 * @throws UpstreamFailure before the answer began; an answer that breaks off breaks the caller's connection off too
 */
export function relayAnswer(
  upstream: Dispatcher,
  options: Dispatcher.DispatchOptions,
  response: Response,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopUpstream: (() => void) | undefined;
    let ended = false;

    const end = (): void => {
      ended = true;
      resolve();
    };

    response.once('close', () => {
      if (!ended) stopUpstream?.();
      end();
    });

    upstream.dispatch(options, {
      onRequestStart: (controller) => {
        stopUpstream = () => {
          controller.abort(callerGone);
        };
        if (response.closed) stopUpstream();
      },
      onResponseStart: (_controller, status, headers) => {
        // 1xx are between us and the upstream.
        if (status < 200) return;
        response.status(status);
        setResponseHeaders(response, headers);
      },
      onResponseData: (controller, chunk) => {
        if (response.write(chunk)) return;
        controller.pause();
        response.once('drain', () => {
          controller.resume();
        });
      },
      onResponseEnd: () => {
        ended = true;
        response.end();
        resolve();
      },
      onResponseError: (_controller, error) => {
        if (ended) return;
        ended = true;
        if (response.headersSent) response.destroy();
        reject(error instanceof AppError || error === callerGone ? error : new UpstreamFailure(error));
      },
    });
  });
}
