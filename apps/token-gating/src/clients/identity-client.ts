import { principalIssuerConfigSchema } from '@app/auth';
import { AppError, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import {
  type AccountWalletsRequest,
  type AccountWalletsResponse,
  accountWalletsResponse,
  type ClientPlansResponse,
  clientPlansResponse,
  deletedCommunityResponse,
  type LinkedWallet,
  matchingUsersResponse,
  MAX_MEMBERS_PER_WALLET_LOOKUP,
  MAX_USERS_PER_READER_LOOKUP,
  type MemberWalletsRequest,
  memberWalletsResponse,
  type PlatformUser,
  platformUsersResponse,
  type UserNamesRequest,
  userNamesResponse,
  type UsersResponse,
  usersResponse,
  type WalletLinksResponse,
  walletLinksResponse,
  walletReadersResponse,
  type WalletsResponse,
  walletsResponse,
} from '@app/dto';
import { SafeHttpError } from '@app/http';
import { SharedLoader } from '@app/limits';
import { InternalClient, ServiceContext, UnexpectedStatusError } from '@app/service';
import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';

/** Settings for requests to identity, signed with this app's key. */
const identityClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ IDENTITY_URL: true }).shape,
);

export class IdentityClientConfig extends createConfigClass(identityClientConfigSchema) {}

/** Whether a request failed because identity was unavailable. */
export const isIdentityUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.details['code'] === 'identity_unavailable';

/** Fits a thousand users with the maximum number of wallets. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/**
 * Client for identity's internal API. Methods throw AppError 503 `identity_unavailable` on a timeout, a 5xx, and a 401, 403
 * or 404, which is a misconfiguration and logged as an error. Other 4xx and invalid responses are bugs and rethrown.
 */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  /** Paths whose last request was rejected, so that a misconfiguration is logged once and not for each request. */
  private readonly rejectedPaths = new Set<string>();
  private readonly memberWallets = new SharedLoader({
    load: (members: readonly (MemberKey & { readonly tenantId: string })[]) =>
      this.fetchMemberWallets(members.map(({ communityId, userId }) => ({ communityId, userId }))),
    maxBatchSize: MAX_MEMBERS_PER_WALLET_LOOKUP,
    tenantOf: ({ tenantId }) => tenantId,
    createAbortError: () => identityUnavailable(),
  });

  private readonly walletReaders = new SharedLoader({
    load: async (users: readonly { readonly userId: string; readonly tenantId: string }[]) => {
      const readers = await this.fetchWalletReaders([...new Set(users.map(({ userId }) => userId))]);
      return users.map(({ userId }) => readers.get(userId) ?? []);
    },
    maxBatchSize: MAX_USERS_PER_READER_LOOKUP,
    tenantOf: ({ tenantId }) => tenantId,
    createAbortError: () => identityUnavailable(),
  });

  constructor(
    { INTERNAL_SIGNING_KEY, IDENTITY_URL }: IdentityClientConfig,
    @Inject(ServiceContext) private readonly context: Pick<ServiceContext, 'logger'>,
  ) {
    this.client = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'identity',
      origin: IDENTITY_URL,
      maxBytes: MAX_RESPONSE_BYTES,
    });
  }

  /**
   * Loads the wallets of a member that count in the community, as identity has them after this call. Calls that wait while a request
   * runs share the next one, because a request costs identity alone 1 ms of processor time. Tenants take turns in it, and a call ends
   * with its signal: 503.
   */
  loadMemberWallets(
    communityId: string,
    userId: string,
    { tenantId, signal }: { readonly tenantId: string; readonly signal: AbortSignal },
  ): Promise<readonly LinkedWallet[]> {
    return this.memberWallets.load({ communityId, userId, tenantId }, signal);
  }

  /** The wallets that count in a community. @param userIds 1,000 at most */
  fetchWallets(communityId: string, userIds: readonly string[]): Promise<WalletsResponse> {
    return this.post('/internal/wallets', { userIds, communityId }, walletsResponse);
  }

  /**
   * Finds out when wallets that count in a community were linked and unlinked.
   * @param userIds MAX_USERS_PER_LINK_LOOKUP at most
   */
  fetchWalletLinks(communityId: string, userIds: readonly string[]): Promise<WalletLinksResponse> {
    return this.post('/internal/wallets/links', { userIds, communityId }, walletLinksResponse);
  }

  /** Removes some of the wallets that were linked in a deleted community. @returns whether there are more */
  async removeCommunityWallets(communityId: string): Promise<boolean> {
    const path = '/internal/communities/deleted';
    return (await this.post(path, { communityId }, deletedCommunityResponse)).hasMore;
  }

  /**
   * The client applications that may read the wallets of users now. Users without any are absent.
   * @param userIds MAX_USERS_PER_READER_LOOKUP at most
   */
  async fetchWalletReaders(userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const path = '/internal/wallets/readers';
    try {
      const { users } = await this.client.post(path, { userIds }, walletReadersResponse);
      return new Map(users.map(({ userId, clientIds }) => [userId, clientIds]));
    } catch (error) {
      // An identity of the release before does not know who they are: nobody is told.
      if (error instanceof UnexpectedStatusError && error.status === NOT_FOUND) return new Map();
      throw this.toFailure(path, error);
    }
  }

  /** The client applications that may read the wallets of a user now. Calls share requests, and tenants take turns, as for wallets of members. */
  loadWalletReaders(
    userId: string,
    { tenantId, signal }: { readonly tenantId: string; readonly signal: AbortSignal },
  ): Promise<readonly string[]> {
    return this.walletReaders.load({ userId, tenantId }, signal);
  }

  fetchAccountWallets(request: AccountWalletsRequest): Promise<AccountWalletsResponse> {
    return this.post('/internal/wallets/of-account', request, accountWalletsResponse);
  }

  /** @param userIds 1,000 at most */
  fetchUsers(userIds: readonly string[]): Promise<UsersResponse> {
    return this.post('/internal/users', { userIds }, usersResponse);
  }

  /**
   * What users are called, by their ids. Empty while identity is unavailable, or of a release that has no names: lists are shown without.
   * @param userIds MAX_NAMED_USERS at most
   */
  async fetchNames(request: UserNamesRequest): Promise<ReadonlyMap<string, string>> {
    if (request.userIds.length === 0) return new Map();
    try {
      const { users } = await this.post('/internal/users/names', request, userNamesResponse);
      return new Map(users.map(({ id, name }) => [id, name]));
    } catch (error) {
      if (isIdentityUnavailable(error)) return new Map();
      throw error;
    }
  }

  /** Which of the users have a name that holds the text. @param userIds MAX_SEARCHED_USERS at most */
  async findMatching(userIds: readonly string[], text: string): Promise<ReadonlySet<string>> {
    if (userIds.length === 0) return new Set();
    const request = { userIds, text };
    return new Set((await this.post('/internal/users/matching', request, matchingUsersResponse)).userIds);
  }

  /** @param clientId the client application that reports the users. @returns the user ids, in order */
  async upsertPlatformUsers(clientId: string, users: readonly PlatformUser[]): Promise<string[]> {
    const request = { clientId, users };
    const { userIds } = await this.post('/internal/platform-users', request, platformUsersResponse);
    return userIds;
  }

  /** @param clientIds 500 at most; unknown applications are omitted from the response */
  fetchClientPlans(clientIds: readonly string[]): Promise<ClientPlansResponse> {
    return this.post('/internal/client-plans', { clientIds }, clientPlansResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  private async fetchMemberWallets(members: readonly MemberKey[]): Promise<(readonly LinkedWallet[])[]> {
    const path = '/internal/wallets/of-members';
    try {
      const { wallets } = await this.client.post(path, { members }, memberWalletsResponse);
      this.rejectedPaths.delete(path);
      return wallets;
    } catch (error) {
      const isUnknown = error instanceof UnexpectedStatusError && error.status === NOT_FOUND;
      if (isUnknown) return this.fetchWalletsByCommunity(members);
      throw this.toFailure(path, error);
    }
  }

  /** For an identity of the release before, which does not know the wallets of members of several communities. */
  private async fetchWalletsByCommunity(members: readonly MemberKey[]): Promise<(readonly LinkedWallet[])[]> {
    const communityIds = [...new Set(members.map((member) => member.communityId))];
    const pairs = communityIds.map(async (communityId) => {
      const here = members.filter((member) => member.communityId === communityId);
      const userIds = here.map(({ userId }) => userId);
      return [communityId, (await this.fetchWallets(communityId, userIds)).users] as const;
    });
    const found = new Map(await Promise.all(pairs));
    return members.map(({ communityId, userId }) => {
      const user = found.get(communityId)?.find((each) => each.userId === userId);
      return user?.wallets ?? [];
    });
  }

  private async post<S extends z.ZodType>(path: string, body: object, schema: S): Promise<z.output<S>> {
    try {
      const response = await this.client.post(path, body, schema);
      this.rejectedPaths.delete(path);
      return response;
    } catch (error) {
      throw this.toFailure(path, error);
    }
  }

  /** AppError 503 where identity was unavailable or is misconfigured; the error itself where it is a bug. */
  private toFailure(path: string, error: unknown): unknown {
    if (isRejected(error)) this.logRejection(path, error);
    else if (isPermanent(error)) return error;
    return identityUnavailable(error);
  }

  private logRejection(path: string, { status }: UnexpectedStatusError): void {
    if (this.rejectedPaths.has(path)) return;
    this.rejectedPaths.add(path);
    const message =
      'identity rejected the request: check INTERNAL_SIGNING_KEY, IDENTITY_URL and the versions of both apps';
    this.context.logger.error({ path, status }, message);
  }
}

const identityUnavailable = (cause?: unknown): AppError =>
  serviceUnavailable(
    'identity_unavailable',
    'Users and their wallets cannot be looked up at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

type MemberKey = MemberWalletsRequest['members'][number];

const NOT_FOUND = 404;
/** Statuses of a wrong key, a missing permission and an unknown path, which only a deployment can fix. */
const REJECTION_STATUSES: readonly number[] = [401, 403, NOT_FOUND];

const isRejected = (error: unknown): error is UnexpectedStatusError =>
  error instanceof UnexpectedStatusError && REJECTION_STATUSES.includes(error.status);

const TOO_MANY_REQUESTS = 429;

/** Whether identity answered and a retry would fail in the same way. */
function isPermanent(error: unknown): boolean {
  if (error instanceof UnexpectedStatusError) return error.status < 500 && error.status !== TOO_MANY_REQUESTS;
  return error instanceof z.ZodError || error instanceof SyntaxError || isTooLarge(error);
}

const isTooLarge = (error: unknown): boolean => error instanceof SafeHttpError && error.kind === 'too_large';

@Module({ providers: [IdentityClientConfig, IdentityClient], exports: [IdentityClient] })
export class IdentityClientModule {}
