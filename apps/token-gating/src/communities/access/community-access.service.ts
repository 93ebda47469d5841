import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { findViewedCommunity, lockCommunity } from './communities.queries.js';
import { administratorsOnly, communityNotFound, communitySuspended, ownerOnly } from './community.errors.js';
import type { ViewedCommunity } from './community-record.js';
import { canManage, canView, toViewer } from './membership.js';

/**
 * Decides who may see and change a community. With the manager of a transaction, every method locks the community first,
 * so that its decision holds until the transaction ends, and refuses changes of a suspended community (403).
 */
@Injectable()
export class CommunityAccessService {
  constructor(private readonly database: Database) {}

  /** Loads the community and what the principal is to it, also where the principal may not see it or it is suspended. */
  async find(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity | undefined> {
    // A statement of its own: at read committed, only a later statement sees what was committed before the lock.
    if (manager) await lockCommunity(manager, communityId);
    return findViewedCommunity(manager ?? this.database, toViewer(principal), communityId);
  }

  /** @throws AppError 404 where the principal may not see the community, as for one that does not exist */
  async requireViewer(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.find(principal, communityId, manager);
    if (!community || !canView(community, community)) throw communityNotFound();
    if (manager && community.isSuspended) throw communitySuspended();
    return community;
  }

  /** Requires a community that the principal may see and that is not suspended. @throws AppError 404 or 403 for others */
  async requireActive(principal: Principal, communityId: string): Promise<ViewedCommunity> {
    const community = await this.requireViewer(principal, communityId);
    if (community.isSuspended) throw communitySuspended();
    return community;
  }

  /** Requires the owner, also of a suspended community, for its deletion. @throws AppError 404 or 403 for others */
  async requireDeleter(principal: Principal, communityId: string, manager?: EntityManager): Promise<void> {
    const community = await this.find(principal, communityId, manager);
    if (!community || !canView(community, community)) throw communityNotFound();
    if (!community.isOwner) throw ownerOnly();
  }

  /** Requires an administrator or an attached client application. @throws AppError 404 for others */
  async requireManager(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.requireViewer(principal, communityId, manager);
    if (!canManage(community)) throw communityNotFound();
    return community;
  }

  /** @throws AppError 404 where the principal may not see the community, 403 where they are no administrator */
  async requireAdministrator(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.requireViewer(principal, communityId, manager);
    if (!community.isAdministrator) throw administratorsOnly();
    return community;
  }

  /** @throws AppError 404 where the principal may not see the community, 403 where they are not the owner */
  async requireOwner(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.requireViewer(principal, communityId, manager);
    if (!community.isOwner) throw ownerOnly();
    return community;
  }
}
