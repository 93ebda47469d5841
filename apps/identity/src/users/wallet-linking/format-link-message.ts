import { formatSignInMessage, formatSolanaSignInMessage } from '@app/chain/sign-in';
import { DEFAULT_CHAIN_ID } from '../../wallet-signatures/evm-accounts.js';
import {
  DEFAULT_SOLANA_REFERENCE,
  findSolanaChainByReference,
} from '../../wallet-signatures/solana-chains.js';
import type { NamedLink } from './link-message-query.decorator.js';

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

/**
 * Formats the text that a named wallet signs to be linked: EIP-4361 or Sign In With Solana, so that the wallet warns when a page
 * of another domain shows it. Never valid as a login, because its nonce is not one of a sign-in challenge.
 */
export function formatNamedLinkMessage(
  fields: LinkMessageFields,
  { account, endsOtherLinks }: NamedLink,
): string {
  const { publicUrl, userId, nonce } = fields;
  const common = {
    domain: new URL(publicUrl).host,
    address: account.address,
    statement: `${formatPurpose(userId, endsOtherLinks)} What this wallet holds will count as held by this account. This sends no transaction and costs nothing.`,
    uri: publicUrl,
    nonce,
    issuedAt: fields.issuedAt.toISOString(),
    expirationTime: fields.expiresAt.toISOString(),
  };
  if (account.family === 'evm')
    return formatSignInMessage({ ...common, chainId: account.chainId ?? DEFAULT_CHAIN_ID });
  const reference = account.reference ?? DEFAULT_SOLANA_REFERENCE;
  const chainId = findSolanaChainByReference(reference);
  if (!chainId) throw new Error(`Solana chain ${reference} has no name in messages`);
  return formatSolanaSignInMessage({ ...common, chainId });
}

const formatPurpose = (userId: string, endsOtherLinks: boolean): string =>
  endsOtherLinks
    ? `Link this wallet to the account ${userId}, and end its links to all other accounts.`
    : `Link this wallet to the account ${userId}.`;
