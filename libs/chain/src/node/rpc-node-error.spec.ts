import { describe, expect, it } from '@jest/globals';
import { toHttpStatusError, toTransportError } from './rpc-node-error.js';

describe('transport errors', () => {
  it('transport errors: maps a status to success, too_heavy or unavailable', () => {
    expect(toHttpStatusError(200)).toBeUndefined();
    expect(toHttpStatusError(413)?.kind).toBe('too_heavy');
    for (const status of [301, 400, 401, 403, 404, 429, 500, 502, 503, 504]) {
      expect(toHttpStatusError(status)?.kind).toBe('unavailable');
    }
  });

  it('transport errors: names the code of a socket error but nothing that may contain a URL', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED https://secret'), { code: 'ECONNREFUSED' });
    expect(toTransportError(error).message).toBe('the node could not be reached (ECONNREFUSED)');
    expect(toTransportError(null).kind).toBe('unavailable');
  });
});
