import { isSolanaSignature, parseSolanaSignInMessage } from '@app/chain/sign-in';
import { solanaWallet } from '../users/wallet.js';
import type { SignedChallenge, SignedWallet } from './signed-challenge.js';
import { solanaChainNamed, solanaReferenceOf } from './solana-chains.js';

/** The Solana wallet that signed a message made for it. */
export function proveSolanaWallet({
  message,
  signature,
  account,
}: SignedChallenge): SignedWallet | undefined {
  const parsed = parseSolanaSignInMessage(message);
  if (!parsed.ok) return undefined;
  const { address, chainId, resources = [] } = parsed.message;
  const chain = solanaChainNamed(chainId);
  if (account && (account.namespace !== 'solana' || account.address !== address || account.chain !== chain))
    return undefined;
  if (!chain || !isSolanaSignature({ message, address, signature })) return undefined;
  return { wallet: solanaWallet(solanaReferenceOf(chain), address), resources };
}
