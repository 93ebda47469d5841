import { describe, expect, it } from '@jest/globals';
import { displayText } from './display-text.js';

describe('text that is shown', () => {
  it.each(['Apes', '👩‍💻 makers', 'می‌خواهم', 'Zoë & co. – 42'])('may be %j', (text) => {
    expect(displayText(100).safeParse(text).success).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a line break', 'a\nb'],
    ['a turn of direction', 'abc\u202exyz'],
    ['an isolate', '\u2066abc'],
    ['a soft hyphen', 'a\u00adb'],
    ['a line separator', 'a\u2028b'],
    ['more than fits', 'x'.repeat(101)],
  ])('is not %s', (_, text) => {
    expect(displayText(100).safeParse(text).success).toBe(false);
  });
});
