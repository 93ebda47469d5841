import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { checkOrigin } from './page-session.guard.js';

const OWN = 'https://auth.example';
const check = (origin?: string, site?: string) => () => {
  checkOrigin({ headers: { origin, 'sec-fetch-site': site } } as unknown as Request, OWN);
};

describe('checkOrigin', () => {
  it.each([
    [OWN, 'same-origin'],
    [OWN, undefined],
    [undefined, 'same-origin'],
  ])('checkOrigin: accepts origin %s with fetch site %s', (origin, site) => {
    expect(check(origin, site)).not.toThrow();
  });

  it.each([
    [undefined, undefined],
    ['null', undefined],
    ['null', 'same-origin'],
    [OWN, 'same-site'],
    [OWN, 'cross-site'],
    [OWN, 'none'],
    ['https://evil.example', 'same-origin'],
    ['https://evil.example', undefined],
    [`${OWN}.evil.example`, undefined],
    ['http://auth.example', undefined],
  ])('checkOrigin: refuses origin %s with fetch site %s', (origin, site) => {
    expect(check(origin, site)).toThrow('another site');
  });
});
