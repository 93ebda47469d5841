import { SCOPES } from '@app/dto';
import type { ClientApplication } from '../../applications/entities/client-application.entity.js';
import { getSignInOrigins } from '../../applications/get-sign-in-origins.js';
import { selectScopesForApproval } from '../../applications/approval-state.js';
import { formatDay } from '../views/format-values.js';
import type { PendingApprovalView } from '../views/page-views.js';
import { describeClientType } from '../portal/application-view.js';

export const toPendingApprovalView = (application: ClientApplication): PendingApprovalView => ({
  id: application.id,
  name: application.name,
  owner: { id: application.ownerId, name: application.owner.name },
  type: describeClientType(application.type),
  iconUrl: application.iconUrl,
  redirectUris: application.redirectUris,
  origins: getSignInOrigins(application),
  implicit: application.implicit,
  since: formatDay(application.updatedAt),
  revision: application.revision,
  scopes: selectScopesForApproval(application).map((scope) => ({
    field: `scope.${scope}`,
    scope,
    label: SCOPES[scope],
  })),
});
