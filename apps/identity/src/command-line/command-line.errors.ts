/** Exit codes after sysexits(3) beside those of commands on a database (`EXIT_CODES`). */
export const COMMAND_LINE_EXIT_CODES = {
  /** Something waits for somebody else, such as an approval: run it again later. */
  waiting: 75,
  /** Nobody is signed in, or the token lacks the right. */
  noPermission: 77,
} as const;

/** Why a command ended. The message is for its user, and holds no secret. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError';

  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
