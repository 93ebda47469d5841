import { describe, expect, it } from '@jest/globals';
import { type ExplanationCode, EXPLANATIONS } from '@app/dto';
import { describeExplanation } from './explain-words.js';

const explain = (code: ExplanationCode, more: { held?: string; max?: string } = {}) =>
  describeExplanation({ code, min: '2', max: null, unit: 'nft', ...more });

describe('explanations in words', () => {
  it('describeExplanation: says what is held and what is needed', () => {
    expect(explain('held_enough', { held: '1000' })).toBe('Holds 1,000 NFTs.');
    expect(explain('held_enough')).toBe('Holds enough.');
    expect(explain('below_minimum', { held: '1' })).toBe('Holds 1 NFT; at least 2 NFTs needed.');
    expect(explain('below_minimum')).toBe('Holds less than the 2 NFTs that are needed.');
    expect(explain('above_maximum', { held: '9', max: '5' })).toBe('Holds 9 NFTs; at most 5 NFTs allowed.');
  });

  it('describeExplanation: has a sentence without code marks for every code', () => {
    for (const code of Object.keys(EXPLANATIONS) as ExplanationCode[])
      expect(explain(code)).toMatch(/^[A-Z][^`]*\.$/);
  });
});
