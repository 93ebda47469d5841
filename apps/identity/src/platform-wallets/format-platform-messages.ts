export interface PlatformMessageFields {
  readonly publicUrl: string;
  readonly platform: string;
  readonly platformUserId: string;
  /** What the client application calls the user. */
  readonly userName: string | undefined;
  readonly community: string;
  readonly application: string;
  /** Random letters and digits. */
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Formats the texts that a wallet signs to be linked to a platform user, and to end that. The first lines differ from EIP-4361
 * and Sign In With Solana, so that neither signature is ever valid as a login, nor the reverse.
 */
export function formatPlatformMessages(fields: PlatformMessageFields): { link: string; removal: string } {
  const { publicUrl, platform } = fields;
  const { host } = new URL(publicUrl);
  const free = 'This sends no transaction and costs nothing.';
  return {
    link: formatMessage(fields, [
      `${host} asks you to link a wallet to a user of ${platform}.`,
      `Sign this only if the user below is you: what this wallet holds will count as held by that user in the community below. ${free}`,
    ]),
    removal: formatMessage(fields, [
      `${host} asks you to remove a wallet from a user of ${platform}.`,
      `Sign this to end that what this wallet holds counts as held by the user below in the community below. ${free}`,
    ]),
  };
}

const formatMessage = (
  {
    publicUrl,
    platform,
    platformUserId,
    userName,
    community,
    application,
    nonce,
    issuedAt,
    expiresAt,
  }: PlatformMessageFields,
  [firstLine, statement]: readonly [string, string],
): string =>
  [
    firstLine,
    '',
    statement,
    '',
    `URI: ${publicUrl}`,
    `Platform: ${platform}`,
    `User: ${platformUserId}`,
    ...(userName === undefined ? [] : [`Name: ${userName}`]),
    `Community: ${community}`,
    `Application: ${application}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');
