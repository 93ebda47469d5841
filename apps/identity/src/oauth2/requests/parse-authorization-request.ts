import { badRequest } from '@app/common';
import type { Scope } from '@app/dto';
import { IMPLICIT_RESPONSE_MODE } from '../provider/register-implicit-flow.js';
import { ALL_SCOPES, DEFAULT_SCOPE } from '../clients/scopes.js';

/** What oidc-provider gets to see. Everything else is ignored (RFC 6749 section 3.1). */
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
  // Refused by name.
  'request',
  'request_uri',
  'registration',
];

/** Names that oidc-provider knows and nobody may use: what is asked for by them is not supported. */
const UNSUPPORTED = 'unsupported';

/** What is kept and given back unchanged. In characters. */
const MAX_PARAMETER_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['state', 2_048],
  ['nonce', 2_048],
]);

const parameterTooLong = (name: string, most: number) =>
  badRequest('parameter_invalid', `The parameter ${name} is longer than ${most} characters.`, {
    field: name,
  });

const parameterUnreadable = (name: string) =>
  badRequest('parameter_invalid', `The parameter ${name} cannot be read.`, { field: name });

/**
 * The query of an authorization request as oidc-provider is to read it. A parameter that came twice still does: it is refused
 * there, by a redirect where one is possible.
 * @param url path and query, as they came
 * @throws AppError 400 for what is not percent-encoded UTF-8, holds control characters or is too long
 */
export function parseAuthorizationRequest(url: string): URLSearchParams {
  const given = parse(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const query = new URLSearchParams(given.filter(([name]) => KNOWN_PARAMETERS.includes(name)));
  keepKnownScopes(query);
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
  throw parameterUnreadable(KNOWN_PARAMETERS.includes(name) ? name : 'that has no name here');
}

function checkLength(value: string, name: string): string {
  const most = MAX_PARAMETER_LENGTHS.get(name) ?? Infinity;
  if (value.length > most) throw parameterTooLong(name, most);
  return value;
}

/** RFC 6749 section 3.3. What is not of this form is refused by name. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Others are ignored, before anybody reads on a page what an application made up (OpenID Connect Core section 3.1.2.1). */
function keepKnownScopes(query: URLSearchParams): void {
  const given = query.getAll('scope');
  if (given.length > 1) return;
  const kept = (given[0] ?? '')
    .split(' ')
    .filter((scope) => ALL_SCOPES.includes(scope as Scope) || !SCOPE_TOKEN.test(scope));
  query.set('scope', kept.join(' ').trim() === '' ? DEFAULT_SCOPE : kept.join(' '));
}

function replaceValue(query: URLSearchParams, name: string, value: string, other: string): void {
  if (query.getAll(name).length === 1 && query.get(name) === value) query.set(name, other);
}

/** `token` is `none` inside, answered in a mode that makes the token; in no other mode but a fragment. */
function requestImplicitMode(query: URLSearchParams): void {
  const types = query.getAll('response_type');
  const modes = query.getAll('response_mode');
  if (types.length !== 1 || types[0] !== 'token' || modes.length > 1) return;
  query.set('response_type', 'none');
  query.set('response_mode', (modes[0] ?? 'fragment') === 'fragment' ? IMPLICIT_RESPONSE_MODE : UNSUPPORTED);
}

/** OpenID Connect Core section 11: who wants access while the user is away has to ask the user, every time. */
function requestConsentForOfflineAccess(query: URLSearchParams): void {
  const scopes = query.get('scope')?.split(' ') ?? [];
  const prompts = query.getAll('prompt');
  if (!scopes.includes('offline_access') || query.get('response_type') !== 'code' || prompts.length > 1)
    return;
  const prompt = prompts[0]?.split(' ') ?? [];
  if (!prompt.includes('none') && !prompt.includes('consent'))
    query.set('prompt', [...prompt, 'consent'].join(' '));
}

/** It stands in id tokens only. Many clients send one with every request, and are refused by oidc-provider where there is none. */
function dropUnusedNonce(query: URLSearchParams): void {
  const scopes = query.getAll('scope').flatMap((scope) => scope.split(' '));
  if (!scopes.includes('openid')) query.delete('nonce');
}
