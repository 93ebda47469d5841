import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type GatewayWithTokens, leaseGatewayWithTokens } from './gateway-with-tokens.js';

const HOUR = 3_600;
const ROUNDS = 41;
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

describe('invalid tokens', () => {
  let running: GatewayWithTokens;
  let clientId: string;
  beforeAll(async () => {
    running = await leaseGatewayWithTokens();
    ({ clientId } = await running.suite.createClient());
  });

  it('T37: invalid tokens: are rejected in the same time whatever is invalid', async () => {
    const { mint } = running;
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const claims = (more: object) => mint.accessClaims(clientId, { ...more });
    const invalid = {
      expired: () => mint.bearer(claims({ exp: inSeconds(-HOUR) })),
      'not valid yet': () => mint.bearer(claims({ nbf: inSeconds(HOUR) })),
      'another audience': () => mint.bearer(claims({ aud: clientId })),
      'another issuer': () => mint.bearer(claims({ iss: 'https://evil.example' })),
      'another key': () => mint.bearer(claims({}), {}, foreign),
    };
    const tokens = Object.values(invalid).map((create) => ({
      // Each of them once, because verified tokens are cached.
      headers: Array.from({ length: ROUNDS }, () => ({ Authorization: `Bearer ${create()}` })),
      times: [] as number[],
    }));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { headers, times } of tokens) {
        const startMs = performance.now();
        const response = await running.ask('/account/me', headers[round] ?? {});
        await response.arrayBuffer();
        times.push(performance.now() - startMs);
        expect(response.status).toBe(401);
      }
    const medians = tokens.map(({ times }) => times.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2] ?? NaN);
    expect(Math.max(...medians)).toBeLessThan(2 * Math.min(...medians));
  });
});
