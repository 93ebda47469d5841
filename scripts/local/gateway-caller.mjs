const TIME_OUT_MS = 15_000;

/**
 * Asks a running suite's gateway.
 * @param {string} gatewayUrl
 * @param {Record<string, string>} headers of every request: who asks
 * @returns {(method: string, path: string, body?: object) => Promise<any>} the answer; rejects unless it is 2xx
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
    return text === '' ? undefined : JSON.parse(text);
  };
}
