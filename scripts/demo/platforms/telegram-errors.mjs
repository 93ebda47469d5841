/** An answer that the Bot API gives with `ok: false`. */
export class TelegramError extends Error {
  /** @param {number} code @param {string} description @param {{ retry_after: number }} [parameters] */
  constructor(code, description, parameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const badRequest = (/** @type {string} */ text) => new TelegramError(400, `Bad Request: ${text}`);

/** @param {number} seconds */
export const tooMany = (seconds) =>
  new TelegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
