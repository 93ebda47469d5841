import type { Scope } from '@app/dto';
import { z } from 'zod';
import type { ConsentDecision } from '../../oauth2/storage/oauth-models.queries.js';
import { describeScope } from '../views/format-values.js';
import type { ConsentChoice } from '../views/page-views.js';

const toFieldName = (scope: string): string => `scope.${scope}`;

/** An OpenID Connect request needs this scope, so the user can refuse it only by refusing the request. */
const REQUIRED_SCOPE: Scope = 'openid';

export const toConsentChoices = (scopes: readonly string[]): ConsentChoice[] =>
  scopes.map((scope) => ({
    field: toFieldName(scope),
    scope,
    label: describeScope(scope),
    isRequired: scope === REQUIRED_SCOPE,
  }));

export const consentForm = z.object({ decision: z.enum(['grant', 'deny']) }).catchall(z.string());
export type ConsentForm = z.output<typeof consentForm>;

export function parseConsentDecision(scopes: readonly string[], form: ConsentForm): ConsentDecision {
  const isGranted = (scope: string) => scope === REQUIRED_SCOPE || form[toFieldName(scope)] === 'on';
  return {
    granted: scopes.filter(isGranted),
    refused: scopes.filter((scope) => !isGranted(scope)),
  };
}
