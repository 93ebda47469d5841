import { describe, expect, it } from '@jest/globals';
import type { RawRoleRule } from '@app/dto';
import fc from 'fast-check';
import {
  canBeChanged,
  createDraft,
  createDraftOf,
  findChanges,
  GROUP_MODES,
  markRule,
  openDraft,
  rebaseDraft,
  type RuleDraft,
  sealDraft,
  toRule,
} from './rule-draft.js';

const apes = { type: 'ERC721', chainId: 1, contractAddress: `0x${'ab'.repeat(20)}`, name: 'Apes' };
const coins = { type: 'NATIVE', chainId: 1, minToken: '0.5' };
const listed = { type: 'ALLOWLIST', accounts: [`0x${'11'.repeat(20)}`] };
const owner = { userId: 'user', communityId: 'community' };
const SECRET = Buffer.from('secret of the servers');

const draftOf = (rule: RawRoleRule): RuleDraft => {
  const draft = createDraftOf([rule], rule);
  if (!draft) throw new Error('The rule can be changed');
  return draft;
};

describe('drafts of rules', () => {
  it('createDraftOf: makes a draft that stands for the rule, with conditions of other types as they were', () => {
    const rules: RawRoleRule[] = [
      { roleId: 'whale', ...apes },
      { roleId: 'whale', ...listed },
      { roleId: 'whale', not: apes },
      { roleId: 'whale', allOf: [apes, coins] },
      { roleId: 'whale', anyOf: [apes, listed] },
      { roleId: 'whale', not: { anyOf: [apes, coins] } },
      { roleId: 'whale', atLeast: { count: 2, of: [apes, listed, coins] } },
    ];
    for (const rule of rules) expect(toRule(draftOf(rule), rule)).toEqual(rule);
    expect(JSON.stringify(draftOf({ roleId: 'whale', ...listed }))).not.toContain('0x11');
  });

  it('createDraftOf: makes none of a deeper rule, which the forms would damage', () => {
    const deep: RawRoleRule[] = [
      { roleId: 'whale', allOf: [apes, { anyOf: [coins, listed] }] },
      { roleId: 'whale', anyOf: [{ not: apes }, coins] },
      { roleId: 'whale', not: { not: apes } },
      { roleId: 'whale', not: { allOf: [apes, coins] } },
      { roleId: 'whale', allOf: Array.from({ length: 11 }, () => coins) },
      { roleId: 'whale', allOf: [] },
    ];
    for (const rule of deep) {
      expect(createDraftOf([rule], rule)).toBeUndefined();
      expect(canBeChanged(rule)).toBe(false);
    }
  });

  it('openDraft: returns what sealDraft wrote, and no names of contracts from another user or community', () => {
    const draft = draftOf({ roleId: 'whale', allOf: [apes, coins] });
    const sealed = sealDraft(draft, owner, SECRET);
    expect(openDraft(sealed, owner, SECRET)).toEqual(draft);
    const { name: _, ...nameless } = apes;
    const others = [
      { ...owner, userId: 'other' },
      { ...owner, communityId: 'other' },
    ];
    for (const other of others)
      expect(openDraft(sealed, other, SECRET)?.conditions).toEqual([{ rule: nameless }, { rule: coins }]);
  });

  it('sealDraft: keeps the addresses to try, as long as the draft fits into an address with them', () => {
    const draft = draftOf({ roleId: 'whale', ...apes });
    const addresses = Array.from({ length: 20 }, () => `0x${'12'.repeat(20)}`).join('\n');
    expect(openDraft(sealDraft({ ...draft, addresses }, owner, SECRET), owner, SECRET)).toEqual({
      ...{ ...draft, addresses },
    });
    const long = { ...draft, marks: 'abcdef'.repeat(700) };
    const sealed = sealDraft({ ...long, addresses }, owner, SECRET);
    expect(sealed).toBe(sealDraft(long, owner, SECRET));
    const wordy = { ...draft, addresses: addresses.repeat(2) };
    expect(openDraft(sealDraft(wordy, owner, SECRET), owner, SECRET)).toEqual(draft);
  });

  it('openDraft: answers any text without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, value) => {
        expect(openDraft(text, owner, SECRET)).toBeUndefined();
        openDraft(Buffer.from(JSON.stringify(value)).toString('base64url'), owner, SECRET);
      }),
    );
  });

  it('findChanges: names the rules that others added, and counts those that are gone', () => {
    const [first, second]: RawRoleRule[] = [
      { roleId: 'whale', ...apes },
      { roleId: 'whale', ...coins },
    ];
    if (!first || !second) throw new Error('There are two rules');
    const draft = createDraft([first], 'whale');
    expect(findChanges(draft, [first])).toBeUndefined();
    expect(findChanges(draft, [first, second])).toEqual({ added: [second], removedCount: 0 });
    expect(findChanges(draft, [])).toEqual({ added: [], removedCount: 1 });
    expect(findChanges(rebaseDraft(draft, [second]), [second])).toBeUndefined();
    const changing = draftOf(first);
    expect(rebaseDraft(changing, [first, second]).changes).toBe(markRule(first));
    expect(rebaseDraft(changing, [second]).changes).toBeUndefined();
  });

  it('toRule: says nothing without a condition, and joins conditions in every way', () => {
    expect(toRule(createDraft([], 'whale'), undefined)).toBeUndefined();
    for (const mode of GROUP_MODES) {
      const draft = { ...draftOf({ roleId: 'whale', allOf: [apes, coins] }), mode, count: 10 };
      const rule = toRule(draft, undefined);
      expect(rule && createDraftOf([], rule)).toMatchObject({ mode });
      expect(rule?.['atLeast']).toEqual(mode === 'atLeast' ? { count: 2, of: [apes, coins] } : undefined);
    }
  });
});
