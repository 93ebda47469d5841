/** Free-form facts about a failure that its receiver may see: `code`, `issues`, `retryAfter` … */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * A failure with a name and a status that a caller may see (spec.md 2.3).
 * Anything else that is thrown is rendered as an InternalServerError without its message.
 */
export class AppError extends Error {
  constructor(
    override readonly name: string,
    readonly statusCode: number,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
