import { type RecoverableSignature, secp256k1Library as library } from './secp256k1-library.js';

const KEY_BYTES = 32;

/** A secret key of secp256k1. Signatures are deterministic (RFC 6979). */
export class Secp256k1Key {
  /** Without compression: 65 bytes. */
  readonly publicKey: Uint8Array;

  /** @throws RangeError unless it is 32 bytes, above zero and below the order of the curve */
  constructor(private readonly secret: Uint8Array) {
    if (secret.length !== KEY_BYTES || !library.isSecretKey(secret))
      throw new RangeError('not a secret key of secp256k1');
    this.publicKey = library.toPublicKey(secret);
  }

  /**
   * Signs, and recovers the public key from the signature before it is returned: a wrong signature of a deterministic scheme, after a fault
   * of the processor or its memory, may tell the secret key (https://eprint.iacr.org/2017/1014).
   * @param digest 32 bytes
   * @throws Error if the signature is not one of this key
   */
  sign(digest: Uint8Array): RecoverableSignature {
    const signature = library.sign(digest, this.secret);
    if (!Buffer.from(this.publicKey).equals(library.recover(digest, signature)))
      throw new Error('a signature of secp256k1 is not one of its key');
    return signature;
  }
}
