import { describe, expect, it } from '@jest/globals';
import { isPlatformUserId } from './is-platform-user-id.js';

describe('isPlatformUserId', () => {
  it.each(['1', '42', '9007199254740993', '9999999999999999999'])('isPlatformUserId: accepts %s', (id) => {
    expect(isPlatformUserId(id)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['zero', '0'],
    ['a leading zero', '042'],
    ['a sign', '+42'],
    ['a negative number', '-42'],
    ['a fraction', '42.0'],
    ['an exponent', '4e2'],
    ['hexadecimal', '0x2a'],
    ['a space', '42 '],
    ['a line feed', '42\n'],
    ['digits of another script', '４２'],
    ['twenty digits', '10000000000000000000'],
    ['a name', 'bot'],
    ['a JavaScript number', 42],
    ['a list', ['42']],
  ])('isPlatformUserId: refuses %s', (_form, id) => {
    expect(isPlatformUserId(id)).toBe(false);
  });
});
