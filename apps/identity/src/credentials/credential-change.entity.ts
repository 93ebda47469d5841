import { safeInteger } from '@app/database';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A client application whose credentials are not what they were. Rows are written by `recordChanges` alone. */
@Entity({ schema: 'identity', name: 'credential_changes' })
export class CredentialChange {
  @PrimaryColumn({
    name: 'seq',
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'credential_changes_pkey',
    transformer: safeInteger,
  })
  seq!: number;

  @Column({ name: 'client_id', type: 'text' })
  clientId!: string;

  @CreateDateColumn({ name: 'at', type: 'timestamptz' })
  at!: Date;
}
