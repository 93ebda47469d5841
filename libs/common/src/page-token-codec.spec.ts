import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PageTokenCodec } from './page-token-codec.js';

const codec = new PageTokenCodec(randomBytes(32));
const scope = { list: 'wallets', caller: 'user_1' };

describe('PageTokenCodec', () => {
  it('PageTokenCodec: decodes the encoded sort key', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (after) => {
        expect(codec.decode(scope, codec.encode(scope, after))).toEqual(after);
      }),
    );
  });

  it('PageTokenCodec: hides the sort key', () => {
    const token = codec.encode(scope, ['a-sort-key']);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('a-sort-key');
  });

  it('PageTokenCodec: accepts an absent token on the first page', () => {
    expect(codec.decode(scope, undefined)).toBeUndefined();
  });

  it.each([
    ['another list', { ...scope, list: 'members' }],
    ['another caller', { ...scope, caller: 'user_2' }],
    ['a list and a caller with the same concatenation', { list: 'walletsuser', caller: '_1' }],
  ])('PageTokenCodec: rejects tokens of %s', (_, other) => {
    const token = codec.encode(other, ['x']);
    expect(() => codec.decode(scope, token)).toThrow(
      expect.objectContaining({
        statusCode: 400,
        details: expect.objectContaining({ code: 'pagination_token_invalid' }),
      }),
    );
  });

  it('PageTokenCodec: rejects tokens with one changed character', () => {
    const token = codec.encode(scope, ['x']);
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom('A', 'b', '0', '-', '_', '=', '+', ' '),
        (at, character) => {
          fc.pre(token[at] !== character);
          const changed = token.slice(0, at) + character + token.slice(at + 1);
          expect(() => codec.decode(scope, changed)).toThrow();
        },
      ),
    );
  });
});
