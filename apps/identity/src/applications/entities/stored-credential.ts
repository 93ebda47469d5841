import { Column, CreateDateColumn } from 'typeorm';

/** What is kept of a credential: enough to recognise it and to show which one is meant, never the credential. */
export abstract class StoredCredential {
  abstract id: string;
  abstract clientId: string;

  @Column({ name: 'environment', type: 'text' })
  environment!: string;

  /** HMAC-SHA-256 of the whole text. */
  @Column({ name: 'hash', type: 'bytea' })
  hash!: Buffer;

  /** All before the secret: `gth_live_0123456789Ab`. */
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
