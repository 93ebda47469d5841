export interface LinkMessageFields {
  readonly publicUrl: string;
  readonly userId: string;
  /** Random letters and digits. */
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Formats the text that a wallet signs to be linked, before its address and chain are known. The first line differs from
 * EIP-4361 and Sign In With Solana, so that a link signature is never valid as a login, nor the reverse.
 */
export const formatLinkMessage = ({
  publicUrl,
  userId,
  nonce,
  issuedAt,
  expiresAt,
}: LinkMessageFields): string =>
  [
    `${new URL(publicUrl).host} asks you to link a wallet to your account.`,
    '',
    'Sign this only if the account below is yours: what this wallet holds will count as held by it. This sends no transaction and costs nothing.',
    '',
    `URI: ${publicUrl}`,
    `Account: ${userId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');
