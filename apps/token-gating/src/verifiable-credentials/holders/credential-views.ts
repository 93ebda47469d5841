import { decryptAesGcm, deriveKey, encryptAesGcm } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { CredentialRecord } from '../credential-records.queries.js';
import { toVct } from '../credential-types.js';
import { VerifiableCredentialConfig } from '../verifiable-credential.config.js';
import type { CredentialClaims, OwnCredential, PublicCredential } from '../verifiable-credentials.dto.js';

/** Seals the claims of stored credentials, and shows credentials to their users and to others. */
@Injectable()
export class CredentialViews {
  private readonly secret: Buffer;

  constructor(private readonly config: VerifiableCredentialConfig) {
    this.secret = deriveKey(config.CALLBACK_KEY_SECRET, 'claims of verifiable credentials');
  }

  seal(id: string, claims: CredentialClaims): Buffer {
    return encryptAesGcm(this.secret, Buffer.from(JSON.stringify(claims)), id);
  }

  /** Opens sealed claims; empty for claims that were sealed under another secret. */
  open({ id, sealedClaims }: CredentialRecord): CredentialClaims {
    const bytes = decryptAesGcm(this.secret, sealedClaims, id);
    return bytes ? (JSON.parse(bytes.toString()) as CredentialClaims) : {};
  }

  showToOthers(record: CredentialRecord): PublicCredential {
    const { id, type, createdAt, expiresAt } = record;
    return {
      ...{ id, type, vct: toVct(this.config.PUBLIC_URL, type) },
      createdTime: createdAt.toISOString(),
      expiresTime: expiresAt.toISOString(),
      claims: this.open(record),
    };
  }

  showToUser(record: CredentialRecord): OwnCredential {
    const { isPublic, revokedAt, thumbprint } = record;
    return {
      ...this.showToOthers(record),
      public: isPublic,
      status: revokedAt ? 'revoked' : 'valid',
      thumbprint,
    };
  }
}
