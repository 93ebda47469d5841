import { AppError } from '@app/common';
import type { Response } from 'express';
import type { Dispatcher } from 'undici';
import { type HeaderNames, setResponseHeaders } from './set-response-headers.js';
import { UpstreamError } from './upstream.errors.js';

const clientDisconnected = new Error('The caller has gone');

/** A caller that takes nothing for this long does not want the rest. */
const CLIENT_READ_TIMEOUT_MS = 15_000;

/** `abandoned`: the caller went away before the answer was whole. */
export type RelayOutcome = 'answered' | 'abandoned';

type UpstreamHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * Sends one request to an upstream and streams its answer to the caller, as fast as the caller takes it.
 * @throws UpstreamFailure before anything of the answer was passed on; an answer that breaks off later breaks the
 *   caller's connection off too. AppError for a request body that turned out too large.
 */
export function relayResponse(
  upstream: Dispatcher,
  options: Dispatcher.DispatchOptions,
  response: Response,
  returned: HeaderNames,
): Promise<RelayOutcome> {
  return new Promise((resolve, reject) => {
    let stopUpstream: (() => void) | undefined;
    let settled = false;
    let head: (() => void) | undefined;

    const settle = (outcome: RelayOutcome): void => {
      settled = true;
      resolve(outcome);
    };

    /** Not before there is something to follow: an upstream that dies now has answered nothing. */
    const passHead = (): void => {
      head?.();
      head = undefined;
    };

    response.once('close', () => {
      if (settled) return;
      // First: stopping fails the request, and that is not the upstream's failure.
      settle('abandoned');
      stopUpstream?.();
    });

    upstream.dispatch(options, {
      onRequestStart: (controller) => {
        stopUpstream = () => {
          controller.abort(clientDisconnected);
        };
        if (response.closed) stopUpstream();
      },
      onResponseStart: (_controller, status, headers: UpstreamHeaders) => {
        // 1xx are between us and the upstream.
        if (status < 200) return;
        head = () => {
          response.status(status);
          setResponseHeaders(response, headers, returned);
        };
      },
      onResponseData: (controller, chunk) => {
        passHead();
        if (response.write(chunk)) return;
        controller.pause();
        const impatience = setTimeout(() => response.destroy(), CLIENT_READ_TIMEOUT_MS);
        response.once('drain', () => {
          clearTimeout(impatience);
          controller.resume();
        });
        response.once('close', () => {
          clearTimeout(impatience);
        });
      },
      onResponseEnd: () => {
        passHead();
        response.end();
        settle('answered');
      },
      onResponseError: (_controller, error) => {
        if (settled) return;
        settled = true;
        if (response.headersSent) response.destroy();
        reject(error instanceof AppError ? error : new UpstreamError(error));
      },
    });
  });
}
