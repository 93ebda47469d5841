import { type Principal, requireSignedInUser } from '@app/auth';
import { conflict, forbidden, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import type { LinkedWallet, AssetId } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { toAccountId } from '../../assets/verification/asset-claims.queries.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import { communityNotFound, communitySuspended } from '../../communities/access/community.errors.js';
import type { ViewedCommunity } from '../../communities/access/community-record.js';
import { canView } from '../../communities/access/membership.js';
import { AttachedClientPlansService } from '../../communities/client-applications/attached-client-plans.service.js';
import { MemberRolesService } from '../../roles/member-roles/member-roles.service.js';
import type { CredentialClaims } from '../verifiable-credentials.dto.js';
import { AssetOwnershipService } from '../../assets/asset-ownership.service.js';
import { checkHeld } from '../../assets/verification/create-claim.service.js';
import { toSubjectAddresses } from '../../subjects/subject-addresses.js';

/** The community, and the role in it, that a credential shall be about. */
interface AskedFact {
  readonly communityId: string;
  readonly roleId?: string;
}

/** Establishes what a credential says about a community. */
@Injectable()
export class CommunityClaimsService {
  constructor(
    private readonly access: CommunityAccessService,
    private readonly plans: AttachedClientPlansService,
    private readonly memberRoles: MemberRolesService,
    private readonly identity: IdentityClient,
  ) {}

  /** @throws AppError 403, 404 as for reading the community, 409 for what is not true now, 503 for what is undetermined */
  async establish(
    principal: Principal,
    wallet: LinkedWallet,
    { communityId, roleId }: AskedFact,
  ): Promise<CredentialClaims> {
    const { ownerId, visibility } = await this.requireMembership(principal, communityId);
    if (!(await this.plans.isApproved(communityId))) throw approvalRequired();
    if (roleId !== undefined) await this.requireRole(principal, communityId, roleId);
    // Who sees a credential of a member need not be allowed to know who owns a community that members alone see.
    const communityOwner = visibility === 'public' ? await this.findOwnerAccount(ownerId) : undefined;
    return {
      ...{ account: toAccountId(wallet), communityId },
      ...(communityOwner === undefined ? {} : { communityOwner }),
      ...(roleId === undefined ? {} : { roleId }),
    };
  }

  private async requireMembership(principal: Principal, communityId: string): Promise<ViewedCommunity> {
    const community = await this.access.find(principal, communityId);
    if (!community || !(community.isMember || canView(community, community))) throw communityNotFound();
    if (community.isSuspended) throw communitySuspended();
    if (!community.isMember) throw membershipRequired();
    return community;
  }

  /** Checks the roles of the member now: a stored role may be a day old. */
  private async requireRole(principal: Principal, communityId: string, roleId: string): Promise<void> {
    const { id: userId } = requireSignedInUser(principal);
    const request = { principal, communityId, userId, lenient: true };
    const { roles, errors = [] } = await this.memberRoles.find(request);
    const failures = errors.filter((error) => error.roleId === roleId);
    if (failures.some(({ retryable }) => retryable)) throw rolesUnavailable();
    const isGranted = roles?.some(({ id, granted }) => id === roleId && granted) ?? false;
    if (!isGranted || failures.length > 0) throw roleRequired();
  }

  /** Undefined for an owner who has no wallet any more. */
  private async findOwnerAccount(ownerId: string): Promise<string | undefined> {
    const request = { userId: ownerId, asker: { userId: ownerId } };
    const [first] = (await this.identity.fetchAccountWallets(request)).wallets ?? [];
    return first && toAccountId(first);
  }
}

/** The error for users who are not members, also of a membership that ends meanwhile. */
export const membershipRequired = () =>
  conflict('community_membership_required', 'You are not a member of this community.');

/** The error for members without the role, also of a role that ends meanwhile. */
export const roleRequired = () =>
  conflict('community_role_required', 'You do not have this role in this community now.');

const approvalRequired = () =>
  forbidden(
    'approval_required',
    'Credentials about a community need a client application that is attached to it and that an operator has approved for the ' +
      'scope token-gating.',
  );

const rolesUnavailable = () =>
  serviceUnavailable(
    'roles_unavailable',
    'Whether you have the role could not be determined, because what it depends on did not answer.',
    { retryAfter: RETRY_AFTER_SECONDS.upstream },
  );

const READ_TIMEOUT_MS = 10_000;

/** The oldest block that was read of each chain of some assets. */
class ReadBlocks {
  private readonly blocks = new Map<number, bigint>();

  constructor(private readonly assets: readonly AssetId[]) {}

  readonly record = (chainId: number, block: bigint): void => {
    const oldest = this.blocks.get(chainId);
    if (oldest === undefined || block < oldest) this.blocks.set(chainId, block);
  };

  /** The blocks by CAIP-2 id of the chain, without chains whose reads reported no block. */
  list(): NonNullable<CredentialClaims['blocks']> {
    const chains = new Map(this.assets.map(({ id, rule }) => [rule.chainId, id.split('/', 1)[0] ?? '']));
    return [...chains].flatMap(([chainId, chain]) => {
      const block = this.blocks.get(chainId);
      return block === undefined ? [] : [{ chain, number: Number(block) }];
    });
  }
}

/** Reads from the chain what a credential says about assets. */
@Injectable()
export class AssetClaimsService {
  constructor(private readonly ownership: AssetOwnershipService) {}

  /** @throws AppError 400 for chains without a node, 409 for assets that are not held, 503 for what cannot be read */
  async read(wallet: LinkedWallet, assets: readonly AssetId[], tenantId: string): Promise<CredentialClaims> {
    const readAt = new Date();
    const blocks = new ReadBlocks(assets);
    const held = await checkHeld(assets, (ids) =>
      this.ownership.readOwners(ids, toSubjectAddresses([wallet]), {
        tenantId,
        signal: AbortSignal.timeout(READ_TIMEOUT_MS),
        onBlock: blocks.record,
      }),
    );
    return {
      ...{ account: toAccountId(wallet), assets: held },
      ...{ readTime: readAt.toISOString(), blocks: blocks.list() },
    };
  }
}
