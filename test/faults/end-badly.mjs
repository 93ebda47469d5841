// Preloaded into an app: ends it as bugs do, and shows what it can of its own process.
process.on('SIGUSR2', () => {
  throw new Error(JSON.stringify({ env: process.env, argv: process.argv, execArgv: process.execArgv }));
});
process.on('SIGHUP', () => process.abort());
