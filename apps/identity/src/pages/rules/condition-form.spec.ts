import { describe, expect, it } from '@jest/globals';
import { parseConditionForm, readConditionForm, toConditionForm } from './condition-form.js';
import { FORM_RULE_TYPES } from './rule-draft.js';

const APES = '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D';
const MINT = 'J1S9H3QjnRtBbbuD4HjPV6RpRhwuk4zKbxsnCHuTgh9w';

const parse = (fields: Record<string, string>, earlier?: Record<string, unknown>) => {
  const form = readConditionForm({ chainId: '1', contractAddress: APES, ...fields });
  if (!form) throw new Error('The form has a type');
  return parseConditionForm(form, earlier);
};
const problemsOf = (fields: Record<string, string>) => {
  const result = parse(fields);
  return result.ok ? {} : result.problems;
};

describe('the form of a condition', () => {
  it('parseConditionForm: makes a condition of each type', () => {
    const apes = { type: 'ERC721', chainId: 1, contractAddress: APES, minToken: '1' };
    expect(parse({ type: 'ERC721', name: 'Bored Ape Yacht Club', symbol: 'BAYC' })).toEqual({
      ok: true,
      condition: { ...apes, name: 'Bored Ape Yacht Club', tokenSymbol: 'BAYC' },
    });
    expect(parse({ type: 'ERC20', minToken: '1,000.5', maxToken: ' 2000 ' })).toMatchObject({
      condition: { minToken: '1000.5', maxToken: '2000' },
    });
    expect(parse({ type: 'ERC1155', tokenId: '#1, 2\n42 – 69 and 100 to 102' })).toMatchObject({
      condition: { tokenId: '1,2,42-69,100-102' },
    });
    expect(parse({ type: 'NATIVE', minToken: '0.5' })).toEqual({
      ok: true,
      condition: { type: 'NATIVE', chainId: 1, minToken: '0.5' },
    });
    expect(parse({ type: 'gnosis' })).toEqual({
      ok: true,
      condition: { type: 'gnosis', chainId: 1, contractAddress: APES },
    });
    const solana = { chainId: '8000000000101', contractAddress: MINT };
    expect(parse({ type: 'SOLANA_FT', ...solana, minToken: '2.5' }).ok).toBe(true);
    expect(parse({ type: 'SOLANA_NFT', ...solana })).toMatchObject({
      condition: { contractAddress: 'mint', tokenId: MINT },
    });
    expect(parse({ type: 'OPEN_SEA', collectionName: 'doodles-official' })).toEqual({
      ok: true,
      condition: { type: 'OPEN_SEA', collectionName: 'doodles-official', minToken: '1' },
    });
  });

  it('parseConditionForm: says in words, beside the field, what is wrong', () => {
    expect(problemsOf({ type: 'ERC721', minToken: '0,5' })).toEqual({
      minToken: 'Write a number such as 1 or 0.5.',
    });
    expect(problemsOf({ type: 'ERC721', minToken: '1.5' })).toEqual({
      minToken: 'Write a whole number: these tokens cannot be split.',
    });
    expect(problemsOf({ type: 'ERC721', minToken: '3', maxToken: '2' })).toEqual({
      minToken: 'This is more than the most that is allowed.',
    });
    expect(problemsOf({ type: 'ERC721', maxToken: 'many' })).toEqual({
      maxToken: 'Write a number such as 1 or 0.5, or leave it empty.',
    });
    expect(problemsOf({ type: 'ERC721', tokenId: 'the rare ones' }).tokenId).toMatch(/^Write the numbers/);
    expect(problemsOf({ type: 'ERC721', tokenId: '9-1' }).tokenId).toMatch(/^This has a range/);
    const several = problemsOf({ type: 'ERC721', tokenId: '7-3, abc', minToken: '5', maxToken: '2' });
    expect(several.tokenId).toMatch(/[a-z]/);
    expect(several.minToken).toBe('This is more than the most that is allowed.');
    expect(problemsOf({ type: 'ERC1155' }).tokenId).toBe('Write which tokens of the contract count.');
    expect(problemsOf({ type: 'ERC721', tokenId: '1,'.repeat(2_000) }).tokenId).toMatch(/longer than/);
    expect(problemsOf({ type: 'ERC20', minToken: '0.1234567', decimals: '6', symbol: 'USDC' })).toEqual({
      minToken: 'USDC has 6 digits behind the point; 0.1234567 has more.',
    });
    expect(problemsOf({ type: 'ERC20', contractAddress: '0x12' }).contractAddress).toMatch(
      /^This must be an address/,
    );
  });

  it('parseConditionForm: keeps what the form does not show of a condition', () => {
    const earlier = {
      ...{ type: 'ERC721', chainId: 1, contractAddress: APES, minToken: '1', maxToken: '5', tokenId: '1-9' },
      ...{ requiresMetadata: true, query: 'true', delegations: 'delegate.xyz', name: 'Apes' },
    };
    const form = toConditionForm(earlier);
    if (!form) throw new Error('The condition has a form');
    expect(parseConditionForm(form, earlier)).toEqual({ ok: true, condition: earlier });
    const { maxToken: _, tokenId: __, ...less } = earlier;
    const cleared = { ...form, minToken: '2', maxToken: '', tokenId: '' };
    expect(parseConditionForm(cleared, earlier)).toEqual({ ok: true, condition: { ...less, minToken: '2' } });
  });

  it('readConditionForm: knows no type but those that the forms build', () => {
    for (const type of FORM_RULE_TYPES) expect(readConditionForm({ type })?.type).toBe(type);
    expect(readConditionForm({ type: 'ALLOWLIST' })).toBeUndefined();
    expect(readConditionForm({})).toBeUndefined();
  });
});
