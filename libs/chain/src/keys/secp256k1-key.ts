import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { secp256k1 as noble } from '@noble/curves/secp256k1';
import type nativeSecp256k1 from 'secp256k1';

/** A signature from which the public key can be recovered; r and s have 32 bytes, and s is low (EIP-2). */
export interface RecoverableSignature {
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly yParity: number;
}

/** The functions of a library of secp256k1. Public keys have 65 bytes, digests 32. */
interface Secp256k1Library {
  isSecretKey(secret: Uint8Array): boolean;
  toPublicKey(secret: Uint8Array): Uint8Array;
  sign(digest: Uint8Array, secret: Uint8Array): RecoverableSignature;
  recover(digest: Uint8Array, signature: RecoverableSignature): Uint8Array;
}

const BLINDING_BYTES = 32;
const WORD_BYTES = 32;

const concat = ({ r, s }: RecoverableSignature): Uint8Array => Buffer.concat([r, s]);

/**
 * Loads the binding itself: the entry of the package falls back to `elliptic` without a word, which is not constant-time and has open
 * advisories.
 */
function loadBinding(): typeof nativeSecp256k1 | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as typeof nativeSecp256k1;
  } catch {
    // Loading fails with errors of many kinds: no prebuilt file, one of another C library, none of the module's
    // dependencies.
    return undefined;
  }
}

function toNativeLibrary(binding: typeof nativeSecp256k1): Secp256k1Library {
  // What depends on secret keys is blinded from then on.
  binding.contextRandomize(randomBytes(BLINDING_BYTES));
  return {
    isSecretKey: (secret) => binding.privateKeyVerify(secret),
    toPublicKey: (secret) => binding.publicKeyCreate(secret, false),
    sign: (digest, secret) => {
      const { signature, recid } = binding.ecdsaSign(digest, secret);
      return { r: signature.subarray(0, WORD_BYTES), s: signature.subarray(WORD_BYTES), yParity: recid };
    },
    recover: (digest, signature) => binding.ecdsaRecover(concat(signature), signature.yParity, digest, false),
  };
}

const nobleLibrary: Secp256k1Library = {
  isSecretKey: (secret) => noble.utils.isValidPrivateKey(secret),
  toPublicKey: (secret) => noble.getPublicKey(secret, false),
  sign: (digest, secret) => {
    const signature = noble.sign(digest, secret);
    const bytes = signature.toCompactRawBytes();
    return {
      r: bytes.subarray(0, WORD_BYTES),
      s: bytes.subarray(WORD_BYTES),
      yParity: signature.recovery,
    };
  },
  recover: (digest, signature) =>
    noble.Signature.fromCompact(concat(signature))
      .addRecoveryBit(signature.yParity)
      .recoverPublicKey(digest)
      .toRawBytes(false),
};

const binding = loadBinding();

/** Whether secret keys are used by native code. In JavaScript a signature takes about 20 times as long, and no constant time. */
export const isSecp256k1Native = binding !== undefined;

const secp256k1Library: Secp256k1Library = binding === undefined ? nobleLibrary : toNativeLibrary(binding);

const KEY_BYTES = 32;

/** A secret key of secp256k1. Signatures are deterministic (RFC 6979). */
export class Secp256k1Key {
  /** Without compression: 65 bytes. */
  readonly publicKey: Uint8Array;

  /** @throws RangeError unless it is 32 bytes, above zero and below the order of the curve */
  constructor(private readonly secret: Uint8Array) {
    if (secret.length !== KEY_BYTES || !secp256k1Library.isSecretKey(secret))
      throw new RangeError('not a secret key of secp256k1');
    this.publicKey = secp256k1Library.toPublicKey(secret);
  }

  /**
   * Signs, and recovers the public key from the signature before it is returned: a wrong signature of a deterministic scheme, after a fault
   * of the processor or its memory, may tell the secret key (https://eprint.iacr.org/2017/1014).
   * @param digest 32 bytes
   * @throws Error if the signature is not one of this key
   */
  sign(digest: Uint8Array): RecoverableSignature {
    const signature = secp256k1Library.sign(digest, this.secret);
    if (!Buffer.from(this.publicKey).equals(secp256k1Library.recover(digest, signature)))
      throw new Error('a signature of secp256k1 is not one of its key');
    return signature;
  }
}
