import { importFromTool } from '../../scripts/build/tools.mjs';

/** @typedef {{ perSecond: number, p50: number, p99: number }} LoadResult milliseconds for the percentiles */
/** @typedef {{ non2xx: number, errors: number, statusCodeStats: object, '2xx': number, duration: number, latency: { p50: number, p99: number } }} Measured */

/**
 * Runs a round of load.
 * @param {{ url: string, method?: string | undefined, headers: object, body?: string | undefined, freshBody?: (() => string) | undefined,
 *   freshPath?: (() => string) | undefined, connections?: number, seconds: number }} options
 *   `freshBody` makes a body for each request, `freshPath` a path
 * @returns {Promise<LoadResult>}
 * @throws when any answer is not 2xx
 */
export async function load({
  url,
  method = 'POST',
  headers,
  body,
  freshBody,
  freshPath,
  connections = 64,
  seconds,
}) {
  /** @param {object} request */
  const setupRequest = (request) => ({
    ...request,
    ...(freshBody && { body: freshBody() }),
    ...(freshPath && { path: freshPath() }),
  });
  const requests = (freshBody ?? freshPath) && [{ method, headers, setupRequest }];
  // bench/run.mjs has fetched it.
  /** @type {{ default: (options: object) => Promise<Measured> }} */
  const { default: autocannon } = await importFromTool('autocannon');
  const result = await autocannon({ url, method, headers, body, requests, connections, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(`${url}: not all answers were 2xx: ${statuses}, and ${result.errors} requests failed`);
  }
  return { perSecond: result['2xx'] / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
