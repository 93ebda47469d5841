/** An error of a JSON-RPC method, with the codes that Solana's nodes use. */
export class RpcError extends Error {
  /** @param {number} code @param {string} message @param {unknown} [data] */
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** @param {string} message */
export const invalidParam = (message) => new RpcError(-32602, `Invalid param: ${message}`);
