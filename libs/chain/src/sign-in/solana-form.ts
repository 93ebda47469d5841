import { type SignInForm } from './sign-in-form.js';
import { type SolanaSignInChain, solanaSignInChains } from './sign-in-message.js';
import { solanaKeyOf } from './solana-key.js';

/**
 * https://github.com/phantom/sign-in-with-solana. What it leaves to the wallet is required here, as EIP-4361 requires it: a
 * message without nonce, chain or time proves too little.
 */
export const solanaForm: SignInForm<SolanaSignInChain> = {
  greeting: ' wants you to sign in with your Solana account:',
  emptyLines: 1,
  isAddress: (text) => solanaKeyOf(text) !== undefined,
  addressReason: 'must be 32 bytes in base58',
  chainIdOf: (text) => solanaSignInChains.find((chain) => chain === text),
  chainIdReason: `must be one of ${solanaSignInChains.join(', ')}`,
};
