import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SessionNotice } from './session-notice.js';

@Entity({ schema: 'identity', name: 'browser_sessions' })
@Check('browser_sessions_id_hash_check', 'octet_length(id_hash) = 32')
export class BrowserSession {
  /** SHA-256 of the session id, so that a leaked table contains no usable cookies. */
  @PrimaryColumn({ name: 'id_hash', type: 'bytea', primaryKeyConstraintName: 'browser_sessions_pkey' })
  idHash!: Buffer;

  @Column({ name: 'user_id', type: 'text' })
  userId!: string;

  /** The wallet that signed in, CAIP-10; null for a login with a passkey. */
  @Column({ name: 'account', type: 'text', nullable: true })
  account!: string | null;

  /** How the user signed in (RFC 8176); null for a session of an earlier release, by wallet. */
  @Column({ name: 'amr', type: 'text', array: true, nullable: true })
  amr!: string[] | null;

  /** The passkey that signed in. The session ends with it. */
  @Index('browser_sessions_passkey_id_idx', { where: '(passkey_id IS NOT NULL)' })
  @Column({ name: 'passkey_id', type: 'text', nullable: true })
  passkeyId!: string | null;

  @Column({ name: 'signed_in_at', type: 'timestamptz' })
  signedInAt!: Date;

  /** The authorization request that required the login; null for a login without one. */
  @Column({ name: 'signed_in_for', type: 'text', nullable: true })
  signedInFor!: string | null;

  @Column({ name: 'seen_at', type: 'timestamptz' })
  seenAt!: Date;

  /** Absolute timeout. The idle timeout follows from `seen_at`. */
  @Index('browser_sessions_expires_at_idx')
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt!: Date;

  /** What the next page says about the form that the browser has sent. */
  @Column({ name: 'notice', type: 'jsonb', nullable: true })
  notice!: SessionNotice | null;

  @Column({ name: 'notice_expires_at', type: 'timestamptz', nullable: true })
  noticeExpiresAt!: Date | null;
}
