/** The command line cannot be understood. The message names the flag. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
