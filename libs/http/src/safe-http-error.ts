/**
 * - `blocked`: the URL, or an address that its host has, may not be called; nothing was sent there
 * - `dns`: the host has no address, or no name server said so in time
 * - `timeout`: no connection or no whole answer in time
 * - `tls`: the other side could not prove who it is
 * - `connection`: refused, unreachable, or lost on the way
 * - `too_large`: more bytes than were asked for
 * - `bad_answer`: not HTTP, or not in the form that was asked for
 */
export type SafeHttpErrorKind =
  'blocked' | 'dns' | 'timeout' | 'tls' | 'connection' | 'too_large' | 'bad_answer';

/** Why there is no answer. The message may be shown to who named the URL: it holds no address of ours. */
export class SafeHttpError extends Error {
  override readonly name = 'SafeHttpError';

  constructor(
    readonly kind: SafeHttpErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
