import type { Scope } from '@app/dto';
import {
  Check,
  Column,
  CreateDateColumn,
  DeleteDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
  UpdateDateColumn,
} from 'typeorm';
import { PlanHolder } from './plan-holder.entity.js';

/** RFC 6749 section 2.1: whether it can keep a secret. */
export type ClientType = 'confidential' | 'public';

@Entity({ schema: 'identity', name: 'client_applications' })
@Check('client_applications_type_check', `type IN ('confidential', 'public')`)
export class ClientApplication {
  @PrimaryColumn({ name: 'id', type: 'text', primaryKeyConstraintName: 'client_applications_pkey' })
  id!: string;

  @Index('client_applications_owner_id_idx')
  @Column({ name: 'owner_id', type: 'text' })
  ownerId!: string;

  @ManyToOne(() => PlanHolder, { nullable: false })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'client_applications_owner_id_fkey' })
  owner!: Relation<PlanHolder>;

  @Column({ name: 'name', type: 'text' })
  name!: string;

  @Column({ name: 'type', type: 'text' })
  type!: ClientType;

  @Column({ name: 'requested_scopes', type: 'text', array: true })
  requestedScopes!: Scope[];

  /** What an operator let it have of what it asked for. */
  @Column({ name: 'approved_scopes', type: 'text', array: true })
  approvedScopes!: Scope[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;

  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz' })
  deletedAt!: Date | null;
}
