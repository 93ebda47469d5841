import { z } from 'zod';
import {
  iconUrl,
  idTokenAlg,
  origins,
  redirectUris,
  tokenResponseFormat,
} from '../client-application-fields.js';
import type { ClientApplicationFields } from '../insert-client-application.js';

export const APPLICATION_FLAGS = [
  'redirect-uris',
  'post-logout-redirect-uris',
  'origins',
  'icon-url',
  'implicit',
  'id-token-alg',
  'token-response',
];

export const APPLICATION_USAGE =
  '[--redirect-uris "<uri> <uri>"] [--post-logout-redirect-uris "<uri> <uri>"] [--origins "<origin> <origin>"] [--icon-url <url>] [--implicit on|off] [--id-token-alg RS256|ES256] [--token-response form|json]';

/** Separated by spaces, because URIs may contain commas. */
const wordsFlag = z.string().transform((text) => text.split(/\s+/).filter((word) => word !== ''));

/** Flags for the fields of a client application, except its name. */
export const applicationFlags = {
  'redirect-uris': wordsFlag.pipe(redirectUris).optional(),
  'post-logout-redirect-uris': wordsFlag.pipe(redirectUris).optional(),
  origins: wordsFlag.pipe(origins).optional(),
  'icon-url': iconUrl.optional(),
  implicit: z
    .enum(['on', 'off'])
    .transform((text) => text === 'on')
    .optional(),
  'id-token-alg': idTokenAlg.optional(),
  'token-response': tokenResponseFormat.optional(),
};

type ApplicationFlags = z.output<z.ZodObject<typeof applicationFlags>>;

/** Omits flags that were not given, so that those fields stay unchanged. */
export function toApplicationFields(
  flags: ApplicationFlags,
): Partial<Omit<ClientApplicationFields, 'name' | 'type'>> {
  const fields = {
    redirectUris: flags['redirect-uris'],
    postLogoutRedirectUris: flags['post-logout-redirect-uris'],
    origins: flags.origins,
    iconUrl: flags['icon-url'],
    implicit: flags.implicit,
    idTokenAlg: flags['id-token-alg'],
    tokenResponse: flags['token-response'],
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
