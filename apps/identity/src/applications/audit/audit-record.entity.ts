import { safeIntegerTransformer } from '@app/database';
import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Actor, AuditAction } from './audit-action.js';

/** An audited action. Only recordAudit writes rows; they never change, except that an erasure removes the usernames that the user was given. */
@Entity({ schema: 'identity', name: 'audit_records' })
@Index('audit_records_target_id_idx', ['target', 'id'])
@Index('audit_records_actor_id_idx', ['actorId', 'id'])
@Check(
  'audit_records_actor_check',
  `actor_kind IN ('user', 'operator', 'command') AND (actor_kind = 'command') = (actor_id IS NULL)`,
)
export class AuditRecord {
  @PrimaryColumn({
    name: 'id',
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'audit_records_pkey',
    transformer: safeIntegerTransformer,
  })
  id!: number;

  @CreateDateColumn({ name: 'at', type: 'timestamptz' })
  at!: Date;

  @Column({ name: 'actor_kind', type: 'text' })
  actorKind!: Actor['kind'];

  /** The user's id; null on the command line, which has no user. */
  @Column({ name: 'actor_id', type: 'text', nullable: true })
  actorId!: string | null;

  @Column({ name: 'action', type: 'text' })
  action!: AuditAction;

  /** The id of a client application or a tenant, or the name of a list. */
  @Column({ name: 'target', type: 'text' })
  target!: string;

  /** Never contains secrets. */
  @Column({ name: 'details', type: 'jsonb' })
  details!: Record<string, unknown>;
}
