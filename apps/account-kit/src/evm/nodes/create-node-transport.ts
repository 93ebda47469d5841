import { inSpan } from '@app/common';
import { readBoundedBody } from '@app/http';
import { Agent } from 'undici';
import { type HttpTransport, http } from 'viem';

/** A receipt of a full bundle has some hundred kilobytes. */
const MAX_RESPONSE_BYTES = 8_000_000;
const CONNECTIONS_PER_NODE = 16;

export interface NodeLimits {
  readonly connectTimeoutMs: number;
  /** Of one request, to the last byte of the response. */
  readonly requestTimeoutMs: number;
}

export interface NodeTransports {
  create(url: string): HttpTransport;
  close(): Promise<void>;
}

/**
 * Transports to nodes that bound the time and the size of a whole response (viem's own time limit ends with the headers), and that do
 * not retry: the callers decide.
 */
export function createNodeTransports({ connectTimeoutMs, requestTimeoutMs }: NodeLimits): NodeTransports {
  const agent = new Agent({ connections: CONNECTIONS_PER_NODE, connect: { timeout: connectTimeoutMs } });
  const post = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input);
    const { statusCode, body } = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method: 'POST',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body as string,
      signal: init.signal,
    });
    const bytes = await readBoundedBody(body, MAX_RESPONSE_BYTES);
    return new Response(new Uint8Array(bytes), {
      status: statusCode,
      headers: { 'content-type': 'application/json' },
    });
  };
  // The span has no URL, which may hold a key.
  const fetchFn: typeof post = (input, init) =>
    inSpan({ name: 'node request', kind: 'CLIENT' }, () => post(input, init));
  return {
    create: (url) => http(url, { fetchFn, retryCount: 0, timeout: requestTimeoutMs }),
    close: () => agent.destroy(),
  };
}
