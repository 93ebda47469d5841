import type { Scope } from '@app/dto';
import { Check, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Column, type Relation } from 'typeorm';
import { ClientApplication } from './client-application.entity.js';
import { StoredCredential } from './stored-credential.js';

@Entity({ schema: 'identity', name: 'api_keys' })
@Check('api_keys_hash_check', 'octet_length(hash) = 32')
@Index('api_keys_hash_key', ['hash'], { unique: true })
@Index('api_keys_client_id_idx', ['clientId'])
export class ApiKey extends StoredCredential {
  /** The public part of the key's text. */
  @PrimaryColumn({ name: 'id', type: 'text', primaryKeyConstraintName: 'api_keys_pkey' })
  override id!: string;

  @Column({ name: 'client_id', type: 'text' })
  override clientId!: string;

  @ManyToOne(() => ClientApplication, { nullable: false })
  @JoinColumn({ name: 'client_id', foreignKeyConstraintName: 'api_keys_client_id_fkey' })
  client!: Relation<ClientApplication>;

  /** The key's successor after a rotation. Both count as one against the plan's limit. */
  @Column({ name: 'replaced_by', type: 'text', nullable: true })
  replacedBy!: string | null;

  /** The owner's name for the key. */
  @Column({ name: 'name', type: 'text', nullable: true })
  name!: string | null;

  /** The key has those of them that the application has, too; null for all scopes of the application. */
  @Column({ name: 'scopes', type: 'text', array: true, nullable: true })
  scopes!: Scope[] | null;

  /** From the creation to the planned end. A key without one has an end only after a rotation or a revocation with a delay. */
  @Column({ name: 'lifetime_seconds', type: 'integer', nullable: true })
  lifetimeSeconds!: number | null;

  /** The beginning of the hour in which a gateway saw the key last. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;
}

/** What the owner of a key chooses. */
export interface KeyTerms {
  readonly name: string | null;
  /** Null for all scopes of the application. */
  readonly scopes: Scope[] | null;
  /** The planned end; null for none. */
  readonly expiresAt: Date | null;
}

/** A key with all scopes of its application, without a name and an end, as every key was before these existed. */
export const UNLIMITED_KEY: KeyTerms = { name: null, scopes: null, expiresAt: null };

/** Whether the key was replaced, or revoked with a delay: it ends for another reason than its planned end. */
export const isEnding = ({
  expiresAt,
  lifetimeSeconds,
  replacedBy,
}: Pick<ApiKey, 'expiresAt' | 'lifetimeSeconds' | 'replacedBy'>): boolean =>
  replacedBy !== null || (expiresAt !== null && lifetimeSeconds === null);
