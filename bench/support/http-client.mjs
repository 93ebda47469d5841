import { Pool } from 'undici';

/** @typedef {{ requestId: string, roles?: object[] }} CheckAnswer */
/** @typedef {{ method: 'GET' | 'POST', path: string, body?: string }} HttpRequest */

/**
 * A client application's way to checks, through the gateway.
 * @param {{ gatewayUrl: string, apiKey: string, connections: number }} options
 */
export function httpClient({ gatewayUrl, apiKey, connections }) {
  const pool = new Pool(gatewayUrl, { connections });
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const path = '/access-control/check-roles';
  /** @param {HttpRequest} options */
  const ask = async (options) => {
    const { statusCode, body } = await pool.request({ headers, ...options });
    const answer = /** @type {CheckAnswer} */ (await body.json());
    if (statusCode >= 300) throw new Error(`${options.path}: ${statusCode} ${JSON.stringify(answer)}`);
    return { statusCode, answer };
  };
  return {
    /** @param {object} request */
    check: async (request) => (await ask({ method: 'POST', path, body: JSON.stringify(request) })).answer,
    /** Undefined while the check is not finished. */
    poll: async (/** @type {string} */ requestId) => {
      const { statusCode, answer } = await ask({ method: 'GET', path: `${path}/responses/${requestId}` });
      return statusCode === 200 ? answer : undefined;
    },
    close: () => pool.close(),
  };
}
