import { safeIntegerTransformer } from '@app/database';
import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Actor } from './actor.js';
import type { AuditAction } from './audit-action.js';

/** Who did what to what, and when. Rows are written by `recordAudit` alone, and never changed. */
@Entity({ schema: 'identity', name: 'audit_records' })
@Index('audit_records_target_id_idx', ['target', 'id'])
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

  /** The user's id; nobody is known by name on the command line. */
  @Column({ name: 'actor_id', type: 'text', nullable: true })
  actorId!: string | null;

  @Column({ name: 'action', type: 'text' })
  action!: AuditAction;

  /** The id of the client application or the plan holder. */
  @Column({ name: 'target', type: 'text' })
  target!: string;

  /** What more there is to know, without secrets. */
  @Column({ name: 'details', type: 'jsonb' })
  details!: Record<string, unknown>;
}
