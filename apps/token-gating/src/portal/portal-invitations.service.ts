import { AppError, isUnavailable } from '@app/common';
import { Database } from '@app/database';
import {
  hideListedAccounts,
  type PortalInvitation,
  type PortalInvitationRequest,
  rawRoleRule,
  storedRoleRules,
  toChecksumAddress,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CheckRolesService } from '../checks/check-roles.service.js';
import { IdentityClient } from '../clients/identity-client.js';
import { findViewedCommunity } from '../communities/access/communities.queries.js';
import { communityNotFound } from '../communities/access/community.errors.js';
import type { ViewedCommunity } from '../communities/access/community-record.js';
import { InvitationLinkService } from '../communities/invitations/invitation-link.service.js';
import { wasRemovedSince } from '../communities/members/removed-members.queries.js';
import { loadRoles } from '../communities/roles/community-roles.queries.js';
import { PortalUsageService } from './portal-usage.service.js';
import { toPortalAnswer } from './to-portal-answer.js';

const rawRules = z.array(rawRoleRule);

const SHOWN_BEFORE = 6;
const SHOWN_AFTER = 4;

/** The beginning and the end of an address, by which people know it. */
const shortenAddress = (text: string): string => {
  const address = /^0x[0-9a-f]{40}$/i.test(text) ? toChecksumAddress(text) : text;
  return `${address.slice(0, SHOWN_BEFORE)}…${address.slice(-SHOWN_AFTER)}`;
};

/** Whether an error leaves the page without what the user holds: the plan is used up, or the rules cannot be checked. */
const isWithoutCheck = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof AppError && [400, 404, 429].includes(error.statusCode));

/** What an invited person sees of a community, and what they hold of what its rules ask for. */
@Injectable()
export class PortalInvitationsService {
  constructor(
    private readonly database: Database,
    private readonly links: InvitationLinkService,
    private readonly identity: IdentityClient,
    private readonly checks: CheckRolesService,
    private readonly usage: PortalUsageService,
  ) {}

  /** @throws AppError 404 for a wrong code, for a community that needs one and none is named, and for one that does not exist */
  async read({ communityId, code, userId }: PortalInvitationRequest): Promise<PortalInvitation> {
    const viewer = { userId: userId ?? null, clientId: null };
    const community = await findViewedCommunity(this.database, viewer, communityId);
    if (!community || community.isSuspended || !this.isInvited(community, code)) throw communityNotFound();
    const [owner, roles, user] = await Promise.all([
      this.loadOwner(community.ownerId),
      loadRoles(this.database, [communityId]),
      userId === undefined ? undefined : this.loadUser(community, userId),
    ]);
    const { name, iconURL, memberCount } = community;
    return {
      ...{ communityId, name, iconURL, memberCount, owner },
      roles: roles.get(communityId) ?? [],
      rules: hideListedAccounts(rawRules.parse(community.rules)),
      ...(user && { user }),
    };
  }

  private isInvited(community: ViewedCommunity, code: string | undefined): boolean {
    if (community.visibility === 'public') return true;
    return code !== undefined && this.links.isValidCode(community, code);
  }

  /** Empty while identity is away: an invitation is shown without its owner. */
  private async loadOwner(ownerId: string): Promise<PortalInvitation['owner']> {
    try {
      const [names, { users }] = await Promise.all([
        this.identity.fetchNames({ userIds: [ownerId] }),
        this.identity.fetchUsers([ownerId]),
      ]);
      const user = users.find(({ id }) => id === ownerId);
      const isWallet = user?.platform === 'ethereum' || user?.platform === 'solana';
      return { name: names.get(ownerId), ...(isWallet && { address: shortenAddress(user.platformUserId) }) };
    } catch (error) {
      if (isUnavailable(error)) return {};
      throw error;
    }
  }

  private async loadUser(community: ViewedCommunity, userId: string): Promise<PortalInvitation['user']> {
    const wasRemoved =
      community.visibility === 'members' && (await wasRemovedSince(this.database, community, userId));
    const { isMember } = community;
    return { isMember, mayJoin: !wasRemoved, check: await this.check(community, userId) };
  }

  /**
   * Checks the rules against the user's own wallets, without storing anything: the user need not be a member. Reads take the user's share and
   * count on the user's tenant.
   */
  private async check({ rules: raw }: ViewedCommunity, userId: string) {
    const { data: rules } = storedRoleRules.safeParse(raw);
    if (!rules || rules.length === 0) return undefined;
    try {
      await this.usage.count(userId);
      const request = { account: { family: 'user', id: userId }, rules } as const;
      const options = { requester: { userId }, tenantId: userId, lenient: true, isMember: true };
      return toPortalAnswer(await this.checks.checkRoles(request, options, { showsUserWallets: true }));
    } catch (error) {
      if (isWithoutCheck(error)) return undefined;
      throw error;
    }
  }
}
