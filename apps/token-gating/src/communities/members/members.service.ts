import { type Principal, signedInUser } from '@app/auth';
import { Database, rowsOf } from '@app/database';
import type { PlatformUser } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { IdentityClient } from '../../identity/identity-client.js';
import { CommunityAccess } from '../access/community-access.js';
import { administratorsOnly, attachedClientsOnly, communityNotFound } from '../access/community.errors.js';
import { type CommunityInView, maySee, runs } from '../access/standing.js';
import { Invitations } from '../invitations/invitations.js';
import { FIND_MEMBER, oneMember } from './find-member.js';
import { loadUser } from './load-user.js';
import type { CommunityMember } from './member.dto.js';
import { MEMBER_COLUMNS, memberRow, toMember } from './member-row.js';
import { memberNotFound } from './member.errors.js';
import { Memberships } from './memberships.js';

const MEMBER = `
  SELECT ${MEMBER_COLUMNS} FROM token_gating.community_members m WHERE m.community_id = $1 AND m.user_id = $2`;

const one = z.tuple([memberRow]);

/** Who belongs to a community. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccess,
    private readonly invitations: Invitations,
    private readonly identity: IdentityClient,
    private readonly memberships: Memberships,
  ) {}

  /** Once more does no harm. @throws AppError 404 for communities that the user may neither see nor join */
  async join(
    caller: Principal,
    communityId: string,
    invitation: string | undefined,
  ): Promise<CommunityMember> {
    const user = signedInUser(caller);
    this.checkMayJoin(await this.access.find(caller, communityId), invitation);
    const member = await loadUser(this.identity, user);
    return this.database.transaction(async (manager) => {
      this.checkMayJoin(await this.access.find(caller, communityId, manager), invitation);
      await this.memberships.add(manager, communityId, [member]);
      return toMember(one.parse(await rowsOf(manager, MEMBER, [communityId, user.id]))[0]);
    });
  }

  /** Whoever belongs to a community may leave it, also one that they do not see. @throws AppError 404 for others */
  async leave(caller: Principal, communityId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const community = await this.access.find(caller, communityId, manager);
      if (!community?.isMember) throw communityNotFound();
      await this.memberships.remove(manager, communityId, signedInUser(caller).id);
    });
  }

  /** @param id a user id, or an id on the user's platform @throws AppError 409 when it means two */
  async remove(caller: Principal, communityId: string, id: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!runs(await this.access.see(caller, communityId, manager))) throw administratorsOnly();
      const userId = oneMember(await rowsOf(manager, FIND_MEMBER, [communityId, id]));
      if (userId === undefined) throw memberNotFound();
      await this.memberships.remove(manager, communityId, userId);
    });
  }

  /** Makes users of other platforms known, and members. @returns the id of each, in order */
  async addPlatformUsers(
    caller: Principal,
    communityId: string,
    users: readonly PlatformUser[],
  ): Promise<string[]> {
    this.checkAttached(await this.access.see(caller, communityId));
    const userIds = await this.identity.upsertPlatformUsers(users);
    const members = users.flatMap(({ platform, platformUserId }, index) => {
      const userId = userIds[index];
      return userId === undefined ? [] : [{ userId, platform, platformUserId }];
    });
    await this.database.transaction(async (manager) => {
      this.checkAttached(await this.access.see(caller, communityId, manager));
      await this.memberships.add(manager, communityId, members);
    });
    return userIds;
  }

  private checkMayJoin(community: CommunityInView | undefined, invitation: string | undefined): void {
    if (!community) throw communityNotFound();
    const isInvited = invitation !== undefined && this.invitations.opens(community, invitation);
    if (!isInvited && !maySee(community, community)) throw communityNotFound();
  }

  private checkAttached({ isAttachedClient }: CommunityInView): void {
    if (!isAttachedClient) throw attachedClientsOnly();
  }
}
