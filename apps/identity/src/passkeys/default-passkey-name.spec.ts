import { describe, expect, it } from '@jest/globals';
import { createPasskeyName, type PasskeyOrigin } from './default-passkey-name.js';

const NONE = '00000000-0000-0000-0000-000000000000';
const WINDOWS_HELLO = '08987058-cadc-4b81-b6e1-30de50dcbe96';

describe('createPasskeyName', () => {
  it.each<[string, Partial<PasskeyOrigin>]>([
    ['Windows Hello', { aaguid: WINDOWS_HELLO, platform: 'Windows' }],
    ['Passkey on macOS', { transports: ['hybrid', 'internal'], platform: 'macOS' }],
    ['Passkey on a phone', { transports: ['hybrid'], platform: 'macOS' }],
    ['Security key', { transports: ['usb'], platform: 'macOS' }],
    ['Security key', { transports: ['nfc'] }],
    ['Passkey', { transports: ['internal'] }],
    ['Passkey', { aaguid: 'constructor' }],
  ])('createPasskeyName: is %s for %j', (name, origin) => {
    const about = { aaguid: NONE, transports: [], platform: undefined, ...origin };
    expect(createPasskeyName(about, ['Another'])).toBe(name);
  });

  it('createPasskeyName: numbers passkeys that would have the same name', () => {
    const about = { aaguid: WINDOWS_HELLO, transports: [], platform: undefined };
    expect(createPasskeyName(about, ['Windows Hello'])).toBe('Windows Hello 2');
    expect(createPasskeyName(about, ['Windows Hello', 'Windows Hello 2'])).toBe('Windows Hello 3');
    expect(createPasskeyName(about, ['Windows Hello 2'])).toBe('Windows Hello');
  });
});
