import {
  badGateway,
  forbidden,
  SECOND_MS,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
  RETRY_AFTER_SECONDS,
} from '@app/common';
import type { Platform } from './platform-user.js';

export const platformTokenInvalid = (platform: Platform) =>
  unauthorized('platform_token_invalid', `The token is not valid at the platform ${platform}.`, { platform });

export const platformTokenNotBound = (platform: Platform) =>
  forbidden(
    'platform_token_not_bound',
    `It cannot be checked that this token of the platform ${platform} was given to your client application, so it cannot sign.`,
    { platform },
  );

/** The code host does not know the pair of id and secret. */
export const platformApplicationInvalid = () =>
  forbidden(
    'platform_application_invalid',
    'The code host refuses the id and secret of the OAuth application that is set for your client application. Ask an operator to set it again.',
    { platform: 'codehost' satisfies Platform },
  );

export const platformResponseInvalid = (platform: Platform, options?: ErrorOptions) =>
  badGateway(
    'platform_response_invalid',
    `The platform ${platform} answered with something else than a user.`,
    { platform },
    options,
  );

export const platformUnavailable = (platform: Platform, retryAfterMs?: number, options?: ErrorOptions) =>
  serviceUnavailable(
    'platform_unavailable',
    `The platform ${platform} cannot be asked at the moment.`,
    {
      platform,
      retryAfter:
        retryAfterMs === undefined ? RETRY_AFTER_SECONDS.upstream : Math.ceil(retryAfterMs / SECOND_MS),
    },
    options,
  );

/** Trying again changes nothing, so the answer has no `Retry-After`. */
export const platformNotConfigured = (platform: Platform) =>
  serviceUnavailable(
    'platform_not_configured',
    `This deployment cannot check tokens of the platform ${platform}: its operator must set PLATFORM_${platform.toUpperCase()}_URL.`,
    { platform },
  );

export const platformRequestLimitExceeded = () =>
  tooManyRequests(
    'platform_request_limit_exceeded',
    'Your client application has too many tokens checked at once.',
    { retryAfter: RETRY_AFTER_SECONDS.turn },
  );
