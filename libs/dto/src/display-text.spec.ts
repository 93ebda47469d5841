import { describe, expect, it } from '@jest/globals';
import { displayText } from './display-text.js';

describe('displayText', () => {
  it.each(['Apes', '👩‍💻 makers', 'می‌خواهم', 'Zoë & co. – 42'])('displayText: accepts %j', (text) => {
    expect(displayText(100).safeParse(text).success).toBe(true);
  });

  it.each([
    ['empty text', ''],
    ['a line break', 'a\nb'],
    ['a direction override', 'abc\u202exyz'],
    ['an isolate', '\u2066abc'],
    ['a soft hyphen', 'a\u00adb'],
    ['a line separator', 'a\u2028b'],
    ['text longer than the maximum', 'x'.repeat(101)],
  ])('displayText: rejects %s', (_, text) => {
    expect(displayText(100).safeParse(text).success).toBe(false);
  });
});
