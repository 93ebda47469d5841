import { createHmac } from 'node:crypto';

/** The second step of HKDF-SHA-256 (RFC 5869, 2.3). `node:crypto` has only both steps together. */
export function hkdfExpand(pseudorandomKey: Uint8Array, info: Buffer, length: number): Buffer {
  const blocks: Buffer[] = [];
  let block = Buffer.alloc(0);
  for (let counter = 1; Buffer.concat(blocks).length < length; counter += 1) {
    block = createHmac('sha256', pseudorandomKey)
      .update(Buffer.concat([block, info, Buffer.of(counter)]))
      .digest();
    blocks.push(block);
  }
  return Buffer.concat(blocks).subarray(0, length);
}
