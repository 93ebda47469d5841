import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '@app/common';
import { parseStrictJson } from './parse-strict-json.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text));

function findIssue(text: string | Buffer): { path: string; message: string } | undefined {
  try {
    parseStrictJson(Buffer.from(text));
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.statusCode).toBe(400);
    return (error.details['issues'] as { path: string; message: string }[])[0];
  }
}

describe('parseStrictJson', () => {
  it('parseStrictJson: parses what JSON.stringify writes', () => {
    const value = fc.jsonValue({ maxDepth: 6, stringUnit: 'grapheme' });
    const isPlain = (text: string) => !/__proto__|constructor|prototype|\\u0000/.test(text);
    fc.assert(
      fc.property(value, (json) => {
        const text = JSON.stringify(json);
        fc.pre(isPlain(text));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('parseStrictJson: judges a text without backslashes as it judges the same text with one', () => {
    const name = fc.constantFrom('a', 'b', 'c:"d', '__proto__', 'constructor', 'x', ' ', '{');
    const json = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof(
        fc.constantFrom('1', 'null', '"a"', '":"', '"{[ ,"', '-', '[', '}', '', ' [ ]\n', '{}'),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      ),
      object: fc
        .array(fc.tuple(name, tie('value')), { maxLength: 3 })
        .map((fields) => `{${fields.map(([key, value]) => `"${key}" : ${value}`).join(', ')}}`),
    }));
    /** What JSON.parse says names positions, which differ. */
    const judge = (text: string) => {
      const issue = findIssue(text);
      return issue ? [issue.path, /repeated|allowed|levels/.exec(issue.message)?.[0]] : parse(text);
    };
    fc.assert(
      fc.property(json.value, fc.constantFrom(0, 1, 31, 32, 33), (inner, levels) => {
        const nest = (text: string) => `${'['.repeat(levels)}${text}${']'.repeat(levels)}`;
        // An escaped letter in a first element, which is at the same level and of no other meaning.
        const [plain, escaped] = [nest(`["a",${inner}]`), nest(`["\\u0061",${inner}]`)];
        expect(judge(plain)).toEqual(judge(escaped));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['{"a":1,"b":{"c":1,"c":2}}', 'b.c', /repeated/],
    ['{"a":1,"\\u0061":2}', 'a', /repeated/],
    ['[{"x":1},{"__proto__":{}}]', '1.__proto__', /allowed/],
    ['{"constructor":{"prototype":{}}}', 'constructor', /allowed/],
    ['{"a":["ok","x\\u0000y"]}', 'a.1', /NUL/],
    ['{"a":"\\ud800"}', 'a', /surrogate/],
    ['{"\\udfff":1}', '', /surrogate/],
    [`${'['.repeat(33)}${']'.repeat(33)}`, '', /32 levels/],
    ['{"a":1,}', '', /./],
    ['{"a":1} {"b":2}', '', /./],
    ['// comment\n{}', '', /./],
    ['', '', /./],
    ['{"a":NaN}', '', /./],
  ])('parseStrictJson: rejects %s', (text, path, message) => {
    const issue = findIssue(text);
    expect(issue?.path).toBe(path);
    expect(issue?.message).toMatch(message);
  });

  it('parseStrictJson: rejects a megabyte of brackets without a stack overflow', () => {
    expect(findIssue('['.repeat(1_000_000))?.message).toMatch(/32 levels/);
  });

  it('parseStrictJson: rejects bytes that are not UTF-8', () => {
    expect(findIssue(Buffer.from([0x22, 0xff, 0x22]))?.message).toMatch(/UTF-8/);
  });

  it('parseStrictJson: accepts the same name in different objects, and 32 levels', () => {
    expect(parse('[{"a":1},{"a":2}]')).toEqual([{ a: 1 }, { a: 2 }]);
    expect(parse(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeDefined();
  });
});
