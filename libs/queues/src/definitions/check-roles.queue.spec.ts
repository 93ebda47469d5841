import { describe, expect, it } from '@jest/globals';
import { checkRolesResultsQueue } from './check-roles-results.queue.js';
import { checkRolesQueue } from './check-roles.queue.js';

const requestId = '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11';
const address = '0x00000000000000000000000000000000000000AA';
const rule = { type: 'ERC20', chainId: 1, contractAddress: address, minToken: '1.5' };
const full = { version: 1, requestId, clientId: 'client_42', account: address, rules: [rule], reply: true };

const nested = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((inner) => ({ inner }), {});

const parse = (data: unknown) => checkRolesQueue.payload.safeParse(data);

describe('the payload of check-roles', () => {
  it('is the id of a stored request, or a whole request, and stays the JSON that it was', () => {
    for (const data of [
      { version: 1, requestId },
      full,
      { ...full, callbackUrl: 'https://example.org/done' },
    ]) {
      const { success, data: kept } = parse(data);
      expect(success).toBe(true);
      expect(kept).toEqual(data);
      expect(JSON.parse(JSON.stringify(kept))).toEqual(data);
    }
  });

  it.each([
    ['another version', { ...full, version: 2 }],
    ['an id that is no UUID', { version: 1, requestId: 'x:y' }],
    ['no client', { ...full, clientId: undefined }],
    ['a client application with a NUL', { ...full, clientId: 'client_4\0' }],
    ['a client application with half a character', { ...full, clientId: 'client_4\ud800' }],
    ['text with a NUL', { ...full, rules: [{ ...rule, name: 'a\0b' }] }],
    ['a role with half a character', { ...full, rules: [{ ...rule, roleId: '\udfff' }] }],
    ['a name with a NUL', { ...full, rules: [{ ...rule, variables: { 'a\0': 1 } }] }],
    ['a callback with a NUL', { ...full, callbackUrl: 'https://example.org/\0' }],
    ['a thousand levels', { ...full, rules: [{ ...rule, variables: nested(1_000) }] }],
    ['no rules', { ...full, rules: [] }],
    ['a rule without a contract', { ...full, rules: [{ type: 'ERC20', chainId: 1 }] }],
    ['an account that is none', { ...full, account: '0x12' }],
    ['a field that nobody knows', { ...full, admin: true }],
    ['a callback to a file', { ...full, callbackUrl: 'file:///etc/passwd' }],
    ['nothing', undefined],
  ])('is not %s', (_, data) => {
    expect(parse(data).success).toBe(false);
  });

  it('makes one job of one request', () => {
    const { data } = parse(full);
    if (!data) throw new Error('it parses');
    expect(checkRolesQueue.jobId(data)).toBe(requestId);
  });

  it('knows one spelling of a request id, as the results do', () => {
    const shouted = requestId.toUpperCase();
    expect(parse({ ...full, requestId: shouted }).data?.requestId).toBe(requestId);
    expect(parse({ version: 1, requestId: shouted }).data?.requestId).toBe(requestId);
    const answer = checkRolesResultsQueue.payload.parse({ requestId: shouted, roles: [] });
    expect(answer.requestId).toBe(requestId);
  });
});
