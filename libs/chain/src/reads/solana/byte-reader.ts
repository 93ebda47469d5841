import base58 from 'bs58';

const ADDRESS_BYTES = 32;

/** Reads fields in Borsh order (https://borsh.io). Each method throws RangeError beyond the end of the data. */
export class ByteReader {
  private offset = 0;
  private readonly view: DataView;

  constructor(private readonly data: Uint8Array) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  get remaining(): number {
    return this.data.length - this.offset;
  }

  u8(): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  /** A position in the data as 64 bits. */
  offset64(): number {
    return Number(this.view.getBigUint64(this.advance(8), true));
  }

  /** @throws RangeError for a byte that is neither 0 nor 1 */
  bool(): boolean {
    const byte = this.u8();
    if (byte > 1) throw new RangeError('The byte is no boolean');
    return byte === 1;
  }

  /** Base58. */
  address(): string {
    return base58.encode(this.bytes(ADDRESS_BYTES));
  }

  bytes(length: number): Uint8Array {
    const start = this.advance(length);
    return this.data.subarray(start, start + length);
  }

  text(): string {
    return Buffer.from(this.bytes(this.u32())).toString('utf8');
  }

  option<T>(read: () => T): T | undefined {
    return this.bool() ? read() : undefined;
  }

  /** @returns the offset before the step */
  private advance(length: number): number {
    if (length > this.remaining) throw new RangeError('The data is too short');
    const start = this.offset;
    this.offset += length;
    return start;
  }
}

/** Undefined where the data is too short or has an invalid field. */
export function readFields<T>(data: Uint8Array, read: (reader: ByteReader) => T): T | undefined {
  try {
    return read(new ByteReader(data));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
