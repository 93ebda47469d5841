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

  it('describeExplanation: counts one in the singular, and everything else in the plural', () => {
    const needs = (min: string, held?: string) =>
      describeExplanation({
        code: 'below_minimum',
        min,
        max: null,
        unit: 'nft',
        ...(held !== undefined && { held }),
      });
    expect(needs('1')).toBe('Holds less than the 1 NFT that is needed.');
    expect(needs('1.0')).toBe('Holds less than the 1.0 NFT that is needed.');
    expect(needs('0.5')).toBe('Holds less than the 0.5 NFTs that are needed.');
    expect(needs('11', '0')).toBe('Holds 0 NFTs; at least 11 NFTs needed.');
    expect(explain('above_maximum', { max: '1' })).toBe('Holds more than the 1 NFT that is allowed.');
    expect(explain('above_maximum', { max: '0', held: '1' })).toBe('Holds 1 NFT; at most 0 NFTs allowed.');
  });

  it('describeExplanation: has a sentence without code marks for every code', () => {
    for (const code of Object.keys(EXPLANATIONS) as ExplanationCode[])
      expect(explain(code)).toMatch(/^[A-Z][^`]*\.$/);
  });
});
