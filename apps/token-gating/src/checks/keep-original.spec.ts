import { describe, expect, it } from '@jest/globals';
import { toJSONSchema, z } from 'zod';
import { keepOriginal } from './keep-original.js';

const schema = z.strictObject({ count: z.string().transform(Number) }).meta({ id: 'Counted' });
const withOriginal = keepOriginal(schema);

describe('keepOriginal', () => {
  it('keepOriginal: returns the parsed value and the input', () => {
    expect(withOriginal.parse({ count: '7' })).toEqual({ value: { count: 7 }, original: { count: '7' } });
  });

  it('keepOriginal: reports the same issues', () => {
    const input = { count: 7, more: true };
    expect(withOriginal.safeParse(input).error?.issues).toEqual(schema.safeParse(input).error?.issues);
  });

  it('keepOriginal: is documented like the schema', () => {
    const document = (root: z.ZodType) => toJSONSchema(z.object({ root }), { io: 'input' });
    expect(document(withOriginal)).toEqual(document(schema));
  });
});
