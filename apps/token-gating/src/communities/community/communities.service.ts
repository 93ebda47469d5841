import { type Principal, requireSignedInUser } from '@app/auth';
import { conflict, createPrefixedId } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  countOwnedCommunities,
  type EditableFields,
  insertCommunity,
  lockOwner,
  updateCommunity,
  updateOwner,
  listPublicCommunities,
} from '../access/communities.queries.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import type { CommunitySummary } from '../access/community-record.js';
import { insertAdministrator, isAdministrator } from '../administrators/community-administrators.queries.js';
import { AttachedClientPlansService } from '../client-applications/attached-client-plans.service.js';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent } from '../events/create-community-event.js';
import { lockAssignmentsExclusive } from '../roles/role-assignments.queries.js';
import { NewCommunitiesService } from '../without-application/new-communities.service.js';
import { checkOwnedWithoutApplication } from '../without-application/check-owned.js';
import { CommunityResponseFactory } from './community-response.factory.js';
import { type Community, countFittingCommunities } from './community.dto.js';
import { deleteCommunity } from './deleted-communities.queries.js';
import type { CommunityChange, NewCommunity, PageQuery } from '@app/dto';
import { type Page, PaginationService } from '@app/service';
import { toViewer } from '../access/membership.js';

@Injectable()
export class DeleteCommunityService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly events: CommunityEventPublisher,
  ) {}

  /** Deletes the community at once; PurgeSweeper purges its members and role assignments later. */
  async delete(principal: Principal, communityId: string): Promise<void> {
    await this.access.requireDeleter(principal, communityId);
    await this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      await this.access.requireDeleter(principal, communityId, manager);
      const at = await deleteCommunity(manager, communityId);
      await this.events.publish(manager, [
        createCommunityEvent({ type: 'community.deleted', at, communityId }),
      ]);
    });
  }
}

/** Communities that one user may own. */
export const MAX_OWNED_COMMUNITIES = 100;

/** Call it in the transaction that gives the user one more community. @throws AppError 409 at the limit */
async function checkOwnedCommunityLimit(manager: EntityManager, userId: string): Promise<void> {
  await lockOwner(manager, userId);
  if ((await countOwnedCommunities(manager, userId)) >= MAX_OWNED_COMMUNITIES)
    throw conflict('community_limit_exceeded', `A user owns at most ${MAX_OWNED_COMMUNITIES} communities.`);
}

/** Call it in the transaction that gives the user this community. @throws AppError 409 at the limits */
export async function checkCanOwn(
  manager: EntityManager,
  { isWithoutApplication }: Pick<CommunitySummary, 'isWithoutApplication'>,
  userId: string,
): Promise<void> {
  await checkOwnedCommunityLimit(manager, userId);
  if (isWithoutApplication) await checkOwnedWithoutApplication(manager, userId);
}

/** Creates, reads and changes communities, and transfers their ownership. */
@Injectable()
export class CommunitiesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly responses: CommunityResponseFactory,
    private readonly clientPlans: AttachedClientPlansService,
    private readonly newCommunities: NewCommunitiesService,
  ) {}

  /** Makes the signed-in user the owner. @throws AppError 409 at the limits of owned communities, 429 at that of new ones of a tenant, 503 while identity is unavailable */
  async create(principal: Principal, body: NewCommunity): Promise<Community> {
    const { id: ownerId } = requireSignedInUser(principal);
    const isWithoutApplication = await this.clientPlans.createsWithoutApplication(principal);
    return this.database.transaction(async (manager) => {
      await checkOwnedCommunityLimit(manager, ownerId);
      if (isWithoutApplication) {
        await checkOwnedWithoutApplication(manager, ownerId);
        const client = principal.kind === 'caller' ? principal.client : undefined;
        if (client) await this.newCommunities.countOfTenant(manager, client.ownerId);
      }
      const id = createPrefixedId('community');
      await insertCommunity(manager, id, { ownerId, isWithoutApplication }, body);
      await insertAdministrator(manager, id, ownerId);
      return this.responses.create(await this.access.requireOwner(principal, id, manager), manager);
    });
  }

  async get(principal: Principal, communityId: string): Promise<Community> {
    return this.responses.create(await this.access.requireViewer(principal, communityId));
  }

  update(principal: Principal, communityId: string, change: CommunityChange): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const community = await this.access.requireAdministrator(principal, communityId, manager);
      await updateCommunity(manager, communityId, applyChange(community, change));
      const changed = await this.access.requireViewer(principal, communityId, manager);
      return this.responses.create(changed, manager);
    });
  }

  /**
   * Makes an administrator the owner; the former owner stays an administrator.
   * @throws AppError 409 where the new owner is not an administrator or owns too many communities
   */
  transferOwnership(principal: Principal, communityId: string, userId: string): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const community = await this.access.requireOwner(principal, communityId, manager);
      if (!(await isAdministrator(manager, communityId, userId))) throw newOwnerNotAdministrator();
      if (community.ownerId !== userId) await checkCanOwn(manager, community, userId);
      await updateOwner(manager, communityId, userId);
      const changed = await this.access.requireViewer(principal, communityId, manager);
      return this.responses.create(changed, manager);
    });
  }
}

/** Undefined fields stay, null removes. */
function applyChange(community: EditableFields, change: CommunityChange): EditableFields {
  const applyOptional = (field: 'iconURL' | 'serverImage' | 'network') =>
    change[field] === undefined ? community[field] : (change[field] ?? undefined);
  return {
    name: change.name ?? community.name,
    visibility: change.visibility ?? community.visibility,
    iconURL: applyOptional('iconURL'),
    serverImage: applyOptional('serverImage'),
    network: applyOptional('network'),
  };
}

export const newOwnerNotAdministrator = () =>
  conflict('new_owner_conflict', 'The new owner must be an administrator: add the user as one first.');

/** Lists public communities, oldest first. */
@Injectable()
export class PublicCommunityListService {
  constructor(
    private readonly database: Database,
    private readonly pages: PaginationService,
    private readonly responses: CommunityResponseFactory,
  ) {}

  async list(principal: Principal, query: PageQuery): Promise<Page<Community>> {
    const page = await this.pages.paginate({
      list: 'communities',
      principal,
      query,
      load: (cursor) => listPublicCommunities(this.database, toViewer(principal), cursor),
      toSortKey: ({ sortTime, id }) => [sortTime, id],
      countFittingRows: countFittingCommunities,
    });
    return { ...page, items: await this.responses.createMany(page.items) };
  }
}
