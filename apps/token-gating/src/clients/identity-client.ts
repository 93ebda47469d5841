import { serviceUnavailable, AppError } from '@app/common';
import {
  type AccountWalletsResponse,
  accountWalletsResponse,
  type AccountWalletsRequest,
  type ClientPlansResponse,
  clientPlansResponse,
  type PlatformUser,
  platformUsersResponse,
  type UsersResponse,
  usersResponse,
  type WalletsResponse,
  walletsResponse,
} from '@app/dto';
import { SafeHttpError } from '@app/http';
import { UnexpectedStatusError, InternalClient, ServiceContext } from '@app/service';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import { IdentityClientConfig } from './identity-client.config.js';

/** Whether a question failed because identity could not be asked, and for no other reason. */
export const isIdentityUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.details['code'] === 'identity_unavailable';

/** Seconds after which identity may have come back. */
const RETRY_AFTER = 2;
/** A thousand users with as many wallets as they may have. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Token-gating's questions to identity. Each throws AppError 503 `identity_unavailable` when there is no answer in time, and
 * when identity refuses whoever asks, whatever the question; that needs somebody to mend it, who is told. An answer that says
 * no to the question, or has another form, is a fault of ours and passed on as it is.
 */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  /** Paths at which it refused us the last time: it is told once, and not for each question. */
  private readonly refusedAt = new Set<string>();

  constructor(
    { INTERNAL_SIGNING_KEY, IDENTITY_URL }: IdentityClientConfig,
    @Inject(ServiceContext) private readonly context: Pick<ServiceContext, 'logger'>,
  ) {
    this.client = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'identity',
      origin: IDENTITY_URL,
      maxBytes: MOST_BYTES,
    });
  }

  /** @param userIds 1,000 at most */
  fetchWallets(userIds: readonly string[]): Promise<WalletsResponse> {
    return this.ask('/internal/wallets', { userIds }, walletsResponse);
  }

  fetchAccountWallets(question: AccountWalletsRequest): Promise<AccountWalletsResponse> {
    return this.ask('/internal/wallets/of-account', question, accountWalletsResponse);
  }

  /** @param userIds 1,000 at most */
  fetchUsers(userIds: readonly string[]): Promise<UsersResponse> {
    return this.ask('/internal/users', { userIds }, usersResponse);
  }

  /** @returns the id of each, in order */
  async upsertPlatformUsers(users: readonly PlatformUser[]): Promise<string[]> {
    const { userIds } = await this.ask('/internal/platform-users', { users }, platformUsersResponse);
    return userIds;
  }

  /** @param clientIds 500 at most; applications that do not exist are left out of the answer */
  fetchClientPlans(clientIds: readonly string[]): Promise<ClientPlansResponse> {
    return this.ask('/internal/client-plans', { clientIds }, clientPlansResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  private async ask<S extends z.ZodType>(path: string, question: object, answer: S): Promise<z.output<S>> {
    try {
      const answered = await this.client.post(path, question, answer);
      this.refusedAt.delete(path);
      return answered;
    } catch (error) {
      if (isRefusal(error)) this.tellOfRefusal(path, error);
      else if (isAnswer(error)) throw error;
      const message = 'Users and their wallets cannot be looked up just now.';
      throw serviceUnavailable(
        'identity_unavailable',
        message,
        { retryAfter: RETRY_AFTER },
        { cause: error },
      );
    }
  }

  private tellOfRefusal(path: string, { status }: UnexpectedStatusError): void {
    if (this.refusedAt.has(path)) return;
    this.refusedAt.add(path);
    const message = 'identity refuses this app: INTERNAL_SIGNING_KEY, IDENTITY_URL or its version do not fit';
    this.context.logger.error({ path, status }, message);
  }
}

/** Our key, what we may ask, and that there is such a question: true of each question, and mended by deploying. */
const REFUSALS: readonly number[] = [401, 403, 404];

const isRefusal = (error: unknown): error is UnexpectedStatusError =>
  error instanceof UnexpectedStatusError && REFUSALS.includes(error.status);

const TOO_MANY = 429;

/** Whether identity has answered, and asking again would change nothing. */
function isAnswer(error: unknown): boolean {
  if (error instanceof UnexpectedStatusError) return error.status < 500 && error.status !== TOO_MANY;
  return error instanceof z.ZodError || error instanceof SyntaxError || isTooLarge(error);
}

const isTooLarge = (error: unknown): boolean => error instanceof SafeHttpError && error.kind === 'too_large';
