export { formatSignInMessage, formatSolanaSignInMessage } from './format-sign-in-message.js';
export { parseSignInMessage, parseSolanaSignInMessage } from './parse-sign-in-message.js';
export { recoverSigner } from './recover-signer.js';
export {
  type ParsedSignIn,
  SignInFault,
  type SignInField,
  type SignInMessage,
  type SignInProblem,
  type SolanaSignInChain,
  type SolanaSignInMessage,
} from './sign-in-message.js';
export { isSolanaSignature, type SignedBySolana } from './solana-signature.js';
