import { badRequest, SECOND_MS } from '@app/common';
import { getHeader, parsePreferHeader, Operation, type OperationOptions } from '@app/service';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { platform, type PlatformToken } from '../owners/platform-user.js';
import { RequestDeadline } from '../request-deadline.js';

const MAX_NONCE_KEY = 2n ** 192n - 1n;
/** The gateway waits so much longer for the operations that name it (`maxWaitSeconds`). */
export const MAX_WAIT_SECONDS = 25;
/** Existing clients ask once, right after they have submitted. */
export const DEFAULT_WAIT_SECONDS = 10;

const headerInvalid = (path: string, message: string) =>
  badRequest('input_invalid', `${path}: ${message}`, { issues: [{ path, message }] });

const getRequest = (context: ExecutionContext): Request => context.switchToHttp().getRequest<Request>();

function requireToken(token: string | undefined, name: string): string {
  if (token === undefined || token === '') throw headerInvalid(name, 'is required');
  return token;
}

/** The token of a bot. */
export const BotToken = createParamDecorator((_: unknown, context: ExecutionContext) =>
  requireToken(getHeader(getRequest(context), 'x-bot-token'), 'X-BOT-TOKEN'),
);

/** The token of a bot or a user of the platform that the query names. */
export const AccessToken = createParamDecorator((_: unknown, context: ExecutionContext) =>
  requireToken(getHeader(getRequest(context), 'x-access-token'), 'X-ACCESS-TOKEN'),
);

/** The query parameter beside `X-ACCESS-TOKEN` where the document declares only `X-BOT-TOKEN`. */
export const presentedTokenQuery = z.object({
  platform: platform
    .optional()
    .describe('the platform of the token in `X-ACCESS-TOKEN`, which may stand for `X-BOT-TOKEN`'),
});

/**
 * The token of a bot, or of a user of the platform that the query names. Existing clients know the header of bots only, so the
 * other one and its query are described in text.
 */
export const PresentedToken = createParamDecorator((_: unknown, context: ExecutionContext): PlatformToken => {
  const request = getRequest(context);
  const accessToken = getHeader(request, 'x-access-token');
  const botToken = getHeader(request, 'x-bot-token');
  if (accessToken === undefined) return { platform: 'chat', token: requireToken(botToken, 'X-BOT-TOKEN') };
  if (botToken !== undefined) throw headerInvalid('X-ACCESS-TOKEN', 'must not be sent beside X-BOT-TOKEN');
  const { data } = presentedTokenQuery.safeParse(request.query);
  if (data?.platform === undefined)
    throw headerInvalid('platform', `must be one of ${platform.options.join(', ')}`);
  return { platform: data.platform, token: accessToken };
});

/** The `X-Nonce-Key` header: the lane of an operation, 0 without it. It is described in text only (contract.md section 1). */
export const NonceKey = createParamDecorator((_: unknown, context: ExecutionContext): bigint => {
  const text = getHeader(getRequest(context), 'x-nonce-key');
  if (text === undefined) return 0n;
  if (!/^(0|[1-9]\d{0,57})$/.test(text) || BigInt(text) > MAX_NONCE_KEY)
    throw headerInvalid('X-Nonce-Key', 'must be a decimal number from 0 to 2^192 - 1');
  return BigInt(text);
});

/** `Prefer: wait=N` (RFC 7240) in milliseconds, at most `MAX_WAIT_SECONDS`. */
export const PreferredWait = createParamDecorator((_: unknown, context: ExecutionContext): number => {
  const wait = parsePreferHeader(getHeader(getRequest(context), 'prefer') ?? '').get('wait');
  const seconds = wait !== undefined && /^\d{1,4}$/.test(wait) ? Number(wait) : DEFAULT_WAIT_SECONDS;
  return Math.min(seconds, MAX_WAIT_SECONDS) * SECOND_MS;
});

function toClientSignal(request: Request): AbortSignal {
  const controller = new AbortController();
  const response = request.res;
  if (response?.closed === true) controller.abort();
  response?.once('close', () => {
    controller.abort();
  });
  return controller.signal;
}

/** Aborted when the client goes away. */
export const ClientSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal =>
  toClientSignal(getRequest(context)),
);

/** The time until which something may be accepted for the request. */
export const Deadline = createParamDecorator((_: unknown, context: ExecutionContext): RequestDeadline => {
  const request = getRequest(context);
  return new RequestDeadline(request.receivedAt, toClientSignal(request));
});

/** An operation of account-kit for operators. */
export const OperatorOperation = (
  summary: string,
  { description, errors = [], conflicts }: Pick<OperationOptions, 'description' | 'errors' | 'conflicts'>,
) =>
  Operation({
    caller: 'user',
    scope: 'operator',
    summary,
    description,
    errors: ['403 operator_required', '403 recent_login_required', '503 identity_unavailable', ...errors],
    requiresWalletLogin: true,
    ...(conflicts ? { conflicts } : {}),
    example: {
      status: 403,
      reason: 'only the portal may request the scope of this operation',
    },
  });
