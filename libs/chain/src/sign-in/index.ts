export { formatSignInMessage, formatSolanaSignInMessage } from './format-sign-in-message.js';
export { parseSignInMessage, parseSolanaSignInMessage } from './parse-sign-in-message.js';
export { parseSignInMessageWithSiwe } from './parse-sign-in-message-with-siwe.js';
export { isUri as isSignInResource } from './rfc3986.js';
export { recoverSigner } from './recover-signer.js';
export {
  type SignInParseResult,
  SignInMessageError,
  type SignInField,
  type SignInMessage,
  type SignInMessageProblem,
  type SolanaSignInChain,
  type SolanaSignInMessage,
} from './sign-in-message.js';
export {
  isValidEd25519Signature,
  isValidEd25519SignatureOnThread,
  type Ed25519SignatureClaim,
} from './is-valid-ed25519-signature.js';
export { isValidSolanaSignature, type SolanaSignatureClaim } from './is-valid-solana-signature.js';
