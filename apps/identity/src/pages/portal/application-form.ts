import { PORTAL_SCOPES, type Scope, SCOPES } from '@app/dto';
import { z } from 'zod';
import { findPrivateUseProblem } from '../../applications/redirect-uri.js';
import type { ClientApplicationRegistration } from '../../applications/client-applications.service.js';
import {
  applicationName,
  clientType,
  iconUrl,
  idTokenAlg,
  origins,
  redirectUris,
  tokenResponseFormat,
} from '../../applications/client-application-fields.js';
import { approvalMessage } from '../../applications/approval-message.js';
import { HOUR_SECONDS } from '@app/common';
import type { OverlapOption } from '../views/application-views.js';

/** All scopes except those of the deployment's own portal. */
export const SELECTABLE_SCOPES = (Object.keys(SCOPES) as Scope[]).filter(
  (scope) => !PORTAL_SCOPES.includes(scope),
);

/** The fields of a submitted form. Empty fields are absent. */
export type FormFields = Record<string, string>;

export const formFields = z.record(z.string(), z.string());

/** Values of a field, each on a line of its own. Blank lines do not count. */
export const lines = z.string().transform((text) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== ''),
);

const applicationFields = z
  .object({
    name: z.string({ error: 'must not be empty' }).trim().pipe(applicationName),
    type: clientType.default('confidential'),
    redirectUris: lines.default([]).pipe(redirectUris),
    postLogoutRedirectUris: lines.default([]).pipe(redirectUris),
    origins: lines.default([]).pipe(origins),
    iconUrl: iconUrl.nullable().default(null),
    implicit: z.literal('on').optional(),
    idTokenAlg: idTokenAlg.default('RS256'),
    tokenResponse: tokenResponseFormat.default('json'),
    // Blank text is no message.
    message: z
      .string()
      .transform((text) => (text.trim() === '' ? undefined : text))
      .pipe(approvalMessage.optional())
      .optional(),
  })
  .check(({ value: { type, redirectUris: uris, postLogoutRedirectUris: logoutUris }, issues }) => {
    const message = findPrivateUseProblem(type, uris);
    if (message !== undefined) issues.push({ code: 'custom', message, input: uris, path: ['redirectUris'] });
    const logoutProblem = findPrivateUseProblem(type, logoutUris);
    if (logoutProblem !== undefined)
      issues.push({
        code: 'custom',
        message: logoutProblem,
        input: logoutUris,
        path: ['postLogoutRedirectUris'],
      });
  });

/** The scopes with a checked field `scope.<scope>`. */
const parseCheckedScopes = (fields: FormFields): Scope[] =>
  SELECTABLE_SCOPES.filter((scope) => fields[`scope.${scope}`] === 'on');

type ApplicationFormResult =
  | { ok: true; application: ClientApplicationRegistration }
  /** Validation errors by field. */
  | { ok: false; problems: Record<string, string> };

export function parseApplicationForm(fields: FormFields): ApplicationFormResult {
  const parsed = applicationFields.safeParse(fields);
  if (parsed.success) {
    const { implicit, message, ...application } = parsed.data;
    return {
      ok: true,
      application: {
        ...application,
        implicit: implicit === 'on',
        scopes: parseCheckedScopes(fields),
        ...(message !== undefined && { message }),
      },
    };
  }
  return { ok: false, problems: describeLineProblems(parsed.error) };
}

/** The first problem of each field, with its line in a field of lines. */
export function describeLineProblems({ issues }: z.ZodError): Record<string, string> {
  const problems = issues.map(({ path: [field, index], message }) => {
    const subject = typeof index === 'number' ? `Line ${index + 1}` : 'This';
    return [String(field), `${subject} ${message}.`] as const;
  });
  // Reversed, so that the first problem of each field remains.
  return Object.fromEntries(problems.reverse());
}

/** The one-time token of each rendered page. Bound to the session by SecretFormService, so that any random text will do. */
const formToken = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'is missing: reload the page and submit the form again');

export const oneTimeForm = z.object({ form: formToken });
export type OneTimeForm = z.output<typeof oneTimeForm>;

/** Times for which a replaced key or secret stays valid. The first one is the default. */
export const OVERLAP_OPTIONS: readonly OverlapOption[] = [
  { seconds: 24 * HOUR_SECONDS, label: 'for a day' },
  { seconds: 7 * 24 * HOUR_SECONDS, label: 'for a week' },
  { seconds: HOUR_SECONDS, label: 'for an hour' },
  { seconds: 0, label: 'not at all: revoke it now' },
];

const values = OVERLAP_OPTIONS.map(({ seconds }) => String(seconds));

export const overlapForm = oneTimeForm.extend({ overlap: z.enum(values).transform(Number) });
export type OverlapForm = z.output<typeof overlapForm>;
