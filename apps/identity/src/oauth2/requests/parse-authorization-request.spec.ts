import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IMPLICIT_RESPONSE_MODE } from '../provider/register-implicit-flow.js';
import { parseAuthorizationRequest } from './parse-authorization-request.js';

const read = (query: string) => Object.fromEntries(parseAuthorizationRequest(`/oauth2/authorize?${query}`));

describe('the query of an authorization request', () => {
  it('goes on as it is', () => {
    expect(read('response_type=code&client_id=a&scope=openid+user:read&state=%C3%BC%2B%26&nonce=n')).toEqual({
      response_type: 'code',
      client_id: 'a',
      scope: 'openid user:read',
      state: 'ü+&',
      nonce: 'n',
    });
  });

  it('holds nothing that is not known, and nothing empty', () => {
    expect(read('response_type=code&scope=openid&foo=bar&claims=%7B%7D&resource=x&state=&code')).toEqual({
      response_type: 'code',
      scope: 'openid',
    });
  });

  it('names scopes when the application does not', () => {
    expect(read('response_type=code').scope).toBe('$public user:read');
    expect(read('').scope).toBe('$public user:read');
    expect(parseAuthorizationRequest('/oauth2/authorize').get('scope')).toBe('$public user:read');
  });

  it('ignores scopes that there are not: users read no words that an application made up', () => {
    expect(read('scope=user:read+Verified_by_Gatehouse+constructor').scope).toBe('user:read');
    expect(read('scope=constructor').scope).toBe('$public user:read');
    expect(read('scope=user:read+%22x%22').scope).toBe('user:read "x"'); // no scope at all: refused later
  });

  it('asks for the implicit flow in the one way that it is known inside', () => {
    expect(read('response_type=token')).toMatchObject({
      response_type: 'none',
      response_mode: IMPLICIT_RESPONSE_MODE,
    });
    expect(read('response_type=token&response_mode=fragment')).toMatchObject({
      response_mode: IMPLICIT_RESPONSE_MODE,
    });
    expect(read('response_type=token&response_mode=query')).toMatchObject({ response_mode: 'unsupported' });
    expect(read('response_type=token&response_mode=form_post')).toMatchObject({
      response_mode: 'unsupported',
    });
  });

  it('lets nobody outside say what is only said inside', () => {
    expect(read('response_type=none')).toMatchObject({ response_type: 'unsupported' });
    expect(read(`response_type=code&response_mode=${IMPLICIT_RESPONSE_MODE}`)).toMatchObject({
      response_mode: 'unsupported',
    });
    expect(read(`response_type=none&response_mode=${IMPLICIT_RESPONSE_MODE}`)).toMatchObject({
      response_type: 'unsupported',
      response_mode: 'unsupported',
    });
  });

  it('keeps what came twice, to be refused', () => {
    const query = parseAuthorizationRequest(
      '/oauth2/authorize?response_type=token&response_type=code&state=a&state=b',
    );
    expect(query.getAll('response_type')).toEqual(['token', 'code']);
    expect(query.getAll('state')).toEqual(['a', 'b']);
    expect(query.has('response_mode')).toBe(false);
  });

  it('asks the user whenever somebody wants access while the user is away', () => {
    const offline = (more: string) => read(`response_type=code&scope=offline_access+openid${more}`).prompt;
    expect(offline('')).toBe('consent');
    expect(offline('&prompt=login')).toBe('login consent');
    expect(offline('&prompt=consent')).toBe('consent');
    expect(offline('&prompt=none')).toBe('none');
    expect(read('response_type=code&scope=openid').prompt).toBeUndefined();
    expect(read('response_type=token&scope=offline_access').prompt).toBeUndefined();
  });

  it('takes a state and a nonce of up to 2,048 characters, and names the longer one', () => {
    const [longest, longer] = ['ü'.repeat(2_048), 'ü'.repeat(2_049)].map(encodeURIComponent);
    expect(read(`scope=openid&state=${longest}&nonce=${longest}`).state).toHaveLength(2_048);
    for (const name of ['state', 'nonce'])
      expect(() => read(`${name}=${longer}`)).toThrow(
        `The parameter ${name} is longer than 2048 characters.`,
      );
  });

  it('has no nonce where there is no id token', () => {
    expect(read('scope=openid&nonce=n').nonce).toBe('n');
    expect(read('scope=user:read&nonce=n').nonce).toBeUndefined();
    expect(read('nonce=n').nonce).toBeUndefined();
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
  ])('is not read when it is %j', (query) => {
    expect(() => read(query)).toThrow('cannot be read');
  });

  it('gives every state back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (state) => {
        fc.pre(!/\p{Cc}/u.test(state));
        const sent = new URLSearchParams({ response_type: 'code', state }).toString();
        expect(read(sent).state).toBe(state);
        expect(read(`response_type=code&state=${encodeURIComponent(state)}`).state).toBe(state);
      }),
    );
  });
});
