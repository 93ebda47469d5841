import { badRequest } from '@app/common';
import { bodyTooLarge } from '@app/service';
import type { Scope } from '@app/dto';
import { IMPLICIT_RESPONSE_MODE } from '../provider/register-grants.js';
import { ALL_SCOPES, DEFAULT_SCOPE } from '../clients/scopes.js';

/** The parameters for oidc-provider. Others are ignored (RFC 6749 section 3.1). */
const KNOWN_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'response_mode',
  'prompt',
  'max_age',
  'login_hint',
  'id_token_hint',
  'ui_locales',
  'display',
  'acr_values',
  // Unsupported: oidc-provider refuses these by name.
  'request',
  'request_uri',
  'registration',
];

/**
 * What each value of `prompt` asks of oidc-provider. The login page lets a user choose another wallet, and a wallet that is new
 * here becomes a user, so it serves `select_account` (OpenID Connect Core 1.0) and `create` (its own specification), too.
 */
const PROMPTS: Readonly<Record<string, string>> = {
  none: 'none',
  login: 'login',
  consent: 'consent',
  select_account: 'login',
  create: 'login',
};
export const SUPPORTED_PROMPTS = Object.keys(PROMPTS);

/** Replaces values that oidc-provider would accept but clients must not use. */
const UNSUPPORTED = 'unsupported';

/** The length in characters. Parameters of anonymous requests are stored until the login ends. */
const MAX_PARAMETER_LENGTH = 2_048;

const parameterTooLong = (name: string) =>
  badRequest(
    'parameter_invalid',
    `The parameter ${name} is longer than ${MAX_PARAMETER_LENGTH} characters.`,
    { field: name },
  );

const parameterUnreadable = (name: string) =>
  badRequest('parameter_invalid', `The parameter ${name} cannot be read.`, { field: name });

/** The limit of a request by POST, in bytes. */
export const MAX_FORM_BYTES = 8_192;

/**
 * The query of the request by GET that means the same as this form (OpenID Connect Core 1.0 section 3.1.2.1), with known
 * parameters only.
 * @throws AppError 400 like `parseAuthorizationRequest`, 413 for a form above 8 KiB
 */
export function toAuthorizationQuery(form: string): string {
  if (Buffer.byteLength(form) > MAX_FORM_BYTES) throw bodyTooLarge(MAX_FORM_BYTES);
  const known = parse(form).filter(([name]) => KNOWN_PARAMETERS.includes(name));
  return new URLSearchParams(known).toString();
}

/**
 * Parses the query of an authorization request for oidc-provider. Keeps duplicate parameters, which oidc-provider refuses,
 * by redirect where possible.
 * @param url path and query of the request
 * @throws AppError 400 for invalid percent-encoding or UTF-8, control characters, or a value that is too long
 */
export function parseAuthorizationRequest(url: string): URLSearchParams {
  const given = parse(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const query = new URLSearchParams(given.filter(([name]) => KNOWN_PARAMETERS.includes(name)));
  keepKnownScopes(query);
  mapPrompts(query);
  replaceValue(query, 'response_mode', IMPLICIT_RESPONSE_MODE, UNSUPPORTED);
  replaceValue(query, 'response_type', 'none', UNSUPPORTED);
  requestImplicitMode(query);
  requestConsentForOfflineAccess(query);
  dropUnusedNonce(query);
  return query;
}

function parse(text: string): [string, string][] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      const name = decode(pair.slice(0, end), 'name');
      return [name, checkLength(decode(pair.slice(end + 1), name), name)] satisfies [string, string];
    })
    .filter(([, value]) => value !== '');
}

function decode(text: string, name: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    if (!/\p{Cc}/u.test(decoded)) return decoded;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw parameterUnreadable(KNOWN_PARAMETERS.includes(name) ? name : '(unknown)');
}

function checkLength(value: string, name: string): string {
  if (value.length > MAX_PARAMETER_LENGTH && KNOWN_PARAMETERS.includes(name)) throw parameterTooLong(name);
  return value;
}

/** RFC 6749 section 3.3. oidc-provider refuses other tokens by name. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Drops spaces around scopes, which clients that join lists send, and unknown scopes (OpenID Connect Core 1.0 section 3.1.2.1), so that the consent page never displays them. */
function keepKnownScopes(query: URLSearchParams): void {
  const given = query.getAll('scope');
  if (given.length > 1) return;
  const kept = (given[0] ?? '')
    .split(' ')
    .filter((scope) => scope !== '' && (ALL_SCOPES.includes(scope as Scope) || !SCOPE_TOKEN.test(scope)));
  query.set('scope', kept.length === 0 ? DEFAULT_SCOPE : kept.join(' '));
}

/** Ignores unknown prompts, but not beside `none`, which forbids all pages: oidc-provider refuses that pair. */
function mapPrompts(query: URLSearchParams): void {
  const given = query.getAll('prompt');
  if (given.length !== 1) return;
  const names = (given[0] ?? '').split(' ').filter((name) => name !== '');
  const known = [...new Set(names.flatMap((name) => (Object.hasOwn(PROMPTS, name) ? [PROMPTS[name]] : [])))];
  const isContradiction = known.includes('none') && new Set(names).size > 1;
  const prompt = (isContradiction ? ['none', 'login'] : known).join(' ');
  if (prompt === '') query.delete('prompt');
  else query.set('prompt', prompt);
}

function replaceValue(query: URLSearchParams, name: string, value: string, replacement: string): void {
  if (query.getAll(name).length === 1 && query.get(name) === value) query.set(name, replacement);
}

/** Maps `response_type=token` to oidc-provider's form of the implicit flow. It supports the response mode `fragment` only. */
function requestImplicitMode(query: URLSearchParams): void {
  const types = query.getAll('response_type');
  const modes = query.getAll('response_mode');
  if (types.length !== 1 || types[0] !== 'token' || modes.length > 1) return;
  query.set('response_type', 'none');
  query.set('response_mode', (modes[0] ?? 'fragment') === 'fragment' ? IMPLICIT_RESPONSE_MODE : UNSUPPORTED);
}

/** OpenID Connect Core 1.0 section 11: offline access requires consent every time. */
function requestConsentForOfflineAccess(query: URLSearchParams): void {
  const scopes = query.get('scope')?.split(' ') ?? [];
  const prompts = query.getAll('prompt');
  if (!scopes.includes('offline_access') || query.get('response_type') !== 'code' || prompts.length > 1)
    return;
  const prompt = prompts[0]?.split(' ') ?? [];
  if (!prompt.includes('none') && !prompt.includes('consent'))
    query.set('prompt', [...prompt, 'consent'].join(' '));
}

/**
 * Drops the nonce of a request without an id token: many clients always send one, but oidc-provider refuses it there.
 */
function dropUnusedNonce(query: URLSearchParams): void {
  const scopes = query.getAll('scope').flatMap((scope) => scope.split(' '));
  if (!scopes.includes('openid')) query.delete('nonce');
}
