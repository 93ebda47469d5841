import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { metadataQuery } from './metadata-query.js';

const findProblem = (query: string) => metadataQuery.safeParse(query).error?.issues[0]?.message;

/** Beginnings of what the parser knows. */
const TOKENS = [
  '$',
  'a',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '.',
  '*',
  '%',
  '@',
  '#',
  '^',
  '~>',
  '|',
  '"',
  '/',
  ':=',
  '?',
  ';',
  ',',
  '1',
];

describe('metadataQuery', () => {
  it('metadataQuery: refuses long paths, which take long to parse', () => {
    expect(findProblem(`${'a.'.repeat(64)}a`)).toBeUndefined();
    expect(findProblem(`${'a.'.repeat(65)}a`)).toBe('must have at most 64 steps of paths (. and %)');
    expect(findProblem('%'.repeat(65))).toBe('must have at most 64 steps of paths (. and %)');
  });

  it.each(["attributes[trait_type='Hat'].value = 'red'", '$count(a) > $least', 'now', '$.eval', '"$now"'])(
    'metadataQuery: accepts %s',
    (query) => {
      expect(findProblem(query)).toBeUndefined();
    },
  );

  it.each([
    '$now()',
    '$millis() > 1',
    'a[$random() > 0.5]',
    '$eval("1")',
    '($e := $eval; $e("1"))',
    '$map(a, $eval)',
    '$eval(?)("1")',
    'a ~> $eval',
    'function($x) { $x($now) }',
    '{ "a": $random() }',
    'a{b: $now()}',
    'a^($random())',
    '| a | { "b": $now() } |',
    '$e := function() { [1, $eval] }',
    'a.(b ? $random : 1)',
    '($now := 5; true)',
    'a@$x#$i[$i = $random()]',
    '%.a = $now()',
  ])('metadataQuery: refuses %s', (query) => {
    expect(findProblem(query)).toMatch(/^(?:must not use|is not a JSONata)/);
  });

  it.each(['a[', '(', '', '((((', '('.repeat(4_000), '['.repeat(4_000), 'a'.repeat(5_000)])(
    'metadataQuery: refuses what cannot be parsed',
    (query) => {
      expect(findProblem(query)).toBeDefined();
    },
  );

  it('metadataQuery: never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...TOKENS) }), (query) => {
        metadataQuery.safeParse(query);
      }),
    );
  });
});
