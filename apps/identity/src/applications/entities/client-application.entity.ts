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
import type { ReviewedValues } from '../reviewed-values.js';
import { Tenant } from './tenant.entity.js';

/** RFC 6749 section 2.1. A public client cannot keep a secret. */
export type ClientType = 'confidential' | 'public';

/** An operator's decision about the scopes that need approval; other scopes work in every state. */
export type ClientStatus = 'pending' | 'approved' | 'rejected';

export type IdTokenAlg = 'RS256' | 'ES256';

export type TokenResponseFormat = 'form' | 'json';

@Entity({ schema: 'identity', name: 'client_applications' })
@Check('client_applications_type_check', `type IN ('confidential', 'public')`)
@Check('client_applications_id_token_alg_check', `id_token_alg IN ('RS256', 'ES256')`)
@Check('client_applications_token_response_check', `token_response IN ('form', 'json')`)
@Check('client_applications_status_check', `status IN ('pending', 'approved', 'rejected')`)
@Index('client_applications_waiting_idx', ['updatedAt', 'id'], {
  where: `status = 'pending' AND deleted_at IS NULL`,
})
export class ClientApplication {
  @PrimaryColumn({ name: 'id', type: 'text', primaryKeyConstraintName: 'client_applications_pkey' })
  id!: string;

  @Index('client_applications_owner_id_idx')
  @Column({ name: 'owner_id', type: 'text' })
  ownerId!: string;

  @ManyToOne(() => Tenant, { nullable: false })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'client_applications_owner_id_fkey' })
  owner!: Relation<Tenant>;

  @Column({ name: 'name', type: 'text' })
  name!: string;

  @Column({ name: 'type', type: 'text' })
  type!: ClientType;

  @Column({ name: 'requested_scopes', type: 'text', array: true })
  requestedScopes!: Scope[];

  /** The requested scopes that an operator approved or that need no approval. */
  @Column({ name: 'approved_scopes', type: 'text', array: true })
  approvedScopes!: Scope[];

  /** Redirect URIs as registered, byte for byte. Requests are compared after parsing (see redirect-uri.ts). */
  @Column({ name: 'redirect_uris', type: 'text', array: true, default: [] })
  redirectUris!: string[];

  /** URIs to which a browser may return after a logout that the application began, compared byte for byte. */
  @Column({ name: 'post_logout_redirect_uris', type: 'text', array: true, default: [] })
  postLogoutRedirectUris!: string[];

  /** Origins that may use Sign-in with Ethereum; the origins of the redirect URIs when empty (get-sign-in-origins.ts). */
  @Column({ name: 'origins', type: 'text', array: true, default: [] })
  origins!: string[];

  @Column({ name: 'icon_url', type: 'text', nullable: true })
  iconUrl!: string | null;

  /** Allows the implicit flow (`response_type=token`). */
  @Column({ name: 'implicit', type: 'boolean', default: false })
  implicit!: boolean;

  @Column({ name: 'id_token_alg', type: 'text', default: 'RS256' })
  idTokenAlg!: IdTokenAlg;

  /** How the token endpoint answers an OpenID Connect request whose `Accept` names no format. */
  @Column({ name: 'token_response', type: 'text', default: 'json' })
  tokenResponse!: TokenResponseFormat;

  @Column({ name: 'status', type: 'text', default: 'approved' })
  status!: ClientStatus;

  @Column({ name: 'rejection_reason', type: 'text', nullable: true })
  rejectionReason!: string | null;

  /** Increases with every change by the owner, so that an operator's decision applies to the reviewed revision only. */
  @Column({ name: 'revision', type: 'integer', default: 1 })
  revision!: number;

  /** The revision whose name, icon and addresses an operator approved; null, or an older one, if no operator has. */
  @Column({ name: 'reviewed_revision', type: 'integer', nullable: true })
  reviewedRevision!: number | null;

  /** The owner's values that wait for approval; the columns of their names keep the approved ones. Null if none waits. */
  @Column({ name: 'waiting_values', type: 'jsonb', nullable: true })
  waitingValues!: ReviewedValues | null;

  /** Since when the application waits for an operator; null while it does not, and where an earlier release stored it. */
  @Column({ name: 'waiting_since', type: 'timestamptz', nullable: true })
  waitingSince!: Date | null;

  /** The owner's last message to the operators. */
  @Column({ name: 'owner_message', type: 'text', nullable: true })
  ownerMessage!: string | null;

  @Column({ name: 'owner_message_at', type: 'timestamptz', nullable: true })
  ownerMessageAt!: Date | null;

  /** The operators' last message to the owner, beside the reason of a rejection. */
  @Column({ name: 'operator_message', type: 'text', nullable: true })
  operatorMessage!: string | null;

  @Column({ name: 'operator_message_at', type: 'timestamptz', nullable: true })
  operatorMessageAt!: Date | null;

  /** The time of an operator's decision until the owner has dismissed the notice of it. */
  @Column({ name: 'decision_notice_at', type: 'timestamptz', nullable: true })
  decisionNoticeAt!: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;

  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz' })
  deletedAt!: Date | null;
}
