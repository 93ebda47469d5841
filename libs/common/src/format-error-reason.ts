/**
 * Formats an error as one line for logs. A refused connection to a host with two addresses has an error code and an
 * empty message.
 */
export function formatErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
