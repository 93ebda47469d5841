import { describe, expect, it } from '@jest/globals';
import { parsePreferHeader } from './parse-prefer-header.js';

describe('parsePreferHeader', () => {
  it.each([
    ['handling=lenient', 'lenient'],
    ['Handling = "Lenient"', 'lenient'],
    ['respond-async, wait=10; foo=bar, handling=lenient; x=y', 'lenient'],
    ['handling=strict, handling=lenient', 'strict'],
    ['handling', ''],
    ['', undefined],
    ['lenient', undefined],
  ])('parsePreferHeader: %j has the handling preference %j', (header, handling) => {
    expect(parsePreferHeader(header).get('handling')).toBe(handling);
  });
});
