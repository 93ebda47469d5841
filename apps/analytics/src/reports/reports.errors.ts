import { type AppError, forbidden, notFound, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import type { RefusedAnalyticsAccess } from '@app/dto';

export const communitiesUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'communities_unavailable',
    'Communities cannot be looked up at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

const REFUSALS: Record<RefusedAnalyticsAccess, () => AppError> = {
  community_not_found: () =>
    notFound('community_not_found', 'The community does not exist, or you may not see it.'),
  administrator_required: () =>
    forbidden('administrator_required', 'Only administrators of the community may do this.'),
  client_not_attached: () =>
    forbidden(
      'attached_client_required',
      'Only client applications that are attached to the community may do this: an administrator can attach yours.',
    ),
};

export const accessRefused = (outcome: RefusedAnalyticsAccess): AppError => REFUSALS[outcome]();
