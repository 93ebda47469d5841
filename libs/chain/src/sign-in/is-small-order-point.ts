/**
 * The y coordinates, also in the form y + p, of the points of Curve25519 whose order divides eight. Anyone can forge signatures
 * for such a public key. OpenSSL accepts them, Solana rejects them; the system program's address, all zeros, is one.
 */
const SMALL_ORDER_POINTS = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** Whether a 32-byte public key is a point of small order. */
export function isSmallOrderPoint(key: Uint8Array): boolean {
  const y = Buffer.from(key);
  // The topmost bit is the sign of x.
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31);
  return SMALL_ORDER_POINTS.has(y.toString('hex'));
}
