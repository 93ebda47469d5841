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
}
