import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import type { Scope } from '@app/dto';
import { describeFirstCall } from './first-call.js';

const URL = 'https://api.example';
const shop = (requestedScopes: Scope[], approvedScopes: Scope[] = [], redirectUris: string[] = []) => ({
  requestedScopes,
  approvedScopes,
  origins: [],
  redirectUris,
});

/** The arguments that a shell makes of the command. */
const argumentsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');

describe('describeFirstCall', () => {
  it('describeFirstCall: says for token-gating whether the call waits for an approval', () => {
    const waiting = describeFirstCall(shop(['token-gating']), 'gth_live_1', URL);
    expect(waiting?.waits).toBe(true);
    expect(argumentsOf(waiting?.command ?? '')).toEqual([`${URL}/chains`, '-H', 'X-API-Key: gth_live_1']);
    expect(describeFirstCall(shop(['token-gating'], ['token-gating']), 'key', URL)?.waits).toBe(false);
  });

  it('describeFirstCall: begins a login where the application has an address, quoted for a shell', () => {
    const call = describeFirstCall(shop(['openid'], [], ["https://shop.example/it's"]), 'key', URL);
    expect(argumentsOf(call?.command ?? '')).toEqual([
      `${URL}/ethereum-login/challenges`,
      ...['-H', 'X-API-Key: key', '-H', 'Content-Type: application/json'],
      ...['-d', '{"uri":"https://shop.example/"}'],
    ]);
  });

  it('describeFirstCall: knows none for an application whose key alone opens nothing', () => {
    expect(describeFirstCall(shop(['openid']), 'key', URL)).toBeUndefined();
  });
});
