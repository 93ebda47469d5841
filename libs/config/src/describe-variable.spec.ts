import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { describeVariable } from './describe-variable.js';
import { envInteger, envJson, envOrigin, envSecret, envSwitch } from './env-schemas.js';

const DAY_MS = 86_400_000;

describe('describeVariable', () => {
  it('describeVariable: takes limits, unit and default from the schema', () => {
    const lifetime = envInteger(1_000, 31 * DAY_MS)
      .default(DAY_MS)
      .describe('How long it lives.');
    expect(describeVariable('KEY_LIFETIME_MS', lifetime)).toEqual({
      name: 'KEY_LIFETIME_MS',
      description: 'How long it lives.',
      format: 'milliseconds, 1000 to 2678400000 (31 days)',
      default: '`86400000` (1 day)',
    });
    expect(describeVariable('KEY_LIFETIME_SECONDS', envInteger(1, 7_200).describe('…')).format).toBe(
      'seconds, 1 to 7200 (2 hours)',
    );
    expect(describeVariable('RETRIES', envInteger(0, DAY_MS).default(6).describe('…'))).toMatchObject({
      format: 'whole number, 0 to 86400000',
      default: '`6`',
    });
    expect(describeVariable('ID', envInteger(1, Number.MAX_SAFE_INTEGER).describe('…')).format).toBe(
      'whole number, at least 1',
    );
  });

  it('describeVariable: names the former name of a variable', () => {
    const stalls = envInteger(1, 9)
      .default(2)
      .meta({ description: 'Stalls of a job.', formerName: 'MOST_STALLS' });
    expect(describeVariable('MAX_STALLS', stalls)).toEqual({
      name: 'MAX_STALLS',
      description: 'Stalls of a job. Formerly `MOST_STALLS`, which still counts where this name is not set.',
      format: 'whole number, 1 to 9',
      default: '`2`',
    });
  });

  it('describeVariable: marks secrets', () => {
    expect(describeVariable('KEY', envSecret.describe('Encrypts.'))).toEqual({
      name: 'KEY',
      description: 'Encrypts.',
      format: '32 random bytes in base64url',
      secret: 'yes',
    });
    const url = envOrigin.meta({ description: 'A node.', secret: 'if it holds a key' });
    expect(describeVariable('URL', url).secret).toBe('if it holds a key');
  });

  it.each([
    ['a switch', envSwitch.default(false), '`off`'],
    ['a choice', z.enum(['a', 'b']).default('b'), '`b`'],
    ['JSON', envJson(z.object({ a: z.int() })).default({ a: 1 }), '`{"a":1}`'],
    ['an empty list', envJson(z.array(z.string())).default([]), 'none'],
    ['an optional variable', envOrigin.optional(), 'none'],
    ['another variable', envOrigin.optional().meta({ fallback: '`PUBLIC_URL`' }), '`PUBLIC_URL`'],
    ['a required variable', envOrigin, undefined],
  ])('describeVariable: writes the default of %s as text', (_, schema, text) => {
    expect(describeVariable('NAME', schema.describe('…')).default).toBe(text);
  });

  it('describeVariable: lists choices', () => {
    expect(describeVariable('NAME', envSwitch.default(true).describe('…')).format).toBe('`on`, `off`');
  });

  it.each([
    ['a description', envOrigin, /NAME needs/],
    ['a format', z.string().describe('…'), /NAME needs/],
    ['a default that the schema reads', envInteger(1, 5).default(0).describe('…'), /default of NAME/],
  ])('describeVariable: requires %s', (_, schema, message) => {
    expect(() => describeVariable('NAME', schema)).toThrow(message);
  });
});
