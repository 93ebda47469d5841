import { encodeAddress, encodeBytesArgument } from '../../reads/evm/abi-codec.js';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { signatureValidatorCode } from './signature-validator-code.js';

const IS_VALID_SIGNATURE_SELECTOR = '1626ba7e';
const ERC1271_MAGIC_WORD = IS_VALID_SIGNATURE_SELECTOR.padEnd(64, '0');

/** ERC-1271: calldata of `isValidSignature(bytes32,bytes)`. All hex texts in this file are without 0x. */
export function encodeIsValidSignature(hash: string, signature: string): string {
  return `${IS_VALID_SIGNATURE_SELECTOR}${hash}${encodeBytesArgument(signature, 2)}`;
}

/** Whether the first word is the selector, padded with zeros. Any other return data means an invalid signature. */
export function isErc1271MagicValue(returnData: string): boolean {
  return returnData.slice(0, 64).toLowerCase() === ERC1271_MAGIC_WORD;
}

/** The last 32 bytes of an ERC-6492 signature. */
const ERC6492_MAGIC_SUFFIX = '6492'.repeat(16);

/** Whether the signature contains the factory call that deploys its account (ERC-6492). */
export function isErc6492Signature(signature: string): boolean {
  return signature.toLowerCase().endsWith(ERC6492_MAGIC_SUFFIX);
}

/**
 * Init code that calls isValidSignature with the unwrapped signature and returns one byte. Only for an account without code
 * it makes the factory call before, which then has to deploy the account. Only for ERC-6492 signatures.
 */
export function encodeErc6492Validation(account: string, hash: string, signature: string): string {
  return `${signatureValidatorCode}${encodeAddress(account)}${hash}${encodeBytesArgument(signature, 3)}`;
}

/** Throws RpcNodeError on anything that the init code never returns. */
export function decodeErc6492Result(returnData: string): boolean {
  if (returnData !== '00' && returnData !== '01')
    throw new RpcNodeError('unavailable', 'the node returned an invalid validation result');
  return returnData === '01';
}
