import { MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { MAX_SWEEP_ROWS } from '../../database/sweep.config.js';
import { AssetClaimConfig } from './asset-claim.config.js';
import { type AssetClaim, deleteExpiredClaims } from './asset-claims.queries.js';
import { type ClaimFormat, ClaimKeyRing } from './claim-key-ring.js';

const SWEEP_INTERVAL_MS = MINUTE_MS;

@Injectable()
export class ExpiredClaimsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    const sweep = async () => (await deleteExpiredClaims(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
    super(context, [{ name: 'delete expired asset claims', sweep }], SWEEP_INTERVAL_MS);
  }
}

/** Access tokens have another type (RFC 8725 section 3.11). */
const TYPE = 'asset-claim+jwt';
const SIGNED_PARTS = 3;

/** Issues and verifies the tokens of asset claims (docs/adr/0035). */
@Injectable()
export class ClaimTokenService {
  private readonly identity: { readonly issuer: string; readonly audience: string };

  constructor(
    private readonly keys: ClaimKeyRing,
    { PUBLIC_URL }: AssetClaimConfig,
  ) {
    this.identity = { issuer: PUBLIC_URL, audience: `${PUBLIC_URL}/asset-verification` };
  }

  /** @throws AppError 503 before keys are loaded */
  issue(format: ClaimFormat, claim: Omit<AssetClaim, 'signature'>): Promise<string> {
    const { id, createdAt, expiresAt, wallet: _wallet, ...fields } = claim;
    const { issuer, audience } = this.identity;
    const payload: JWTPayload = {
      ...fields,
      iss: issuer,
      aud: audience,
      jti: id,
      iat: toSeconds(createdAt),
      exp: toSeconds(expiresAt),
    };
    if (format === 'jwt') {
      const { kid, privateKey } = this.keys.getIssuingKey('jwt');
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: TYPE, kid }).sign(privateKey);
    }
    const { kid, secret } = this.keys.getIssuingKey('ae');
    const header = { alg: 'dir', enc: 'A256GCM', typ: TYPE, kid };
    return new EncryptJWT(payload).setProtectedHeader(header).encrypt(secret);
  }

  /** The id of the claim; undefined for an invalid or expired token. @throws AppError 503 before keys are loaded */
  async findClaimId(token: string): Promise<string | undefined> {
    const checks = { ...this.identity, typ: TYPE };
    try {
      const { payload } =
        token.split('.').length === SIGNED_PARTS
          ? await jwtVerify(token, ({ kid }) => this.getVerifyingKey(kid), {
              ...checks,
              algorithms: ['ES256'],
            })
          : await jwtDecrypt(token, ({ kid }) => this.getSecret(kid), {
              ...checks,
              keyManagementAlgorithms: ['dir'],
              contentEncryptionAlgorithms: ['A256GCM'],
            });
      return payload.jti;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  private getVerifyingKey(kid: string | undefined) {
    const key = this.keys.find(kid);
    if (key?.use !== 'jwt') throw new errors.JWKSNoMatchingKey();
    return key.publicJwk;
  }

  private getSecret(kid: string | undefined): Buffer {
    const key = this.keys.find(kid);
    if (key?.use !== 'ae') throw new errors.JWKSNoMatchingKey();
    return key.secret;
  }
}

/** The signature, or the authentication tag: the last part of either format. */
export const getSignature = (token: string): string => token.slice(token.lastIndexOf('.') + 1);

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
