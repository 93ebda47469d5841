/** Why something failed, in one line. A refused connection to a name with two addresses has a code and no message. */
export function formatErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
