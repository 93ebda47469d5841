// Loaded into an app with --import: a line at its end says whether Node's own fetch was loaded, which costs 30 ms of each start.
process.once('exit', () => {
  const { moduleLoadList } = /** @type {{ moduleLoadList: string[] }} */ (/** @type {unknown} */ (process));
  const isLoaded = moduleLoadList.some((name) => name.endsWith(' internal/deps/undici/undici'));
  process.stderr.write(`${isLoaded ? 'with' : 'without'} fetch\n`);
});
