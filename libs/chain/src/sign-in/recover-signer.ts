import { toChecksumAddress, type EvmAddress } from '@app/dto';
import { keccak_256 } from '@noble/hashes/sha3';
import secp256k1 from 'secp256k1';
import { hashPersonalMessage } from './hash-personal-message.js';

const SIGNATURE_PATTERN = /^0x[0-9a-fA-F]{130}$/;
/** Half the order of the curve. A signature with a higher s is the malleable form of another one (EIP-2). */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');
/** Recovery parity by the last byte of a signature. */
const PARITY_BY_V = new Map([
  [27, 0],
  [28, 1],
  [0, 0],
  [1, 1],
]);

/**
 * The address whose key signed the text (EIP-191), with the checksum of ERC-55. Undefined unless the signature is 65 bytes in
 * hex with 0x, s in the lower half of the order, and v 27, 28, 0 or 1.
 *
 * The library has native code for Linux and Windows on x64 and macOS on arm64; its JavaScript fallback takes thirty times as
 * long (1.5 ms).
 */
export function recoverSigner(message: string, signature: string): EvmAddress | undefined {
  if (!SIGNATURE_PATTERN.test(signature)) return undefined;
  const bytes = Buffer.from(signature.slice(2), 'hex');
  if (HALF_ORDER.compare(bytes, 32, 64) < 0) return undefined;
  const parity = PARITY_BY_V.get(bytes.readUInt8(64));
  if (parity === undefined) return undefined;
  try {
    const hash = hashPersonalMessage(message);
    const key = secp256k1.ecdsaRecover(bytes.subarray(0, 64), parity, hash, false);
    return toChecksumAddress(`0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`);
  } catch {
    // The numbers are not a point of the curve.
    return undefined;
  }
}
