import { describe, expect, it } from '@jest/globals';
import { approvalMessage } from './approval-message.js';

describe('approvalMessage', () => {
  it('approvalMessage: counts a line break of a browser once, and keeps it', () => {
    const lines = Array.from({ length: 500 }, () => 'x').join('\r\n');
    expect(approvalMessage.parse(` ${lines}\r\n`)).toBe(lines.replaceAll('\r\n', '\n'));
  });

  it.each([undefined, '', ' \r\n ', 'x'.repeat(1_001), 'a\u0000b', 'a\u001b[31m', 'a\ud800'])(
    'approvalMessage: refuses %j',
    (text) => {
      expect(approvalMessage.safeParse(text).success).toBe(false);
    },
  );
});
