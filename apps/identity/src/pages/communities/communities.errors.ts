import {
  type AppError,
  badRequest,
  forbidden,
  notFound,
  serviceUnavailable,
  unauthorized,
  RETRY_AFTER_SECONDS,
} from '@app/common';
import type { AnalyticsReportRefusal } from '@app/dto';

export const signInRequired = () =>
  unauthorized('sign_in_required', 'Your session has ended. Reload the page to sign in again.');

export const communitiesUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'communities_unavailable',
    'Communities cannot be looked up at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

export const reportUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'report_unavailable',
    'This report cannot be loaded at the moment. Try again in a few seconds.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

export const communityNotFound = () =>
  notFound('community_not_found', 'The community does not exist, or you may not see it.');

export const administratorRequired = () =>
  forbidden('administrator_required', 'Only administrators of the community may do this.');

/** The error of the public operation. */
export function toReportError(refusal: AnalyticsReportRefusal): AppError {
  switch (refusal.outcome) {
    case 'community_not_found':
      return communityNotFound();
    case 'administrator_required':
      return administratorRequired();
    case 'input_invalid': {
      const { issues } = refusal;
      const text = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
      return badRequest('input_invalid', text, { issues });
    }
  }
}
