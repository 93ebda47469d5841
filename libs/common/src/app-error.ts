/** Details of an error that callers may see: `code`, `issues`, `retryAfter` (seconds) … */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * An error whose name, status, message and details are sent to the caller (spec.md section 2.3). Other errors are sent as
 * InternalServerError without their message.
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

/** Whether something that the work needs is away (503): no fault of an item, and it passes. */
export const isUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.statusCode === 503;
