import { notFound, serviceUnavailable } from '@app/common';
import {
  type CommunitySuspensionResponse,
  communitySuspensionRequest,
  type SupervisedCommunity,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { TokenGatingClient } from '../clients/token-gating-client.js';
import type { Actor } from '../applications/audit/audit-action.js';
import type { AuditEntry } from '../applications/audit/audit-records.queries.js';
import { OperatorActionsService } from './operator-actions.service.js';

const RETRY_AFTER_SECONDS = 5;

const communityNotFound = () => notFound('community_not_found', 'No community has this id.');

const communitiesUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'communities_unavailable',
    'Communities cannot be looked up at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS },
    { cause },
  );

/**
 * Suspends and resumes communities for operators: token-gating knows the communities, the audit log is here. The record is written
 * before the change, so that every change is in the log.
 */
@Injectable()
export class CommunitySuspensionsService {
  constructor(
    private readonly actions: OperatorActionsService,
    private readonly tokenGating: TokenGatingClient,
  ) {}

  /** The newest 100. @throws AppError 503 */
  async list(actor: Actor): Promise<SupervisedCommunity[]> {
    await this.actions.recordAs(actor, { action: 'suspensions.listed', target: 'suspensions' });
    return (await orUnavailable(this.tokenGating.listSuspendedCommunities())).communities;
  }

  /** @throws AppError 404 or 503 */
  async view(actor: Actor, communityId: string): Promise<SupervisedCommunity> {
    const community = await this.find(communityId);
    await this.actions.recordAs(actor, { action: 'community.viewed', target: communityId });
    return community;
  }

  /** Replaces the reason where the community is suspended already. @throws AppError 404 or 503 */
  suspend(actor: Actor, communityId: string, reason: string): Promise<SupervisedCommunity> {
    const entry = { action: 'community.suspended', target: communityId, details: { reason } } as const;
    return this.change(actor, entry, () => this.tokenGating.suspendCommunity({ communityId, reason }));
  }

  /** Does nothing where the community is active. @throws AppError 404 or 503 */
  resume(actor: Actor, communityId: string): Promise<SupervisedCommunity> {
    const entry = { action: 'community.resumed', target: communityId } as const;
    return this.change(actor, entry, () => this.tokenGating.resumeCommunity({ communityId }));
  }

  private async change(
    actor: Actor,
    entry: AuditEntry,
    apply: () => Promise<CommunitySuspensionResponse>,
  ): Promise<SupervisedCommunity> {
    await this.find(entry.target);
    await this.actions.recordAs(actor, entry);
    const { community } = await orUnavailable(apply());
    if (!community) throw communityNotFound();
    return community;
  }

  private async find(communityId: string): Promise<SupervisedCommunity> {
    const request = communitySuspensionRequest.safeParse({ communityId });
    // Token-gating would refuse what cannot be an id, which is no outage.
    if (!request.success) throw communityNotFound();
    const { community } = await orUnavailable(this.tokenGating.findSupervisedCommunity(request.data));
    if (!community) throw communityNotFound();
    return community;
  }
}

async function orUnavailable<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    throw communitiesUnavailable(error);
  }
}
