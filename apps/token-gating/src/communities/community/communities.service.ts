import { type Principal, requireSignedInUser } from '@app/auth';
import { conflict } from '@app/common';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CommunityAccessService } from '../access/community-access.service.js';
import type { CommunityRecord } from '../access/community-record.js';
import { isAdministrator } from '../administrators/is-administrator.js';
import { CommunityResponseFactory } from './community-response.factory.js';
import type { Community, CommunityChange, NewCommunity } from './community.dto.js';
import { createCommunity } from './create-community.js';
import { checkOwnedCommunityLimit } from './check-owned-community-limit.js';

const UPDATE = `
  UPDATE token_gating.communities
  SET name = $2, visibility = $3,
    -- links that were given away open what members see, and end with it
    invitation_revision = invitation_revision + (visibility = 'members' AND $3 <> 'members')::int,
    icon_url = $4, server_image = $5, network = $6 WHERE id = $1`;
const TRANSFER_OWNERSHIP = 'UPDATE token_gating.communities SET owner_id = $2 WHERE id = $1';

/** What there is to know and to say of a community itself. */
@Injectable()
export class CommunitiesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly answers: CommunityResponseFactory,
  ) {}

  /** Whoever makes it owns it. @throws AppError 409 when they own as many as one may */
  create(caller: Principal, body: NewCommunity): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const id = await createCommunity(manager, requireSignedInUser(caller).id, body);
      return this.answers.create(await this.access.requireOwner(caller, id, manager), manager);
    });
  }

  async get(caller: Principal, communityId: string): Promise<Community> {
    return this.answers.create(await this.access.requireViewer(caller, communityId));
  }

  update(caller: Principal, communityId: string, change: CommunityChange): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const before = await this.access.requireAdministrator(caller, communityId, manager);
      const { name, visibility, iconURL, serverImage, network } = applyChange(before, change);
      const images = [iconURL ?? null, serverImage ?? null];
      await queryRows(manager, UPDATE, [communityId, name, visibility, ...images, network ?? null]);
      return this.answers.create(await this.access.requireViewer(caller, communityId, manager), manager);
    });
  }

  /** The owner before stays an administrator. @throws AppError 409 when the next one is none, or has no room for it */
  transferOwnership(caller: Principal, communityId: string, userId: string): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const community = await this.access.requireOwner(caller, communityId, manager);
      if (!(await isAdministrator(manager, communityId, userId))) throw newOwnerNotAdministrator();
      if (community.ownerId !== userId) await checkOwnedCommunityLimit(manager, userId);
      await queryRows(manager, TRANSFER_OWNERSHIP, [communityId, userId]);
      return this.answers.create(await this.access.requireViewer(caller, communityId, manager), manager);
    });
  }
}

type EditableFields = Pick<CommunityRecord, 'name' | 'visibility' | 'iconURL' | 'serverImage' | 'network'>;

/** What is left out stays, null takes away. */
function applyChange(before: EditableFields, change: CommunityChange): EditableFields {
  const optional = (field: 'iconURL' | 'serverImage' | 'network') =>
    change[field] === undefined ? before[field] : (change[field] ?? undefined);
  return {
    name: change.name ?? before.name,
    visibility: change.visibility ?? before.visibility,
    iconURL: optional('iconURL'),
    serverImage: optional('serverImage'),
    network: optional('network'),
  };
}

const newOwnerNotAdministrator = () =>
  conflict('new_owner_conflict', 'Only an administrator of the community can become its owner.');
