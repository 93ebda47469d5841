import { describe, expect, it } from '@jest/globals';
import type { Series } from './report-view.js';
import { splitByMagnitude } from './split-by-magnitude.js';

const createSeries = (name: string, ...values: number[]): Series => ({
  name,
  color: { palette: 0 },
  values,
  as: 'bar',
});

const namesOf = (...series: Series[]) =>
  splitByMagnitude(series).map((group) => group.map(({ name }) => name));

describe('splitByMagnitude', () => {
  it('splitByMagnitude: keeps series on one axis that can be read there', () => {
    expect(namesOf()).toEqual([[]]);
    expect(namesOf(createSeries('a', 10, 0), createSeries('b', 1), createSeries('none', 0, 0))).toEqual([
      ['a', 'b', 'none'],
    ]);
  });

  it('splitByMagnitude: gives series with far smaller numbers an axis of their own, in the given order', () => {
    expect(
      namesOf(
        createSeries('joined', 3, 1),
        createSeries('checked', 5_000, 4_000),
        createSeries('linked', 0, 7),
        createSeries('signed in', 900),
      ),
    ).toEqual([
      ['checked', 'signed in'],
      ['joined', 'linked'],
    ]);
  });

  it('splitByMagnitude: compares the largest number of each series, not its sum', () => {
    expect(namesOf(createSeries('often', ...Array<number>(100).fill(1)), createSeries('once', 8))).toEqual([
      ['often', 'once'],
    ]);
  });
});
