import { createHash } from 'node:crypto';

/** A picture of a contract, made of its address: pages load no pictures from elsewhere. */
export interface RuleMark {
  /** Degrees on the color wheel. */
  readonly hue: number;
  /** Filled squares of a grid of five by five. */
  readonly squares: readonly { readonly x: number; readonly y: number }[];
}

const SIZE = 5;
const MIDDLE = 2;

/** Two contracts of one name have different marks. The right half mirrors the left one. */
export function createMark(subject: string): RuleMark {
  const bytes = createHash('sha256').update(subject.toLowerCase()).digest();
  const isFilled = (x: number, y: number): boolean => {
    const column = x > MIDDLE ? SIZE - 1 - x : x;
    return ((bytes[2 + y] ?? 0) >> column) % 2 === 1;
  };
  const cells = Array.from({ length: SIZE * SIZE }, (_, at) => ({ x: at % SIZE, y: Math.floor(at / SIZE) }));
  return { hue: bytes.readUInt16BE(0) % 360, squares: cells.filter(({ x, y }) => isFilled(x, y)) };
}
