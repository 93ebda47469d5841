export interface LinkMessageFields {
  /** Where users reach the service. */
  readonly publicUrl: string;
  readonly userId: string;
  /** Letters and digits by chance. */
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * What a wallet signs to be linked: a text of our own, because it is the same for every kind of wallet, whose address nobody
 * knows yet. Its first line is none of EIP-4361 nor of Sign In With Solana, so that such a signature is never a login, nor
 * the reverse.
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
