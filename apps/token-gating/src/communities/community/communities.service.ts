import { type Principal, signedInUser } from '@app/auth';
import { conflict } from '@app/common';
import { Database, rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CommunityAccess } from '../access/community-access.js';
import type { CommunityRecord } from '../access/community-record.js';
import { isAdministrator } from '../administrators/is-administrator.js';
import { CommunityAnswers } from './community-answers.js';
import type { Community, CommunityChange, NewCommunity } from './community.dto.js';
import { createCommunity } from './create-community.js';
import { checkRoomForOwned } from './owned-communities.js';

const CHANGE = `
  UPDATE token_gating.communities
  SET name = $2, visibility = $3,
    -- links that were given away open what members see, and end with it
    invitation_revision = invitation_revision + (visibility = 'members' AND $3 <> 'members')::int,
    icon_url = $4, server_image = $5, network = $6 WHERE id = $1`;
const GIVE_AWAY = 'UPDATE token_gating.communities SET owner_id = $2 WHERE id = $1';

/** What there is to know and to say of a community itself. */
@Injectable()
export class CommunitiesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccess,
    private readonly answers: CommunityAnswers,
  ) {}

  /** Whoever makes it owns it. @throws AppError 409 when they own as many as one may */
  create(caller: Principal, body: NewCommunity): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const id = await createCommunity(manager, signedInUser(caller).id, body);
      return this.answers.one(await this.access.own(caller, id, manager), manager);
    });
  }

  async get(caller: Principal, communityId: string): Promise<Community> {
    return this.answers.one(await this.access.see(caller, communityId));
  }

  change(caller: Principal, communityId: string, change: CommunityChange): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const before = await this.access.administer(caller, communityId, manager);
      const { name, visibility, iconURL, serverImage, network } = changed(before, change);
      const images = [iconURL ?? null, serverImage ?? null];
      await rowsOf(manager, CHANGE, [communityId, name, visibility, ...images, network ?? null]);
      return this.answers.one(await this.access.see(caller, communityId, manager), manager);
    });
  }

  /** The owner before stays an administrator. @throws AppError 409 when the next one is none, or has no room for it */
  changeOwner(caller: Principal, communityId: string, userId: string): Promise<Community> {
    return this.database.transaction(async (manager) => {
      const community = await this.access.own(caller, communityId, manager);
      if (!(await isAdministrator(manager, communityId, userId))) throw administratorsFirst();
      if (community.ownerId !== userId) await checkRoomForOwned(manager, userId);
      await rowsOf(manager, GIVE_AWAY, [communityId, userId]);
      return this.answers.one(await this.access.see(caller, communityId, manager), manager);
    });
  }
}

type Changeable = Pick<CommunityRecord, 'name' | 'visibility' | 'iconURL' | 'serverImage' | 'network'>;

/** What is left out stays, null takes away. */
function changed(before: Changeable, change: CommunityChange): Changeable {
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

const administratorsFirst = () =>
  conflict('not_an_administrator', 'Only an administrator of the community can become its owner.');
