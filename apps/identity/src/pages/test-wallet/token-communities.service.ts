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

interface CommunityCheck {
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

  /** The communities that the user runs. @returns none while they cannot be looked up */
  async listRun({ userId }: SessionUser): Promise<CommunityLink[]> {
    return this.tokenGating
      .listAdministratedCommunities({ userId })
      .then(({ communities }) => communities.slice(0, MAX_COMMUNITIES))
      .catch(() => []);
  }

  /** How the user checks what a sale has changed, in the communities whose rules name the contract. */
  async listChecks(user: SessionUser, contractAddress: string): Promise<CommunityCheck[]> {
    const run = await this.listRun(user);
    const joined = await this.tokenGating
      .listJoinedCommunities({ userId: user.userId })
      .then(({ communities }) => communities.slice(0, MAX_COMMUNITIES))
      .catch(() => []);
    const runIds = new Set(run.map(({ id }) => id));
    const checks = [
      ...run.map(({ id, name }) => ({
        ...{ id, name, isOfAll: true, checkPath: `${toCommunityPath(id)}/members/check` },
      })),
      ...joined
        .filter(({ id }) => !runIds.has(id))
        .map(({ id, name = HIDDEN_NAME }) => ({
          ...{ id, name, isOfAll: false, checkPath: `${toMembershipPath(id)}/check` },
        })),
    ];
    const isAbout = await Promise.all(checks.map(({ id }) => this.isAbout(user, id, contractAddress)));
    return checks.filter((_, index) => isAbout[index]);
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
