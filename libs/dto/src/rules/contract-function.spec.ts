import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findArgumentProblem, findEqualsProblem, parseContractFunction } from './contract-function.js';

const integer = (bits: number, isSigned = false) => ({ kind: 'integer', isSigned, bits });
const ADDRESS = `0x${'ab'.repeat(20)}`;

describe('parseContractFunction', () => {
  it.each([
    ['function f() view returns (bool)', 'f', [], { kind: 'bool' }],
    [
      '  function getHasValidKey ( address _user ) external view returns ( bool ) ',
      'getHasValidKey',
      ['address'],
      { kind: 'bool' },
    ],
    ['function f(uint, int8 a) public pure returns (int)', 'f', ['uint256', 'int8'], integer(256, true)],
    [
      'function f(bytes memory a, string calldata) view external returns (uint8 memory)',
      'f',
      ['bytes', 'string'],
      integer(8),
    ],
    ['function $_1(bytes32)\n  view\n  returns (address owner)', '$_1', ['bytes32'], { kind: 'address' }],
    [
      'function f(address payable who, address payable) view returns (bool)',
      'f',
      ['address', 'address'],
      { kind: 'bool' },
    ],
    ['function f() view returns (bytes32)', 'f', [], { kind: 'bytes32' }],
    ['function f(address) view returns (uint256[] memory ids)', 'f', ['address'], { kind: 'length' }],
    ['function f(address) view returns (string[])', 'f', ['address'], { kind: 'length' }],
  ])('parseContractFunction: reads %j', (text, name, parameters, result) => {
    expect(parseContractFunction(text)).toEqual({ name, parameters, result });
  });

  it.each([
    ['', /human-readable/],
    ['event E(address a)', /human-readable/],
    ['functionf() view returns (bool)', /human-readable/],
    ['function () view returns (bool)', /a name/],
    ['function f(address) returns (bool)', /view or pure/],
    ['function f(address) external returns (bool)', /view or pure/],
    ['function f(address) payable returns (bool)', /without `payable`/],
    ['function f(address) view nonReentrant returns (bool)', /without `nonReentrant`/],
    ['function f(address) view override(A, B) returns (bool)', /without `override`/],
    ['function f(address) view', /return one value/],
    ['function f(address) view returns ()', /one value/],
    ['function f(address) view returns (bool, uint256)', /one value/],
    ['function f(address) view returns (bool) // comment', /character/],
    ['function f(address) view returns (bool); function g()', /character/],
    ['function f(address) view returns (bool) view', /must end/],
    ['function f(address) view returns ((bool a, uint256 b))', /tuples/],
    ['function f((uint256 a) b) view returns (bool)', /tuples/],
    ['function f(tuple(uint256) b) view returns (bool)', /tuples/],
    ['function f(((((((((uint256))))))))) view returns (bool)', /tuples/],
    ['function f(Foo foo) view returns (bool)', /`Foo`, which is none of ABIs/],
    ['function f(address) view returns (Foo)', /structs/],
    ['function f(mapping a) view returns (bool)', /`mapping`/],
    ['function f(uint7) view returns (bool)', /`uint7`/],
    ['function f(uint08) view returns (bool)', /`uint08`/],
    ['function f(uint264) view returns (bool)', /`uint264`/],
    ['function f(bytes33) view returns (bool)', /`bytes33`/],
    ['function f(uint256[] ids) view returns (bool)', /not take arrays/],
    ['function f(uint256[4294967295]) view returns (bool)', /not take arrays/],
    ['function f() view returns (uint256[4294967295])', /length is fixed/],
    ['function f() view returns (uint256[4294967295][])', /length is fixed/],
    ['function f() view returns (uint256[][])', /array of arrays/],
    ['function f() view returns (string)', /must return bool/],
    ['function f() view returns (bytes4)', /must return bool/],
    ['function f(address a b) view returns (bool)', /comma or a parenthesis/],
    ['function f(address,) view returns (bool)', /a type in place of `\)`/],
    ['function f(address view returns (bool)', /comma or a parenthesis/],
    ['function f(address) view returns (bool', /comma or a parenthesis/],
    ['function f address) view returns (bool)', /in parentheses/],
    ['function f(аddress) view returns (bool)', /character that no function has, at position 12/],
    ['function f(bool,  é) view returns (bool)', /no function has, at position 19/],
    ['function f\u200b() view returns (bool)', /character/],
    ['function f()\u00a0view returns (bool)', /character/],
    [`function f(${Array(9).fill('bool').join()}) view returns (bool)`, /at most 8/],
  ])('parseContractFunction: refuses %j', (text, message) => {
    expect(parseContractFunction(text)).toMatch(message);
  });

  it('parseContractFunction: answers any text of 512 characters with a function or a message', () => {
    const pieces = fc.constantFrom(
      ...[
        'function ',
        'f',
        '(',
        ')',
        ',',
        ' ',
        '[',
        ']',
        '[]',
        '[9999999999]',
        'uint256',
        'address',
        'bool',
        'tuple',
      ],
      ...[
        'view ',
        'pure ',
        'returns ',
        'external ',
        'memory ',
        '\n',
        '\u202e',
        '\ud83d',
        'é',
        '$account',
        '{',
        ';',
      ],
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 512 }),
        fc.string({ maxLength: 512, unit: 'binary' }),
        (some, noise) => {
          for (const text of [
            some.join('').slice(0, 512),
            noise,
            `function ${noise}`,
            `function f(${noise}`,
          ]) {
            const parsed = parseContractFunction(text);
            expect(typeof parsed === 'string' ? parsed !== '' : parsed.name !== '').toBe(true);
          }
        },
      ),
      { numRuns: 1_000 },
    );
    for (const unit of ['(', '()', '((', '[', '[]', 'a', ' ', 'a,', 'uint256[]', '$', '[1', 'view '])
      for (const before of ['', 'function f(', 'function f() view returns (', 'function f() '])
        expect(typeof parseContractFunction((before + unit.repeat(512)).slice(0, 512))).toBe('string');
  });
});

describe('findArgumentProblem', () => {
  it.each([
    ['address', '$account'],
    ['address', ADDRESS],
    ['bool', 'true'],
    ['uint8', '255'],
    ['uint8', '0xff'],
    ['int8', '-128'],
    ['uint256', String(2n ** 256n - 1n)],
    ['bytes4', '0x80ac58cd'],
    ['bytes', '0x'],
    ['string', ''],
    ['string', 'é\ud83d\ude00'],
  ])('findArgumentProblem: takes for %s %j', (type, text) => {
    expect(findArgumentProblem(type, text, 1)).toBeUndefined();
  });

  it.each([
    ['uint256', '$account', /an address, where the function takes uint256/],
    ['bytes32', '$account', /takes bytes32/],
    ['string', '$account', /takes string/],
    ['address', '0x12', /must be an address/],
    ['address', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', /checksum/],
    ['bool', '1', /"true" or "false"/],
    ['uint8', '256', /out of the range of uint8/],
    ['uint8', '-1', /out of the range/],
    ['int8', '128', /out of the range of int8/],
    ['int8', '-129', /out of the range/],
    ['uint256', String(2n ** 256n), /out of the range/],
    ['uint256', '1e18', /decimal text/],
    ['uint256', '1.5', /decimal text/],
    ['uint256', ' 1', /decimal text/],
    ['uint256', '', /decimal text/],
    ['uint256', '0x', /decimal text/],
    ['uint256', '9'.repeat(79), /decimal text/],
    ['bytes4', '0x80ac58', /8 hex digits/],
    ['bytes', '0x1', /even number/],
    ['string', '\ud83d', /UTF-8/],
  ])('findArgumentProblem: refuses for %s %j', (type, text, message) => {
    expect(findArgumentProblem(type, text, 1)).toMatch(message);
  });

  it('findEqualsProblem: takes only what the function can return', () => {
    const problems = (kind: 'bool' | 'address' | 'bytes32' | 'length', ...texts: string[]) =>
      texts.map((text) => findEqualsProblem({ kind }, text, 1) === undefined);
    expect(problems('bool', 'true', 'false', 'True', '1')).toEqual([true, true, false, false]);
    expect(problems('address', ADDRESS, '$account', '0')).toEqual([true, true, false]);
    expect(problems('bytes32', `0x${'Ab'.repeat(32)}`, '0xab', '$account')).toEqual([true, false, false]);
    expect(problems('length', '0', '0x10', '-1', '$account')).toEqual([true, true, false, false]);
    const signed = { kind: 'integer', isSigned: true, bits: 16 } as const;
    expect(
      ['-32768', '32768', '$account'].map((text) => findEqualsProblem(signed, text, 1) === undefined),
    ).toEqual([true, false, false]);
  });
});
