import { SCOPES } from '@app/dto';
import type { ClientApplication } from '../../clients/client-application.entity.js';
import { originsOf } from '../../clients/origins-of.js';
import { awaiting } from '../../clients/scope-approval.js';
import { day } from '../views/day.js';
import { typeInWords } from './application-view.js';

export interface AwaitingView {
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

export const awaitingView = (application: ClientApplication): AwaitingView => ({
  id: application.id,
  name: application.name,
  owner: { id: application.ownerId, name: application.owner.name },
  type: typeInWords(application.type),
  iconUrl: application.iconUrl,
  redirectUris: application.redirectUris,
  origins: originsOf(application),
  implicit: application.implicit,
  since: day(application.updatedAt),
  revision: application.revision,
  scopes: awaiting(application).map((scope) => ({ field: `scope.${scope}`, scope, words: SCOPES[scope] })),
});
