import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IMPLICIT_RESPONSE_MODE } from '../provider/register-grants.js';
import { parseAuthorizationRequest, toAuthorizationQuery } from './parse-authorization-request.js';

const parse = (query: string) => Object.fromEntries(parseAuthorizationRequest(`/oauth2/authorize?${query}`));

describe('parseAuthorizationRequest', () => {
  it('parseAuthorizationRequest: keeps known parameters unchanged', () => {
    expect(parse('response_type=code&client_id=a&scope=openid+user:read&state=%C3%BC%2B%26&nonce=n')).toEqual(
      {
        response_type: 'code',
        client_id: 'a',
        scope: 'openid user:read',
        state: 'ü+&',
        nonce: 'n',
      },
    );
  });

  it('parseAuthorizationRequest: drops unknown and empty parameters', () => {
    expect(parse('response_type=code&scope=openid&foo=bar&claims=%7B%7D&resource=x&state=&code')).toEqual({
      response_type: 'code',
      scope: 'openid',
    });
  });

  it('parseAuthorizationRequest: adds the default scope if the request has none', () => {
    expect(parse('response_type=code').scope).toBe('$public user:read');
    expect(parse('').scope).toBe('$public user:read');
    expect(parseAuthorizationRequest('/oauth2/authorize').get('scope')).toBe('$public user:read');
  });

  it('parseAuthorizationRequest: drops unknown scopes, so that applications cannot display text on the consent page', () => {
    expect(parse('scope=user:read+Verified_by_Gatehouse+constructor').scope).toBe('user:read');
    expect(parse('scope=constructor').scope).toBe('$public user:read');
    expect(parse('scope=user:read+%22x%22').scope).toBe('user:read "x"'); // not a valid scope token: refused later
  });

  it('parseAuthorizationRequest: maps the implicit flow to its internal response mode', () => {
    expect(parse('response_type=token')).toMatchObject({
      response_type: 'none',
      response_mode: IMPLICIT_RESPONSE_MODE,
    });
    expect(parse('response_type=token&response_mode=fragment')).toMatchObject({
      response_mode: IMPLICIT_RESPONSE_MODE,
    });
    expect(parse('response_type=token&response_mode=query')).toMatchObject({ response_mode: 'unsupported' });
    expect(parse('response_type=token&response_mode=form_post')).toMatchObject({
      response_mode: 'unsupported',
    });
  });

  it('parseAuthorizationRequest: refuses the internal values of the implicit flow', () => {
    expect(parse('response_type=none')).toMatchObject({ response_type: 'unsupported' });
    expect(parse(`response_type=code&response_mode=${IMPLICIT_RESPONSE_MODE}`)).toMatchObject({
      response_mode: 'unsupported',
    });
    expect(parse(`response_type=none&response_mode=${IMPLICIT_RESPONSE_MODE}`)).toMatchObject({
      response_type: 'unsupported',
      response_mode: 'unsupported',
    });
  });

  it('parseAuthorizationRequest: keeps duplicate parameters, which oidc-provider refuses', () => {
    const query = parseAuthorizationRequest(
      '/oauth2/authorize?response_type=token&response_type=code&state=a&state=b',
    );
    expect(query.getAll('response_type')).toEqual(['token', 'code']);
    expect(query.getAll('state')).toEqual(['a', 'b']);
    expect(query.has('response_mode')).toBe(false);
  });

  it.each([
    ['select_account', 'login'],
    ['create', 'login'],
    ['consent select_account', 'consent login'],
    ['login create select_account', 'login'],
    ['verify constructor __proto__', undefined],
    ['verify consent', 'consent'],
    ['none', 'none'],
    ['none none', 'none'],
    ['none select_account', 'none login'],
    ['verify none', 'none login'],
  ])('parseAuthorizationRequest: reads prompt=%s as %s', (given, prompt) => {
    expect(parse(`prompt=${encodeURIComponent(given)}`).prompt).toBe(prompt);
  });

  it('toAuthorizationQuery: keeps what a request by GET would read, whatever the form holds', () => {
    const form = fc.array(
      fc.tuple(
        fc.constantFrom('client_id', 'state', 'prompt', 'scope', 'response_type', 'foo'),
        fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/\p{Cc}/u.test(text)),
      ),
    );
    fc.assert(
      fc.property(form, (pairs) => {
        const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
        const query = toAuthorizationQuery(text);
        expect(query).not.toContain('foo=');
        expect(query).toMatch(/^[\w%&=+.*-]*$/);
        const [byGet, byForm] = [text, query].map((one) =>
          parseAuthorizationRequest(`/oauth2/authorize?${one}`).toString(),
        );
        expect(byForm).toBe(byGet);
      }),
    );
  });

  it('toAuthorizationQuery: refuses more than 8 KiB', () => {
    expect(() => toAuthorizationQuery(`foo=${'x'.repeat(8_200)}`)).toThrow('8192');
  });

  it('parseAuthorizationRequest: requires consent for offline access', () => {
    const offline = (more: string) => parse(`response_type=code&scope=offline_access+openid${more}`).prompt;
    expect(offline('')).toBe('consent');
    expect(offline('&prompt=login')).toBe('login consent');
    expect(offline('&prompt=consent')).toBe('consent');
    expect(offline('&prompt=none')).toBe('none');
    expect(parse('response_type=code&scope=openid').prompt).toBeUndefined();
    expect(parse('response_type=token&scope=offline_access').prompt).toBeUndefined();
  });

  it('parseAuthorizationRequest: accepts parameters of up to 2,048 characters and names a longer one in the error', () => {
    const [longest, longer] = ['ü'.repeat(2_048), 'ü'.repeat(2_049)].map(encodeURIComponent);
    expect(parse(`scope=openid&state=${longest}&nonce=${longest}`).state).toHaveLength(2_048);
    for (const name of ['state', 'nonce', 'login_hint', 'id_token_hint', 'redirect_uri'])
      expect(() => parse(`${name}=${longer}`)).toThrow(
        `The parameter ${name} is longer than 2048 characters.`,
      );
  });

  it('parseAuthorizationRequest: drops the nonce of a request without an id token', () => {
    expect(parse('scope=openid&nonce=n').nonce).toBe('n');
    expect(parse('scope=user:read&nonce=n').nonce).toBeUndefined();
    expect(parse('nonce=n').nonce).toBeUndefined();
  });

  it.each([
    'state=%',
    'state=%4',
    'state=%zz',
    'state=%ff',
    'state=%ed%a0%80',
    'state=%00',
    'state=a%0ab',
    '%ff=x',
  ])('parseAuthorizationRequest: refuses %j', (query) => {
    expect(() => parse(query)).toThrow('cannot be read');
  });

  it('parseAuthorizationRequest: keeps every state unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (state) => {
        fc.pre(!/\p{Cc}/u.test(state));
        const sent = new URLSearchParams({ response_type: 'code', state }).toString();
        expect(parse(sent).state).toBe(state);
        expect(parse(`response_type=code&state=${encodeURIComponent(state)}`).state).toBe(state);
      }),
    );
  });
});
