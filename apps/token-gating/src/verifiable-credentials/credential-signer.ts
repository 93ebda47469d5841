import { createHash, randomBytes, sign } from 'node:crypto';
import { SDJwtInstance } from '@sd-jwt/core';
import { Injectable } from '@nestjs/common';
import type { Disclosable } from './credential-types.js';
import { type CredentialKey, CredentialKeyRing } from './credential-key-ring.js';

/** `typ` of the header of SD-JWT VC. */
export const CREDENTIAL_TYP = 'dc+sd-jwt';
/** 128 bits, as RFC 9901 recommends. */
const SALT_BYTES = 16;

type Claims = Record<string, unknown>;

class CredentialInstance extends SDJwtInstance<Claims> {
  protected override type = CREDENTIAL_TYP;
}

export const hashSha256 = (data: string | ArrayBuffer): Uint8Array =>
  createHash('sha256')
    .update(typeof data === 'string' ? data : Buffer.from(data))
    .digest();

/** Signs credentials as SD-JWT (RFC 9901). */
@Injectable()
export class CredentialSigner {
  constructor(private readonly keys: CredentialKeyRing) {}

  /** @throws AppError 503 before keys are loaded */
  getKey(): CredentialKey {
    return this.keys.getSigningKey();
  }

  async sign(
    { kid, privateKey }: CredentialKey,
    claims: Claims,
    { claims: names, lists }: Disclosable,
  ): Promise<string> {
    const instance = new CredentialInstance({
      signAlg: 'ES256',
      signer: (data) =>
        sign('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString(
          'base64url',
        ),
      hashAlg: 'sha-256',
      hasher: hashSha256,
      saltGenerator: () => randomBytes(SALT_BYTES).toString('base64url'),
    });
    const ofLists = lists.map((list) => {
      const elements = claims[list];
      return [list, { _sd: Array.isArray(elements) ? elements.map((_, index) => index) : [] }];
    });
    const frame = { _sd: [...names], ...(Object.fromEntries(ofLists) as Claims) };
    return instance.issue(claims, frame as never, { header: { kid } });
  }
}
