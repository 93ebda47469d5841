import { describe, expect, it } from '@jest/globals';
import { summarizeIssues } from '@app/common';
import { checkRolesResultsQueue, checkRolesQueue } from './check-roles.queue.js';

const requestId = '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11';
const address = '0x00000000000000000000000000000000000000AA';
const rule = { type: 'ERC20', chainId: 1, contractAddress: address, minToken: '1.5' };
const full = { version: 1, requestId, clientId: 'client_42', account: address, rules: [rule], reply: true };

const nested = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((inner) => ({ inner }), {});

const parse = (data: unknown) => checkRolesQueue.payload.safeParse(data);

describe('checkRolesQueue', () => {
  it('checkRolesQueue: accepts the id of a stored request or a whole request, and does not change the JSON', () => {
    for (const data of [
      { version: 1, requestId },
      full,
      { ...full, callbackUrl: 'https://example.org/done' },
    ]) {
      const { success, data: parsed } = parse(data);
      expect(success).toBe(true);
      expect(parsed).toEqual(data);
      expect(JSON.parse(JSON.stringify(parsed))).toEqual(data);
    }
  });

  it.each([
    ['another version', { ...full, version: 2 }],
    ['an id that is no UUID', { version: 1, requestId: 'x:y' }],
    ['no client', { ...full, clientId: undefined }],
    ['a client application with a NUL', { ...full, clientId: 'client_4\0' }],
    ['a client application with a lone surrogate', { ...full, clientId: 'client_4\ud800' }],
    ['text with a NUL', { ...full, rules: [{ ...rule, name: 'a\0b' }] }],
    ['a role with a lone surrogate', { ...full, rules: [{ ...rule, roleId: '\udfff' }] }],
    ['a name with a NUL', { ...full, rules: [{ ...rule, variables: { 'a\0': 1 } }] }],
    ['a callback with a NUL', { ...full, callbackUrl: 'https://example.org/\0' }],
    ['a thousand levels', { ...full, rules: [{ ...rule, variables: nested(1_000) }] }],
    ['no rules', { ...full, rules: [] }],
    ['a rule without a contract', { ...full, rules: [{ type: 'ERC20', chainId: 1 }] }],
    ['an account that is none', { ...full, account: '0x12' }],
    ['an unknown field', { ...full, admin: true }],
    ['a callback to a file', { ...full, callbackUrl: 'file:///etc/passwd' }],
    ['nothing', undefined],
  ])('checkRolesQueue: rejects %s', (_, data) => {
    expect(parse(data).success).toBe(false);
  });

  it('checkRolesQueue: takes trees of rules in version 2 alone, and no other check in it', () => {
    const trees = { ...full, rules: [rule, { roleId: 'r', not: { anyOf: [rule, rule] } }] };
    expect(parse({ ...trees, version: 2 }).data).toEqual({ ...trees, version: 2 });
    const reasonOf = (data: unknown) => summarizeIssues(parse(data).error?.issues ?? []);
    expect(reasonOf(trees)).toContain('rules.1: is a tree of rules, which needs version 2');
    expect(reasonOf({ ...full, version: 2 })).toContain('version: must be 1');
    expect(parse({ ...trees, version: 3 }).success).toBe(false);
    expect(parse({ version: 2, requestId }).success).toBe(false);
    const unknown = { ...trees, version: 2, rules: [{ not: { ...rule, minToken: 'x' } }] };
    expect(reasonOf(unknown)).toContain('rules.0.not.minToken: ');
    let deep: object = rule;
    for (let level = 0; level < 10_000; level += 1) deep = { not: deep };
    expect(reasonOf({ ...trees, version: 2, rules: [deep] })).toMatch(/nested deeper than/);
  });

  it('checkRolesQueue: uses the request id as the job id', () => {
    const { data } = parse(full);
    if (!data) throw new Error('The request is not valid');
    expect(checkRolesQueue.jobId(data)).toBe(requestId);
  });

  it('checkRolesQueue: converts the request id to lower case, as the results do', () => {
    const upperCase = requestId.toUpperCase();
    expect(parse({ ...full, requestId: upperCase }).data?.requestId).toBe(requestId);
    expect(parse({ version: 1, requestId: upperCase }).data?.requestId).toBe(requestId);
    const result = checkRolesResultsQueue.payload.parse({ requestId: upperCase, roles: [] });
    expect(result.requestId).toBe(requestId);
  });
});
