import { createHash, createHmac, createPublicKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { badRequest, deriveKey, MINUTE_SECONDS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { errors, jwtVerify } from 'jose';
import { VerifiableCredentialConfig } from '../verifiable-credential.config.js';
import type { HolderKey } from '../verifiable-credentials.dto.js';

const NONCE_LIFETIME_SECONDS = 5 * MINUTE_SECONDS;
/** The `typ` of OpenID4VCI, so that wallets make the proof as they do elsewhere. */
const PROOF_TYPE = 'openid4vci-proof+jwt';
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const CLOCK_TOLERANCE_SECONDS = 60;

/** A nonce that a proof has used, to be stored when the credential is. */
export interface ProvenKey {
  /** RFC 7638. */
  readonly thumbprint: string;
  readonly nonce: string;
  readonly nonceExpiresAt: Date;
}

/** Proofs that a user's wallet application has the key to which a credential is bound. */
@Injectable()
export class KeyProofService {
  private readonly secret: Buffer;
  private readonly issuer: string;

  constructor({ CALLBACK_KEY_SECRET, PUBLIC_URL }: VerifiableCredentialConfig) {
    this.secret = deriveKey(CALLBACK_KEY_SECRET, 'nonces of verifiable credentials');
    this.issuer = PUBLIC_URL;
  }

  /** A nonce for one proof of this user. Only used ones are stored. */
  createNonce(userId: string): { nonce: string; expiresAt: Date } {
    const expiresAt = new Date(Date.now() + NONCE_LIFETIME_SECONDS * 1_000);
    const content = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
    content.writeUIntBE(expiresAt.getTime(), 0, TIME_BYTES);
    randomBytes(RANDOM_BYTES).copy(content, TIME_BYTES);
    return { nonce: Buffer.concat([content, this.sign(content, userId)]).toString('base64url'), expiresAt };
  }

  /** @throws AppError 400 that names the field */
  async verify(userId: string, jwk: HolderKey, proof: string): Promise<ProvenKey> {
    const key = parseKey(jwk);
    const options = {
      algorithms: ['ES256'],
      typ: PROOF_TYPE,
      audience: this.issuer,
      maxTokenAge: NONCE_LIFETIME_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    };
    const { payload } = await jwtVerify(proof, key, options).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) throw invalidProof(error.message);
      throw error;
    });
    const { nonce } = payload;
    const nonceExpiresAt = typeof nonce === 'string' ? this.findExpiry(nonce, userId) : undefined;
    if (typeof nonce !== 'string' || !nonceExpiresAt) throw invalidNonce();
    return { thumbprint: toThumbprint(jwk), nonce, nonceExpiresAt };
  }

  /** Undefined for a nonce of another user, an altered one and one that has expired. */
  private findExpiry(nonce: string, userId: string): Date | undefined {
    const bytes = Buffer.from(nonce, 'base64url');
    // Another spelling of the same bytes would be another nonce.
    if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES || bytes.toString('base64url') !== nonce)
      return undefined;
    const content = bytes.subarray(0, -MAC_BYTES);
    if (!timingSafeEqual(bytes.subarray(-MAC_BYTES), this.sign(content, userId))) return undefined;
    const expiresAt = content.readUIntBE(0, TIME_BYTES);
    return expiresAt > Date.now() ? new Date(expiresAt) : undefined;
  }

  private sign(content: Buffer, userId: string): Buffer {
    return createHmac('sha256', this.secret).update(content).update(userId).digest();
  }
}

const toThumbprint = ({ x, y }: HolderKey): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');

function parseKey(jwk: HolderKey) {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    const message = 'must be a point of P-256';
    throw badRequest('input_invalid', `jwk: ${message}`, { issues: [{ path: 'jwk', message }] });
  }
}

const invalidProof = (reason: string) => {
  const message = `is not a proof of this key: ${reason}`;
  return badRequest('proof_invalid', `proof: ${message}`, { issues: [{ path: 'proof', message }] });
};

/** The error for all invalid nonces, so that it reveals nothing. */
export const invalidNonce = () =>
  invalidProof('its nonce is not one that was created for you in the last five minutes, or was used already');
