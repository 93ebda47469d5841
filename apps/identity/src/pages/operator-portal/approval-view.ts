import { SCOPES } from '@app/dto';
import type { ClientApplication } from '../../applications/entities/client-application.entity.js';
import { getSignInOrigins } from '../../applications/get-sign-in-origins.js';
import { selectScopesForApproval } from '../../applications/approval-state.js';
import { formatDay } from '../views/format-values.js';
import { describeClientType } from '../portal/application-view.js';

export interface PendingApprovalView {
  id: string;
  name: string;
  /** The plan holder. */
  owner: { id: string; name: string };
  iconUrl: string | null;
  /** Where it runs, in plain words. */
  type: string;
  redirectUris: string[];
  /** Where Sign-in with Ethereum may take place. */
  origins: string[];
  /** Tokens in the fragment of a redirect. */
  implicit: boolean;
  since: string;
  revision: number;
  scopes: { field: string; scope: string; words: string }[];
}

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
    words: SCOPES[scope],
  })),
});
