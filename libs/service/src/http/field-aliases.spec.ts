import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { FieldAliasReader } from './field-aliases.js';

const platform = z.enum(['chat', 'codehost']);
const reader = new FieldAliasReader({
  platform: { messenger: 'chat', chat: 'codehost', other: 'microblog' },
  constructor: { a: 'b' },
});

describe('FieldAliasReader', () => {
  it('FieldAliasReader: replaces a listed value in its field, in nested objects, arrays and optional fields', () => {
    const schema = z.strictObject({
      platform: platform.optional(),
      users: z.array(z.object({ platform: platform.default('chat') }).refine(() => true)).nullable(),
      either: z.union([z.object({ platform }), z.object({ id: z.string() })]),
      all: z.preprocess((value) => value, z.array(z.object({ platform }))),
    });
    const body = {
      platform: 'messenger',
      users: [{ platform: 'messenger' }, { platform: 'codehost' }, 7],
      either: { platform: 'messenger' },
      all: [{ platform: 'messenger' }],
      unknown: { platform: 'messenger' },
    };
    const before = structuredClone(body);
    expect(reader.read(schema, body)).toEqual({
      platform: 'chat',
      users: [{ platform: 'chat' }, { platform: 'codehost' }, 7],
      either: { platform: 'chat' },
      all: [{ platform: 'chat' }],
      unknown: { platform: 'messenger' },
    });
    expect(body).toEqual(before);
  });

  it('FieldAliasReader: replaces values at every level of a schema that contains itself', () => {
    const tree = z.object({
      platform: platform.optional(),
      get parts(): z.ZodOptional<z.ZodArray<z.ZodType>> {
        return z.array(z.lazy(() => tree)).optional();
      },
    });
    const of = (name: string) => ({
      platform: name,
      parts: [{ parts: [{ platform: name }, { name }] }, { platform: name }],
    });
    expect(reader.read(z.object({ tree }), { tree: of('messenger') })).toEqual({
      tree: {
        platform: 'chat',
        parts: [{ parts: [{ platform: 'chat' }, { name: 'messenger' }] }, { platform: 'chat' }],
      },
    });
  });

  it('FieldAliasReader: leaves own values, free text, other fields and values that the field does not list', () => {
    const schema = z.object({ platform, name: z.string(), network: z.enum(['messenger']) });
    for (const body of [
      { platform: 'chat', name: 'messenger', network: 'messenger' },
      { platform: 'other', name: 'x', network: 'messenger' },
      { platform: 7 },
      null,
      'messenger',
      [],
    ])
      expect(reader.read(schema, body)).toEqual(body);
    expect(reader.read(z.object({ platform: z.string() }), { platform: 'messenger' })).toEqual({
      platform: 'messenger',
    });
  });
});
