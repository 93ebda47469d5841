import type { IncomingHttpHeaders } from 'node:http';
import { PAGE_RETURNED_HEADERS, RETURNED_HEADERS } from '@app/openapi';
import type { Response } from 'express';
import { type Destination, isBrowserDestination } from './upstream-registry.js';
import { AppError } from '@app/common';
import type { Dispatcher } from '@app/http';
import { CLIENT_READ_TIMEOUT_MS } from '../admit/load-monitor.js';
import { UpstreamError } from './upstream.errors.js';

type HeaderNames = readonly string[];

export const getReturnedHeaders = (destination: Destination): HeaderNames =>
  isBrowserDestination(destination) ? PAGE_RETURNED_HEADERS : RETURNED_HEADERS;

function setResponseHeaders(response: Response, headers: IncomingHttpHeaders, returned: HeaderNames): void {
  for (const name of returned) {
    const value = headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
}

const clientDisconnected = new Error('The client disconnected');

/** `abandoned`: the client disconnected before the response was complete. */
export type RelayOutcome = 'answered' | 'abandoned';

type UpstreamHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * Sends one request to an upstream and streams the response to the client with backpressure. An upstream failure in the
 * middle of the body destroys the client's connection.
 * @throws UpstreamError before any byte of the response was sent; AppError for a request body that is too large
 */
export function relayResponse(
  upstream: Dispatcher,
  options: Dispatcher.DispatchOptions,
  response: Response,
  returned: HeaderNames,
): Promise<RelayOutcome> {
  return new Promise((resolve, reject) => {
    if (response.closed) {
      resolve('abandoned');
      return;
    }
    let stopUpstream: (() => void) | undefined;
    let settled = false;
    let pendingHead: (() => void) | undefined;
    /** The length of the body, as far as the upstream has said it. */
    let length: string | string[] | undefined;
    let readTimeout: NodeJS.Timeout | undefined;

    const settle = (outcome: RelayOutcome): void => {
      settled = true;
      resolve(outcome);
    };

    /** Delayed until the first chunk: an upstream that fails before it can still get a 502. */
    const sendHead = (): void => {
      pendingHead?.();
      pendingHead = undefined;
    };

    response.once('close', () => {
      clearTimeout(readTimeout);
      if (settled) return;
      // The outcome is settled before stopUpstream, whose error must not count as a failure of the upstream.
      settle('abandoned');
      stopUpstream?.();
    });

    upstream.dispatch(options, {
      onRequestStart: (controller) => {
        stopUpstream = () => {
          controller.abort(clientDisconnected);
        };
      },
      onResponseStart: (_controller, status, headers: UpstreamHeaders) => {
        // Informational responses are hop-by-hop.
        if (status < 200) return;
        length = headers['content-length'];
        pendingHead = () => {
          response.status(status);
          setResponseHeaders(response, headers, returned);
        };
      },
      onResponseData: (controller, chunk) => {
        sendHead();
        if (length === String(chunk.length)) {
          response.end(chunk); // the whole body, in one write with its head
          return;
        }
        if (response.write(chunk)) return;
        controller.pause();
        readTimeout = setTimeout(() => response.destroy(), CLIENT_READ_TIMEOUT_MS);
        response.once('drain', () => {
          clearTimeout(readTimeout);
          controller.resume();
        });
      },
      onResponseEnd: () => {
        sendHead();
        if (!response.writableEnded) response.end();
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
