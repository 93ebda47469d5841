import { describe, expect, it } from '@jest/globals';
import { bindNames } from './state-transitions.js';

describe('bindNames', () => {
  it('bindNames: numbers names by their first appearance, and leaves casts and formats of times alone', () => {
    const sql = `SELECT :ids::uuid[], to_char(at, 'HH24:MI:SS.US'), :reason, :ids`;
    expect(bindNames(sql, { reason: 'late', ids: ['1'], unused: 1 })).toEqual({
      sql: `SELECT $1::uuid[], to_char(at, 'HH24:MI:SS.US'), $2, $1`,
      parameters: [['1'], 'late'],
    });
  });

  it('bindNames: refuses a name without a value', () => {
    expect(() => bindNames('SELECT :missing', {})).toThrow(
      'the parameter :missing of a statement has no value',
    );
  });
});
