/**
 * Options of an LRUCache for many entries. With `max` it makes room for all of them at once, which takes 15 ms of an app's start for
 * 100,000.
 */
export const boundEntries = (maxEntries: number) => ({ maxSize: maxEntries, sizeCalculation: () => 1 });
