import { PORTAL_SCOPES, type Scope, SCOPES } from '@app/dto';
import { z } from 'zod';
import type { ClientApplicationRegistration } from '../../applications/client-applications.service.js';
import {
  applicationName,
  clientType,
  iconUrl,
  idTokenAlg,
  origins,
  redirectUris,
} from '../../applications/client-application-fields.js';

/** Scopes that anybody may ask for. */
export const SELECTABLE_SCOPES = (Object.keys(SCOPES) as Scope[]).filter(
  (scope) => !PORTAL_SCOPES.includes(scope),
);

/** A form's fields as they came: an empty one is not there at all. */
export type FormFields = Record<string, string>;

export const formFields = z.record(z.string(), z.string());

const lines = z.string().transform((text) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== ''),
);

const applicationFields = z.object({
  name: z.string({ error: 'must not be empty' }).trim().pipe(applicationName),
  type: clientType.default('confidential'),
  redirectUris: lines.default([]).pipe(redirectUris),
  origins: lines.default([]).pipe(origins),
  iconUrl: iconUrl.nullable().default(null),
  implicit: z.literal('on').optional(),
  idTokenAlg: idTokenAlg.default('RS256'),
});

/** What a form names as `scope.<scope>` when it is checked. */
export const parseCheckedScopes = (fields: FormFields): Scope[] =>
  SELECTABLE_SCOPES.filter((scope) => fields[`scope.${scope}`] === 'on');

export type ApplicationFormResult =
  | { ok: true; application: ClientApplicationRegistration }
  /** What is wrong, by field. */
  | { ok: false; problems: Record<string, string> };

export function parseApplicationForm(fields: FormFields): ApplicationFormResult {
  const read = applicationFields.safeParse(fields);
  if (read.success) {
    const { implicit, ...application } = read.data;
    return {
      ok: true,
      application: { ...application, implicit: implicit === 'on', scopes: parseCheckedScopes(fields) },
    };
  }
  const problems = read.error.issues.map(({ path: [field, at], message }) => {
    const place = typeof at === 'number' ? `Line ${at + 1} ` : 'This ';
    return [String(field), `${place}${message}.`] as const;
  });
  // The first problem of a field is the one to tell.
  return { ok: false, problems: Object.fromEntries(problems.reverse()) };
}
