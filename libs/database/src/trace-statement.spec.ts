import { describe, expect, it } from '@jest/globals';
import { nameStatement } from './trace-statement.js';

describe('nameStatement', () => {
  it.each([
    ["SELECT id FROM identity.users WHERE email = 'a@b.example'", 'SELECT FROM identity.users'],
    ['INSERT INTO identity.users (id) VALUES ($1)', 'INSERT INTO identity.users'],
    ['\n  UPDATE token_gating.checks AS c SET done = $1', 'UPDATE token_gating.checks'],
    [
      'WITH due AS (SELECT id FROM token_gating.deliveries FOR UPDATE SKIP LOCKED) DELETE FROM token_gating.checks',
      'DELETE FROM token_gating.checks',
    ],
    ["SELECT pg_advisory_xact_lock(hashtextextended('secret', 0))", 'statement'],
  ])('nameStatement: names %j', (sql, name) => {
    expect(nameStatement(sql)).toBe(name);
  });
});
