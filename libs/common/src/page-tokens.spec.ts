import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PageTokens } from './page-tokens.js';

const tokens = new PageTokens(randomBytes(32));
const mine = { list: 'wallets', caller: 'user_1' };

describe('page tokens', () => {
  it('give back what was written', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (after) => {
        expect(tokens.read(mine, tokens.write(mine, after))).toEqual(after);
      }),
    );
  });

  it('say nothing of what is in them', () => {
    const token = tokens.write(mine, ['a-sort-key']);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('a-sort-key');
  });

  it('are absent on the first page', () => {
    expect(tokens.read(mine, undefined)).toBeUndefined();
  });

  it.each([
    ['another list', { ...mine, list: 'members' }],
    ['another caller', { ...mine, caller: 'user_2' }],
    ['a list and a caller that read the same together', { list: 'walletsuser', caller: '_1' }],
  ])('of %s are refused', (_, other) => {
    const token = tokens.write(other, ['x']);
    expect(() => tokens.read(mine, token)).toThrow(
      expect.objectContaining({
        statusCode: 400,
        details: expect.objectContaining({ code: 'invalid_pagination_token' }),
      }),
    );
  });

  it('are refused when one character is another', () => {
    const token = tokens.write(mine, ['x']);
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom('A', 'b', '0', '-', '_', '=', '+', ' '),
        (at, character) => {
          fc.pre(token[at] !== character);
          const changed = token.slice(0, at) + character + token.slice(at + 1);
          expect(() => tokens.read(mine, changed)).toThrow();
        },
      ),
    );
  });
});
