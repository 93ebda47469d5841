import { describe, expect, it } from '@jest/globals';
import base58 from 'bs58';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { TOKEN_METADATA_PROGRAM_ID } from '../../reads/solana/token-metadata-layout.js';
import { findMetadataAddress, isOnCurve } from './metadata-address.js';

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('findMetadataAddress', () => {
  it('findMetadataAddress: derives the addresses that web3.js derives', () => {
    const program = new PublicKey(TOKEN_METADATA_PROGRAM_ID);
    fc.assert(
      fc.property(bytes, (mint) => {
        const seeds = [Buffer.from('metadata'), program.toBuffer(), mint];
        const [address] = PublicKey.findProgramAddressSync(seeds, program);
        expect(findMetadataAddress(base58.encode(mint))).toBe(address.toBase58());
      }),
    );
  });
});

describe('isOnCurve', () => {
  const withSign = (low: number, sign: number): Uint8Array => {
    const point = new Uint8Array(32);
    point[0] = low;
    point[31] = sign;
    return point;
  };

  it('isOnCurve: agrees with web3.js', () => {
    const smallPoint = fc
      .tuple(fc.nat({ max: 255 }), fc.constantFrom(0, 0x80))
      .map(([low, sign]) => withSign(low, sign));
    fc.assert(
      fc.property(fc.oneof(bytes, smallPoint), (point) => {
        expect(isOnCurve(point)).toBe(PublicKey.isOnCurve(point));
      }),
      { numRuns: 500, examples: [[withSign(1, 0)], [withSign(1, 0x80)], [new Uint8Array(32).fill(255)]] },
    );
  });
});
