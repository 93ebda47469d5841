import { AppError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import { CommunityApi } from '../communities/community-api.js';
import { toCommunityPath, toMembershipPath } from '../communities/community-tabs.js';

/** Communities whose rules are looked at for one page: the local profile has a handful of users. */
const MAX_COMMUNITIES = 10;

interface CommunityLink {
  readonly id: string;
  readonly name: string;
}

/** The communities of a user, the newest first. */
export interface UserCommunities {
  readonly run: readonly CommunityLink[];
  readonly joined: readonly CommunityLink[];
}

interface CommunityCheck {
  readonly id: string;
  readonly name: string;
  /** Where a form that has nothing but its token starts a check. */
  readonly checkPath: string;
  /** Whether all members are checked, or the user alone. */
  readonly isOfAll: boolean;
}

const HIDDEN_NAME = 'A community that its members cannot see';

/** The communities of the signed-in user, as far as a token of the test wallet matters to them. */
@Injectable()
export class TokenCommunitiesService {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly api: CommunityApi,
  ) {}

  /** The communities that the user runs, and those that the user has joined. @returns undefined while they cannot be looked up */
  async list({ userId }: SessionUser): Promise<UserCommunities | undefined> {
    try {
      const [run, joined] = await Promise.all([
        this.tokenGating.listAdministratedCommunities({ userId }),
        this.tokenGating.listJoinedCommunities({ userId }),
      ]);
      return {
        run: run.communities.toReversed(),
        joined: joined.communities.toReversed().map(({ id, name = HIDDEN_NAME }) => ({ id, name })),
      };
    } catch {
      return undefined;
    }
  }

  /**
   * How the user checks what a sale has changed, in the communities whose rules name the contract.
   * @param originId the community from whose page the user came, which is the first; as its member, where the user is one
   */
  async listChecks(
    user: SessionUser,
    { run, joined }: UserCommunities,
    contractAddress: string,
    originId: string | undefined,
  ): Promise<CommunityCheck[]> {
    const asMember = joined.map((one) => ({ ...one, isOfAll: false }));
    const asManager = run.map((one) => ({ ...one, isOfAll: true }));
    const ordered = [...asMember.filter(({ id }) => id === originId), ...asManager, ...asMember];
    const checks = ordered
      .filter(({ id }, index) => ordered.findIndex((one) => one.id === id) === index)
      .slice(0, MAX_COMMUNITIES);
    const isAbout = await Promise.all(checks.map(({ id }) => this.isAbout(user, id, contractAddress)));
    return checks
      .filter((_, index) => isAbout[index])
      .map(({ id, name, isOfAll }) => ({
        ...{ id, name, isOfAll },
        checkPath: isOfAll ? `${toCommunityPath(id)}/members/check` : `${toMembershipPath(id)}/check`,
      }));
  }

  /** Rules of every depth name a contract by its address. */
  private async isAbout(user: SessionUser, communityId: string, contractAddress: string): Promise<boolean> {
    try {
      const { tpcs = [] } = await this.api.get(user, communityId);
      return JSON.stringify(tpcs).toLowerCase().includes(contractAddress.toLowerCase());
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }
}
