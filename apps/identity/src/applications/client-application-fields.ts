import { z } from 'zod';
import { findRedirectUriProblem } from './redirect-uri.js';

const MAX_URIS = 20;

const toDistinct = <T>(all: T[]): T[] => [...new Set(all)];

export const applicationName = z
  .string()
  .min(1, 'must not be empty')
  .max(100)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must not hold control characters')
  .regex(/^(?!\s)(?!.*\s$)/su, 'must not begin or end with a space');

const redirectUri = z.string().check((context) => {
  const problem = findRedirectUriProblem(context.value);
  if (problem !== undefined) context.issues.push({ code: 'custom', message: problem, input: context.value });
});

export const redirectUris = z.array(redirectUri).max(MAX_URIS).transform(toDistinct);

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** An origin in the serialised form of browsers, so that origins can be compared as text. */
const origin = z
  .string()
  .max(300)
  .refine((text) => isOrigin(text) && findRedirectUriProblem(text) === undefined, {
    message: 'must be an origin like https://shop.example, or http on localhost, 127.0.0.1 or [::1]',
  });

export const origins = z.array(origin).max(MAX_URIS).transform(toDistinct);

export const iconUrl = z
  .string()
  .max(2_048)
  .regex(/^https:\/\/[^\s\\/@#?]+\/[^\s\\#"'<>]*$/, 'must be an https URL without user name and fragment')
  .refine((text) => URL.canParse(text), 'must be an https URL');

export const idTokenAlg = z.enum(['RS256', 'ES256']);
/** How the token endpoint answers a request for `openid` whose `Accept` names neither format. */
export const tokenResponseFormat = z.enum(['form', 'json']);
export const clientType = z.enum(['confidential', 'public']);
