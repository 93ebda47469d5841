import { Column, CreateDateColumn } from 'typeorm';

/** A stored API key or client secret: its hash, and a hint that identifies it to its owner. */
export abstract class StoredCredential {
  abstract id: string;
  abstract clientId: string;

  @Column({ name: 'environment', type: 'text' })
  environment!: string;

  /** HMAC-SHA-256 of the whole credential. */
  @Column({ name: 'hash', type: 'bytea' })
  hash!: Buffer;

  /** Everything before the secret part, such as `gth_live_0123456789Ab`. */
  @Column({ name: 'prefix', type: 'text' })
  prefix!: string;

  @Column({ name: 'last_four', type: 'text' })
  lastFour!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;
}

/** Identifies a credential without revealing it, such as `gth_live_0123456789Ab…wxyz`. */
export const formatCredentialHint = ({ prefix, lastFour }: StoredCredential): string =>
  `${prefix}…${lastFour}`;

/** SQL condition for a credential that is neither revoked nor expired. @param alias a lower-case table alias */
export const isActiveCredentialSql = (alias: string): string =>
  `${alias}.revoked_at IS NULL AND (${alias}.expires_at IS NULL OR ${alias}.expires_at > now())`;
