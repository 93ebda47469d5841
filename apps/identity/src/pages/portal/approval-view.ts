import { SCOPES } from '@app/dto';
import type { ClientApplication } from '../../clients/client-application.entity.js';
import { awaiting } from '../../clients/scope-approval.js';
import { day } from '../views/day.js';

export interface AwaitingView {
  id: string;
  name: string;
  owner: string;
  iconUrl: string | null;
  redirectUris: string[];
  since: string;
  revision: number;
  scopes: { field: string; scope: string; words: string }[];
}

export const awaitingView = (application: ClientApplication): AwaitingView => ({
  id: application.id,
  name: application.name,
  owner: application.owner.name,
  iconUrl: application.iconUrl,
  redirectUris: application.redirectUris,
  since: day(application.updatedAt),
  revision: application.revision,
  scopes: awaiting(application).map((scope) => ({ field: `scope.${scope}`, scope, words: SCOPES[scope] })),
});
