import { isValidSolanaSignature, parseSolanaSignInMessage } from '@app/chain/sign-in';
import { createSolanaWallet } from '../../users/wallets/wallet.js';
import type { SignedChallenge, VerifiedWallet } from './signed-challenge.js';
import { findSolanaChainByName, toSolanaReference } from '../../wallet-signatures/solana-chains.js';

/** Returns the Solana wallet that signed a challenge, undefined for an invalid signature. */
export function verifySolanaSignature({
  message,
  signature,
  account,
}: SignedChallenge): VerifiedWallet | undefined {
  const parsed = parseSolanaSignInMessage(message);
  if (!parsed.ok) return undefined;
  const { address, chainId, resources = [] } = parsed.message;
  const chain = findSolanaChainByName(chainId);
  if (account && (account.namespace !== 'solana' || account.address !== address || account.chain !== chain))
    return undefined;
  if (!chain || !isValidSolanaSignature({ message, address, signature })) return undefined;
  return { wallet: createSolanaWallet(toSolanaReference(chain), address), resources };
}
