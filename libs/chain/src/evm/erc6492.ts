import { addressWord, bytesArgument } from './hex.js';
import { NodeFailure } from './node-failure.js';
import { signatureValidatorCode } from './signature-validator-code.js';

/** The last 32 bytes of a signature that says how its account comes to be. */
const mark = '6492'.repeat(16);

/** Whether the signature, hex without 0x, brings the factory of its account along. */
export function isWrapped(signature: string): boolean {
  return signature.toLowerCase().endsWith(mark);
}

/**
 * Init code that deploys the account if it is not there yet, asks it (ERC-1271) and returns one byte. Only for wrapped
 * signatures: for others it would go by the signer's key, and not mind which of two twins of a signature it is given.
 */
export function validationCode(account: string, hash: string, signature: string): string {
  return `${signatureValidatorCode}${addressWord(account)}${hash}${bytesArgument(signature, 3)}`;
}

/** Throws NodeFailure on what that code never returns. */
export function verdictOf(returned: string): boolean {
  if (returned !== '00' && returned !== '01')
    throw new NodeFailure('unavailable', 'the node answered what the code does not return');
  return returned === '01';
}
