import { safeIntegerTransformer } from '@app/database';
import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A changed client application or a revoked token. Only recordCredentialChanges writes rows. */
@Entity({ schema: 'identity', name: 'credential_changes' })
@Check('credential_changes_subject_check', 'num_nonnulls(client_id, token_id) = 1')
export class CredentialChange {
  @PrimaryColumn({
    name: 'seq',
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'credential_changes_pkey',
    transformer: safeIntegerTransformer,
  })
  seq!: number;

  @Column({ name: 'client_id', type: 'text', nullable: true })
  clientId!: string | null;

  /** `jti` or nonce. */
  @Column({ name: 'token_id', type: 'text', nullable: true })
  tokenId!: string | null;

  @CreateDateColumn({ name: 'at', type: 'timestamptz' })
  at!: Date;
}
