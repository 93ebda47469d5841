import { describe, expect, it } from '@jest/globals';
import { mintRequest } from './mint.dto.js';

const request = { name: 'Demo', symbol: 'DMO', metadata: {} };
const pathsOf = (change: object) =>
  mintRequest.safeParse({ ...request, ...change }).error?.issues.map(({ path }) => path.join('.'));

describe('mintRequest', () => {
  it('mintRequest: takes what existing clients send', () => {
    const metadata = { description: '', website_link: '', twitter: '', media: '', nsfw: false };
    expect(mintRequest.parse({ ...request, metadata })).toEqual({ ...request, metadata });
  });

  it('mintRequest: counts bytes of UTF-8 after the ends are trimmed', () => {
    expect(mintRequest.parse({ ...request, name: `  ${'é'.repeat(32)}  ` }).name).toBe('é'.repeat(32));
    expect(pathsOf({ name: 'é'.repeat(33) })).toEqual(['name']);
    expect(pathsOf({ symbol: '🏴'.repeat(4) })).toBeUndefined();
    expect(pathsOf({ symbol: `${'🏴'.repeat(4)}a` })).toEqual(['symbol']);
  });

  it('mintRequest: refuses text that is empty or invisible', () => {
    for (const name of ['', '  ', 'a\u0000b', 'a\nb', 'a\u202eb'])
      expect(pathsOf({ name })).toEqual(['name']);
  });

  it('mintRequest: refuses a recipient that is no address or the zero address', () => {
    for (const recipient of ['0x12', `0x${'0'.repeat(40)}`, '0x70997970C51812dc3A010C7d01b50e0d17dc79c8'])
      expect(pathsOf({ recipient })).toEqual(['recipient']);
  });

  it('mintRequest: bounds the metadata', () => {
    expect(pathsOf({ metadata: { telegram: 'a'.repeat(9_000) } })).toEqual(['metadata']);
    expect(pathsOf({ metadata: { image: 'a'.repeat(2_049) } })).toEqual(['metadata.image']);
  });
});
