import type { Scope } from '@app/dto';
import { z } from 'zod';
import { describeScope } from '../views/format-values.js';

const toFieldName = (scope: string): string => `scope.${scope}`;

/** Without it an OpenID Connect request is none: who refuses it refuses all. */
const REQUIRED_SCOPE: Scope = 'openid';

export interface ConsentChoice {
  field: string;
  scope: string;
  words: string;
  /** It cannot be left out. */
  fixed: boolean;
}

export const toConsentChoices = (scopes: readonly string[]): ConsentChoice[] =>
  scopes.map((scope) => ({
    field: toFieldName(scope),
    scope,
    words: describeScope(scope),
    fixed: scope === REQUIRED_SCOPE,
  }));

export const consentForm = z.object({ decision: z.enum(['grant', 'deny']) }).catchall(z.string());
export type ConsentForm = z.output<typeof consentForm>;

/** What of the request was left checked, and what not. */
export interface ConsentDecision {
  granted: string[];
  refused: string[];
}

export function parseConsentDecision(scopes: readonly string[], form: ConsentForm): ConsentDecision {
  const isGranted = (scope: string) => scope === REQUIRED_SCOPE || form[toFieldName(scope)] === 'on';
  return {
    granted: scopes.filter(isGranted),
    refused: scopes.filter((scope) => !isGranted(scope)),
  };
}
