const TIME_OUT_MS = 10_000;

/**
 * One JSON-RPC call to the local chain.
 * @param {string} url
 * @param {string} method
 * @param {unknown[]} [params]
 */
export async function rpc(url, method, params = []) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIME_OUT_MS),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method} failed: ${error.message}`);
  return result;
}
