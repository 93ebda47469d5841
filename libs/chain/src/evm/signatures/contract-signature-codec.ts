import { encodeAddress, encodeBytesArgument } from '../codec/abi-encode.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { signatureValidatorCode } from './signature-validator-code.js';

const IS_VALID_SIGNATURE_SELECTOR = '1626ba7e';
const ERC1271_MAGIC_WORD = IS_VALID_SIGNATURE_SELECTOR.padEnd(64, '0');

/** Calldata of `isValidSignature(bytes32,bytes)`; hex without 0x, as everywhere here. */
export function encodeIsValidSignature(hash: string, signature: string): string {
  return `${IS_VALID_SIGNATURE_SELECTOR}${hash}${encodeBytesArgument(signature, 2)}`;
}

/** Whether a contract said yes: the selector and zeros, in the first word. Everything else is no. */
export function isErc1271MagicValue(returnData: string): boolean {
  return returnData.slice(0, 64).toLowerCase() === ERC1271_MAGIC_WORD;
}

/** The last 32 bytes of a signature that says how its account comes to be. */
const ERC6492_MAGIC_SUFFIX = '6492'.repeat(16);

/** Whether the signature, hex without 0x, brings the factory of its account along. */
export function isErc6492Signature(signature: string): boolean {
  return signature.toLowerCase().endsWith(ERC6492_MAGIC_SUFFIX);
}

/**
 * Init code that deploys the account if it is not there yet, asks it (ERC-1271) and returns one byte. Only for wrapped
 * signatures: for others it would go by the signer's key, and not mind which of two twins of a signature it is given.
 */
export function encodeErc6492Validation(account: string, hash: string, signature: string): string {
  return `${signatureValidatorCode}${encodeAddress(account)}${hash}${encodeBytesArgument(signature, 3)}`;
}

/** Throws NodeFailure on what that code never returns. */
export function decodeErc6492Result(returned: string): boolean {
  if (returned !== '00' && returned !== '01')
    throw new RpcNodeError('unavailable', 'the node answered what the code does not return');
  return returned === '01';
}
