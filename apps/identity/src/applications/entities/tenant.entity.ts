import type { PlanName } from '@app/dto';
import { safeIntegerTransformer } from '@app/database';
import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** The account that has a plan. Requests of all its client applications and keys count on it (contract.md section 3). */
@Entity({ schema: 'identity', name: 'plan_holders' })
@Check('plan_holders_plan_check', `plan IN ('free', 'paid', 'enterprise')`)
@Check(
  'plan_holders_limits_check',
  `(plan = 'enterprise') = (per_second IS NOT NULL) AND (plan = 'enterprise') = (per_month IS NOT NULL)`,
)
@Check('plan_holders_per_second_check', 'per_second BETWEEN 1 AND 9007199254740991')
@Check('plan_holders_per_month_check', 'per_month BETWEEN 1 AND 9007199254740991')
@Check('plan_holders_max_client_applications_check', 'max_client_applications >= 1')
@Check('plan_holders_max_api_keys_check', 'max_api_keys >= 1')
export class Tenant {
  @PrimaryColumn({ name: 'id', type: 'text', primaryKeyConstraintName: 'plan_holders_pkey' })
  id!: string;

  @Column({ name: 'name', type: 'text' })
  name!: string;

  /** The user who owns the plan; null for a tenant created by an operator. */
  @Index('plan_holders_user_id_key', { unique: true })
  @Column({ name: 'user_id', type: 'text', nullable: true })
  userId!: string | null;

  @Column({ name: 'plan', type: 'text' })
  plan!: PlanName;

  /** Set exactly on an enterprise plan. */
  @Column({ name: 'per_second', type: 'bigint', nullable: true, transformer: safeIntegerTransformer })
  perSecond!: number | null;

  @Column({ name: 'per_month', type: 'bigint', nullable: true, transformer: safeIntegerTransformer })
  perMonth!: number | null;

  /** Null for no limit. Used on an enterprise plan only, as are live API keys. */
  @Column({ name: 'max_client_applications', type: 'integer', nullable: true })
  maxClientApplications!: number | null;

  @Column({ name: 'max_api_keys', type: 'integer', nullable: true })
  maxApiKeys!: number | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
