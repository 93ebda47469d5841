import { Check, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Column, type Relation } from 'typeorm';
import { ClientApplication } from './client-application.entity.js';
import { StoredCredential } from './stored-credential.js';

@Entity({ schema: 'identity', name: 'client_secrets' })
@Check('client_secrets_hash_check', 'octet_length(hash) = 32')
@Index('client_secrets_hash_key', ['hash'], { unique: true })
@Index('client_secrets_client_id_idx', ['clientId'])
export class ClientSecret extends StoredCredential {
  /** The public part of the secret's text. */
  @PrimaryColumn({ name: 'id', type: 'text', primaryKeyConstraintName: 'client_secrets_pkey' })
  override id!: string;

  @Column({ name: 'client_id', type: 'text' })
  override clientId!: string;

  @ManyToOne(() => ClientApplication, { nullable: false })
  @JoinColumn({ name: 'client_id', foreignKeyConstraintName: 'client_secrets_client_id_fkey' })
  client!: Relation<ClientApplication>;
}
