/** Rejects unless the answer is 2xx. */
export declare function gatewayCaller(
  gatewayUrl: string,
  headers: Record<string, string>,
): (method: string, path: string, body?: object) => Promise<unknown>;
