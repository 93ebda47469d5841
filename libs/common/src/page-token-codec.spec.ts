import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PageTokenCodec } from './page-token-codec.js';

const tokens = new PageTokenCodec(randomBytes(32));
const mine = { list: 'wallets', caller: 'user_1' };

describe('page tokens', () => {
  it('give back what was written', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (after) => {
        expect(tokens.decode(mine, tokens.encode(mine, after))).toEqual(after);
      }),
    );
  });

  it('say nothing of what is in them', () => {
    const token = tokens.encode(mine, ['a-sort-key']);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('a-sort-key');
  });

  it('are absent on the first page', () => {
    expect(tokens.decode(mine, undefined)).toBeUndefined();
  });

  it.each([
    ['another list', { ...mine, list: 'members' }],
    ['another caller', { ...mine, caller: 'user_2' }],
    ['a list and a caller that read the same together', { list: 'walletsuser', caller: '_1' }],
  ])('of %s are refused', (_, other) => {
    const token = tokens.encode(other, ['x']);
    expect(() => tokens.decode(mine, token)).toThrow(
      expect.objectContaining({
        statusCode: 400,
        details: expect.objectContaining({ code: 'pagination_token_invalid' }),
      }),
    );
  });

  it('are refused when one character is another', () => {
    const token = tokens.encode(mine, ['x']);
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom('A', 'b', '0', '-', '_', '=', '+', ' '),
        (at, character) => {
          fc.pre(token[at] !== character);
          const changed = token.slice(0, at) + character + token.slice(at + 1);
          expect(() => tokens.decode(mine, changed)).toThrow();
        },
      ),
    );
  });
});
