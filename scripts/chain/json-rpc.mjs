const TIME_OUT_MS = 10_000;

/**
 * Makes a JSON-RPC call to the local chain.
 * @param {string} url
 * @param {string} method
 * @param {unknown[]} [params]
 * @param {{ timeoutMs?: number }} [options]
 * @template [T=string]
 * @returns {Promise<T>} its result
 */
export async function rpc(url, method, params = [], { timeoutMs = TIME_OUT_MS } = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { result, error } = /** @type {{ result: T, error?: { message: string } }} */ (await response.json());
  if (error) throw new Error(`${method} failed: ${error.message}`);
  return result;
}
