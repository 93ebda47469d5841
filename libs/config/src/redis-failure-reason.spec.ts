import { describe, expect, it } from '@jest/globals';
import { formatRedisFailure } from './redis-failure-reason.js';

const failWith = (code: string) => Object.assign(new Error('connect 10.0.0.1:6379'), { code });

describe('formatRedisFailure', () => {
  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'another host'],
    ['CERT_HAS_EXPIRED', 'expired'],
  ])('formatRedisFailure: says what to change for %s, and names the code', (code, hint) => {
    const reason = formatRedisFailure(failWith(code));
    expect(reason).toContain(hint);
    expect(reason).toContain(code);
  });

  it('formatRedisFailure: is the code of any other error, without the address, and the message of an answer of Redis', () => {
    expect(formatRedisFailure(failWith('ECONNREFUSED'))).toBe('ECONNREFUSED');
    const refused = new Error('WRONGPASS invalid username-password pair or user is disabled.');
    expect(formatRedisFailure(refused)).toBe(refused.message);
  });

  it('formatRedisFailure: of a cluster it is the failure of the node that was asked last', () => {
    const error = Object.assign(new Error('Failed to refresh slots cache.'), {
      lastNodeError: failWith('ECONNREFUSED'),
    });
    expect(formatRedisFailure(error)).toBe('ECONNREFUSED');
  });
});
