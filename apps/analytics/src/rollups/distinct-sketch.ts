import { createHash } from 'node:crypto';

/** A sketch counts exactly up to this many members. */
export const MAX_EXACT_MEMBERS = 1_000;

/** Bytes of a hash: among the exact members of a sketch, two hashes are equal once in 10^13 sketches. */
const HASH_BYTES = 8;

/** 2^14 registers have a standard error of 0.8 %. */
const INDEX_BITS = 14;
const REGISTERS = 2 ** INDEX_BITS;
/** The bits of a hash that do not choose a register. */
const RANK_BITS = 8 * HASH_BYTES - INDEX_BITS;

/** The first byte of a sketch that holds hashes. */
export const EXACT_SKETCH = 1;
const DENSE = 2;

/** Stable, because sketches outlive releases. */
export const hashMember = (id: string): Buffer =>
  createHash('sha256').update(id).digest().subarray(0, HASH_BYTES);

/**
 * A set of members that can be counted and merged, but not listed: hashes up to MAX_EXACT_MEMBERS, HyperLogLog beyond. The
 * result depends only on the members, not on their order.
 */
export class DistinctSketch {
  private constructor(
    /** Hashes as binary text; empty once there are registers. */
    private readonly hashes: Set<string>,
    private registers: Uint8Array | undefined,
  ) {}

  static create(): DistinctSketch {
    return new DistinctSketch(new Set(), undefined);
  }

  /** @throws RangeError for bytes that `encode` does not write */
  static decode(bytes: Buffer): DistinctSketch {
    const content = bytes.subarray(1);
    if (bytes[0] === DENSE && content.length === REGISTERS)
      return new DistinctSketch(new Set(), Uint8Array.from(content));
    if (bytes[0] !== EXACT_SKETCH || content.length % HASH_BYTES !== 0)
      throw new RangeError('These bytes are not a sketch');
    const hashes = new Set<string>();
    for (let at = 0; at < content.length; at += HASH_BYTES)
      hashes.add(content.toString('latin1', at, at + HASH_BYTES));
    return new DistinctSketch(hashes, undefined);
  }

  encode(): Buffer {
    if (this.registers) return Buffer.concat([Buffer.of(DENSE), this.registers]);
    return Buffer.concat([Buffer.of(EXACT_SKETCH), Buffer.from([...this.hashes].sort().join(''), 'latin1')]);
  }

  /** @param hash of `hashMember`. @returns whether the sketch has changed */
  add(hash: Buffer): boolean {
    if (this.registers) return raiseRegister(this.registers, hash);
    return this.addExact(hash.toString('latin1'));
  }

  private addExact(hash: string): boolean {
    if (this.hashes.has(hash)) return false;
    this.hashes.add(hash);
    if (this.hashes.size > MAX_EXACT_MEMBERS) this.toDense();
    return true;
  }

  /** Adds the members of another sketch, which stays as it is. */
  merge(other: DistinctSketch): void {
    if (!other.registers) {
      for (const hash of other.hashes)
        if (this.registers) raiseRegister(this.registers, Buffer.from(hash, 'latin1'));
        else this.addExact(hash);
      return;
    }
    const registers = this.registers ?? this.toDense();
    for (let index = 0; index < REGISTERS; index += 1) {
      const rank = other.registers[index] ?? 0;
      if (rank > (registers[index] ?? 0)) registers[index] = rank;
    }
  }

  count(): number {
    return this.registers ? Math.round(estimateCount(this.registers)) : this.hashes.size;
  }

  private toDense(): Uint8Array {
    const registers = new Uint8Array(REGISTERS);
    for (const hash of this.hashes) raiseRegister(registers, Buffer.from(hash, 'latin1'));
    this.hashes.clear();
    this.registers = registers;
    return registers;
  }
}

/** The first bits of a hash choose a register, which keeps the most leading zeros of the other bits, plus one. */
function raiseRegister(registers: Uint8Array, hash: Buffer): boolean {
  const bits = hash.readBigUInt64BE();
  const index = Number(bits >> BigInt(RANK_BITS));
  const rest = BigInt.asUintN(RANK_BITS, bits);
  const rank = RANK_BITS + 1 - (rest === 0n ? 0 : rest.toString(2).length);
  if (rank <= (registers[index] ?? 0)) return false;
  registers[index] = rank;
  return true;
}

/**
 * The improved raw estimator of Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017),
 * algorithm 6: unbiased for any number of members, without tables.
 */
function estimateCount(registers: Uint8Array): number {
  const histogram = new Float64Array(RANK_BITS + 2);
  for (const rank of registers) histogram[rank] = (histogram[rank] ?? 0) + 1;
  const share = (rank: number): number => (histogram[rank] ?? 0) / REGISTERS;
  let sum = REGISTERS * tau(1 - share(RANK_BITS + 1));
  for (let rank = RANK_BITS; rank >= 1; rank -= 1) sum = 0.5 * (sum + (histogram[rank] ?? 0));
  sum += REGISTERS * sigma(share(0));
  return REGISTERS ** 2 / (2 * Math.LN2 * sum);
}

function sigma(x: number): number {
  if (x === 1) return Infinity;
  let [power, weight, sum, previous] = [x, 1, x, NaN];
  while (sum !== previous) {
    previous = sum;
    power *= power;
    sum += power * weight;
    weight *= 2;
  }
  return sum;
}

function tau(x: number): number {
  if (x === 0 || x === 1) return 0;
  let [root, weight, sum, previous] = [x, 1, 1 - x, NaN];
  while (sum !== previous) {
    previous = sum;
    root = Math.sqrt(root);
    weight *= 0.5;
    sum -= (1 - root) ** 2 * weight;
  }
  return sum / 3;
}
