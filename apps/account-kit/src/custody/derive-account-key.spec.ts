import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createKeyRoot, deriveAccountKey } from './derive-account-key.js';
import { encodeKeyInfo, type KeyInfo } from './encode-key-info.js';

const root = createKeyRoot(Buffer.alloc(32, 1));
const base: KeyInfo = {
  curve: 'secp256k1',
  purpose: 'account',
  platform: 'chat',
  userId: '42',
  network: '',
};
const derive = (change: Partial<KeyInfo> = {}) =>
  deriveAccountKey(root, { ...base, ...change }).toString('hex');

const keyInfo: fc.Arbitrary<KeyInfo> = fc.record(
  {
    curve: fc.constantFrom('secp256k1' as const, 'ed25519' as const),
    purpose: fc.constantFrom('account' as const, 'action' as const),
    platform: fc.string(),
    userId: fc.string(),
    network: fc.string(),
    clientId: fc.string(),
  },
  { requiredKeys: ['curve', 'purpose', 'platform', 'userId', 'network'] },
);

describe('deriveAccountKey', () => {
  it('deriveAccountKey: does not move with a release of this service', () => {
    // Computed with an implementation of RFC 5869 in another language.
    expect(derive()).toBe('48549530275a5b3f6de7502d00c6f6daed6eb337d4ee20bbfad5b995eaeac08e');
    expect(derive({ curve: 'ed25519', network: 'SOL' })).toBe(
      'f577df873ac07b51bca243c883b5df24f158c00ed748e67bd4608d2947c84377',
    );
    expect(derive({ purpose: 'action', clientId: 'client-1' })).toBe(
      '860241986dd44f06ff39ba0053797855f8152ba9da76c5fbd993ea67e0455d73',
    );
    expect(root.id).toBe('35687f6b4f948079');
  });

  it('deriveAccountKey: gives another key for each field', () => {
    const keys = [
      derive(),
      derive({ curve: 'ed25519' }),
      derive({ purpose: 'action' }),
      derive({ platform: 'codehost' }),
      derive({ userId: '43' }),
      derive({ network: 'SOL' }),
      derive({ clientId: '' }),
      derive({ clientId: 'client-1' }),
      derive({ purpose: 'action', clientId: 'client-1' }),
      derive({ purpose: 'action', clientId: 'client-2' }),
      deriveAccountKey(createKeyRoot(Buffer.alloc(32, 2)), base).toString('hex'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('deriveAccountKey: tells boundaries between fields apart', () => {
    expect(derive({ platform: 'a', userId: 'bc' })).not.toBe(derive({ platform: 'ab', userId: 'c' }));
  });

  it('deriveAccountKey: encodes two names alike only when they are equal', () => {
    fc.assert(
      fc.property(keyInfo, keyInfo, (left, right) => {
        const areAlike = encodeKeyInfo(left).equals(encodeKeyInfo(right));
        expect(areAlike).toBe(JSON.stringify(left) === JSON.stringify(right));
      }),
    );
  });

  it('deriveAccountKey: keeps the boundary wherever a text is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.nat(), fc.nat(), (text, a, b) => {
        const [first, second] = [a % text.length, b % text.length];
        const cut = (at: number) =>
          encodeKeyInfo({ ...base, platform: text.slice(0, at), userId: text.slice(at) });
        expect(cut(first).equals(cut(second))).toBe(first === second);
      }),
    );
  });

  it('deriveAccountKey: gives 32 bytes between 1 and the order of the curve', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    fc.assert(
      fc.property(fc.string(), (userId) => {
        const key = derive({ userId });
        expect(key).toHaveLength(64);
        const scalar = BigInt(`0x${key}`);
        expect(scalar > 0n && scalar < order).toBe(true);
      }),
    );
  });
});

describe('createKeyRoot', () => {
  it('createKeyRoot: shares no bytes between id, derivation and wrapping', () => {
    const { id, derivationKey, wrappingKey } = root;
    expect(derivationKey.equals(wrappingKey)).toBe(false);
    expect(derivationKey.toString('hex')).not.toContain(id);
    expect(wrappingKey.toString('hex')).not.toContain(id);
  });
});
