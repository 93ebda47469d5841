import { describe, it } from '@jest/globals';
import parser from '@typescript-eslint/parser';
import { RuleTester } from 'eslint';
import { testTitles } from '../../scripts/lint/test-titles.mjs';

RuleTester.describe = describe;
RuleTester.it = it;

const valid = [
  "it('checkRoles: grants when one of two rules holds', () => {});",
  "it('T24, T28: callbacks: are retried with one id', () => {});",
  "it.each(cases)('parseCid: refuses %s', () => {});",
  'it.each`a | b`("parseCid: refuses $a", () => {});',
  // A title that is computed, or a call that declares no test.
  'it(title, () => {});',
  'it(`${name}: ends`, () => {});',
  "describe('callbacks', () => {});",
  "item.find('a', () => {});",
];
const invalid = [
  "it('is refused without a key', () => {});",
  "it('T24: are retried with one id', () => {});",
  "it('T24, T28: are retried with one id', () => {});",
  "test('is refused', () => {});",
  "it.each(cases)('refuses %s', () => {});",
  "it.skip('is refused at 12:30', () => {});",
  'it(`refuses ${name}`, () => {});',
];

new RuleTester({ languageOptions: { parser } }).run('test-titles', testTitles, {
  valid: valid.map((code) => ({ name: `test-titles: accepts ${code}`, code })),
  invalid: invalid.map((code) => ({
    name: `test-titles: refuses ${code}`,
    code,
    errors: [{ messageId: 'unnamed' }],
  })),
});
