import type { Scope } from '@app/dto';
import { z } from 'zod';
import { scopeInWords } from '../views/scope-in-words.js';

const fieldOf = (scope: string): string => `scope.${scope}`;

/** Without it an OpenID Connect request is none: who refuses it refuses all. */
const INDISPENSABLE: Scope = 'openid';

export interface ConsentChoice {
  field: string;
  scope: string;
  words: string;
  /** It cannot be left out. */
  fixed: boolean;
}

export const consentChoices = (scopes: readonly string[]): ConsentChoice[] =>
  scopes.map((scope) => ({
    field: fieldOf(scope),
    scope,
    words: scopeInWords(scope),
    fixed: scope === INDISPENSABLE,
  }));

export const consentForm = z.object({ decision: z.enum(['grant', 'deny']) }).catchall(z.string());
export type ConsentForm = z.output<typeof consentForm>;

/** What of the request was left checked, and what not. */
export interface Choice {
  granted: string[];
  refused: string[];
}

export function chosenOf(scopes: readonly string[], form: ConsentForm): Choice {
  const isGranted = (scope: string) => scope === INDISPENSABLE || form[fieldOf(scope)] === 'on';
  return {
    granted: scopes.filter(isGranted),
    refused: scopes.filter((scope) => !isGranted(scope)),
  };
}
