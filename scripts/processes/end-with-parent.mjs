// Preloaded into each app: covers the first second, in which an app does not yet listen for the loss of its parent.
const leave = () => {
  if (process.listenerCount('disconnect') === 0) process.exit(1);
};
process.once('disconnect', leave);
// A process that has ended its work need not wait for its parent to end: the listener alone would keep it running.
process.channel?.unref();
// `connected` is undefined where there never was a channel, and false where it is closed already.
if (/** @type {boolean | undefined} */ (process.connected) === false) process.exit(1);
