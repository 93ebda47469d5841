// Loaded into alto before its own code, which would listen on all interfaces.
import { Server } from 'node:net';

const { listen } = Server.prototype;

/**
 * @this {Server}
 * @param {unknown} options
 * @param {unknown[]} rest
 */
Server.prototype.listen = function listenOnLoopback(options, ...rest) {
  const isKnown = typeof options === 'object' && options !== null && 'port' in options;
  if (!isKnown || typeof options.port !== 'number') throw new Error('alto listens otherwise than it did');
  return /** @type {Server} */ (Reflect.apply(listen, this, [{ ...options, host: '127.0.0.1' }, ...rest]));
};
