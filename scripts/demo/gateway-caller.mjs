const TIME_OUT_MS = 15_000;

/** @typedef {<T = unknown>(method: string, path: string, body?: object) => Promise<T>} GatewayCaller answers the body; rejects unless the answer is 2xx */

/**
 * Asks a running suite's gateway.
 * @param {string} gatewayUrl
 * @param {Record<string, string>} headers of every request: who asks
 * @returns {GatewayCaller}
 */
export function gatewayCaller(gatewayUrl, headers) {
  return async (method, path, body) => {
    const response = await fetch(gatewayUrl + path, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(TIME_OUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return /** @type {never} */ (text === '' ? undefined : JSON.parse(text));
  };
}
