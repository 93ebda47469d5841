import { bytesArgument } from './hex.js';

const isValidSignature = '1626ba7e';
const yes = isValidSignature.padEnd(64, '0');

/** Calldata of `isValidSignature(bytes32,bytes)`; hex without 0x, as everywhere here. */
export function isValidSignatureData(hash: string, signature: string): string {
  return `${isValidSignature}${hash}${bytesArgument(signature, 2)}`;
}

/** Whether a contract said yes: the selector and zeros, in the first word. Everything else is no. */
export function saysItIsValid(returnData: string): boolean {
  return returnData.slice(0, 64).toLowerCase() === yes;
}
